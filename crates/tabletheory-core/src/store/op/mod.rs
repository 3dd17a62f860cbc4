//! The operations, one request and one output each, grouped by what they act on.

pub mod batch;
pub mod item;
pub mod read;
pub mod statement;
pub mod stream;
pub mod table;
pub mod transact;

pub use batch::*;
pub use item::*;
pub use read::*;
pub use statement::*;
pub use stream::*;
pub use table::*;
pub use transact::*;
