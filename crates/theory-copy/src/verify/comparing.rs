//! What is compared, and what came of it.

use tabletheory_core::Timestamp;

use super::difference::ItemDifference;
use super::expiry::Expiry;
use super::sum::Total;

/// Two tables to be compared.
#[derive(Debug, Clone)]
pub struct Comparing {
    /// The first table.
    pub from: String,
    /// The second table.
    pub to: String,
    /// The attributes of the key.
    pub keys: Vec<String>,
    /// The attributes by which items of either table expire; none if none do.
    pub ttl: Vec<String>,
    /// How many segments of each are read at once.
    pub segments: u32,
    /// Now.
    pub now: Timestamp,
}

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The lasting items of the first table.
    pub from: Total,
    /// The lasting items of the second table.
    pub to: Total,
    /// Items that have expired, or will within an hour, of both tables. A store removes them when it likes, so that they may be in one
    /// and not in the other.
    pub expiring: (Total, Total),
    /// Some of the items that differ.
    pub differences: Vec<ItemDifference>,
}

impl Comparison {
    /// Whether the tables hold the same lasting items.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.from == self.to
    }
}

impl Comparing {
    /// By what items expire.
    pub(super) fn expiry(&self) -> Expiry<'_> {
        Expiry { attributes: &self.ttl, now: self.now }
    }
}
