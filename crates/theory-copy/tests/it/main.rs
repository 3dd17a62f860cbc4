//! Tables copied, compared, exported, imported and filled, on stores in memory and in folders.

mod copies;
mod exports;
mod fills;
mod hostile;
mod plans;
mod world;
