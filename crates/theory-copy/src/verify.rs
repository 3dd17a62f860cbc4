//! Whether two tables hold the same items. Both are read once, each item becomes a checksum, and sums that do not depend on the order
//! are compared; where they differ, the tables are read once more and some of the items that differ are named.

mod difference;
mod expiry;
mod sum;

use std::sync::Mutex;

use futures_util::future::try_join;
use tabletheory_core::Item;
use tabletheory_core::Timestamp;

use crate::error::Error;
use crate::scan::Reading;
use crate::side::Side;
pub use difference::{ItemDifference, NAMED_MAX};
pub use expiry::Expiry;
pub use sum::Total;
use sum::{Digest, Sums};

/// Two tables to be compared.
#[derive(Debug, Clone)]
pub struct Comparing {
    /// The first table.
    pub from: String,
    /// The second table.
    pub to: String,
    /// The attributes of the key.
    pub keys: Vec<String>,
    /// The attribute by which items expire, if any do.
    pub ttl: Option<String>,
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
    /// Compares. `tell` is called with how many more items were read, of both.
    ///
    /// # Errors
    /// If a store does not answer.
    pub async fn run(
        &self,
        from: &Side,
        to: &Side,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Result<Comparison, Error> {
        let (first, second) =
            try_join(self.sums(from, &self.from, tell), self.sums(to, &self.to, tell)).await?;
        let mut comparison = Comparison {
            from: first.lasting(),
            to: second.lasting(),
            expiring: (first.expiring(), second.expiring()),
            differences: Vec::new(),
        };
        if !comparison.is_equal() {
            comparison.differences = self.named(from, to, &first.differing(&second)).await?;
        }
        Ok(comparison)
    }

    async fn sums(&self, side: &Side, table: &str, tell: &(dyn Fn(u64) + Sync)) -> Result<Sums, Error> {
        let sums = Mutex::new(Sums::new());
        let take = |items: Vec<Item>| {
            let mut sums = sums.lock().expect("nothing panics while it is held");
            items.iter().for_each(|item| sums.add(self.expiry(), &Digest::of(item, &self.keys), item));
            tell(u64::try_from(items.len()).unwrap_or(u64::MAX));
        };
        Reading::all(table, self.segments).pages(side, take).await?;
        Ok(sums.into_inner().expect("nothing panics while it is held"))
    }

    fn expiry(&self) -> Expiry<'_> {
        Expiry { attribute: self.ttl.as_deref(), now: self.now }
    }
}
