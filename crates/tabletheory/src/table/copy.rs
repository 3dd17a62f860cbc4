//! Copying the items of one table into another, each transformed on the way. It is set up in `begin` and `copying`, read and
//! written in `run`; where it stands is a `checkpoint`.

mod begin;
mod checkpoint;
mod copying;
mod error;
mod item_key;
mod ledger;
mod progress;
mod run;
mod seals;
mod transformed;
mod write;

pub use begin::{Untransformed, copy};
pub use checkpoint::{Checkpoint, Position};
pub use copying::Copying;
pub use error::{CopyError, CopyFault};
pub use progress::CopyProgress;
pub use transformed::Transformed;
