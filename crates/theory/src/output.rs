//! What people read: aligned columns, spans and sizes in words, colours where they are wanted. What programs read is JSON, and is
//! made from the same values.

pub(crate) mod amount;
pub(crate) mod paper;
pub(crate) mod record;
pub(crate) mod shown;
pub(crate) mod table;
pub(crate) mod tone;
