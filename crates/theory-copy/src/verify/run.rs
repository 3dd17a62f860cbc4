//! The comparison: both tables are read once, and once more where they differ.

use std::sync::Mutex;

use futures_util::future::try_join;
use tabletheory_core::Item;

use super::comparing::{Comparing, Comparison};
use super::sum::{Digest, Sums};
use crate::error::Error;
use crate::scan::Reading;
use crate::side::Side;

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
}
