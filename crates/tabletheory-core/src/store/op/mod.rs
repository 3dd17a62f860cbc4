//! The operations, one request and one output each, grouped by what they act on.

mod batch;
mod item;
mod read;
mod statement;
mod stream;
mod table;
mod transact;

pub use batch::*;
pub use item::*;
pub use read::*;
pub use statement::*;
pub use stream::*;
pub use table::*;
pub use transact::*;
