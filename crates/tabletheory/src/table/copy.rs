//! Copying the items of one table into another: as models, each transformed on the way (`begin`, `copying`, `run`), or as they are
//! (`items`). Both walk the same way, in `walk`; where a copy stands is a `checkpoint`.

mod begin;
mod checkpoint;
mod copying;
mod error;
mod items;
mod ledger;
mod progress;
mod run;
mod seals;
mod transformed;
mod walk;
mod write;

pub use begin::{Untransformed, copy};
pub use checkpoint::{Checkpoint, Position};
pub use copying::Copying;
pub use error::{CopyError, CopyFault};
pub use items::{CopyingItems, copy_items};
pub use progress::CopyProgress;
pub use transformed::Transformed;
