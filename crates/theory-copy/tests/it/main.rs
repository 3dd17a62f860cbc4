//! Tables copied, compared, exported, imported and filled, on stores in memory and in folders.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod compared;
mod copies;
mod exports;
mod fills;
mod hostile;
mod lost;
mod paced;
mod plans;
mod world;
