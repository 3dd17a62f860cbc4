//! Whether two tables hold the same items. Both are read once, each item becomes a checksum, and sums that do not depend on the order
//! are compared; where they differ, the tables are read once more and some of the items that differ are named.

mod comparing;
mod difference;
mod expiry;
mod lacking;
mod named;
mod run;
mod sum;

pub use comparing::{Comparing, Comparison};
pub use difference::{ItemDifference, NAMED_MAX};
pub use sum::Total;
