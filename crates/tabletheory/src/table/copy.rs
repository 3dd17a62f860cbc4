//! Copying the items of one table into another, each transformed on the way: the builder. Reading and writing stand in
//! `run`, where a copy stands is a `checkpoint`.

mod checkpoint;
mod error;
mod plain;
mod progress;
mod run;
mod settings;
mod together;
mod write;

pub use checkpoint::{Checkpoint, Position};
pub use error::{CopyError, CopyFault};
pub use progress::CopyProgress;
pub use settings::{Copying, Transformed, Untransformed, copy};
