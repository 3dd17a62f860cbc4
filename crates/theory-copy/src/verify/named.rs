//! Which items differ: only those parts of the tables are kept in memory whose sums differ, and only some of those.

use std::collections::HashMap;
use std::sync::Mutex;

use tabletheory_core::Item;

use super::comparing::Comparing;
use super::difference::{ItemDifference, NAMED_MAX};
use super::sum::{Digest, key_of};
use crate::error::Error;
use crate::scan::Reading;
use crate::side::Side;

/// So many parts of the tables are looked at for that; each is a 65,536th of the keys.
const BUCKETS_MAX: usize = 8;

impl Comparing {
    /// Some of the items that differ, in the first of these buckets.
    pub(super) async fn named(
        &self,
        from: &Side,
        to: &Side,
        buckets: &[usize],
    ) -> Result<Vec<ItemDifference>, Error> {
        let buckets = &buckets[..buckets.len().min(BUCKETS_MAX)];
        let mut known = HashMap::new();
        self.each(from, &self.from, buckets, |digest, item| {
            known.insert(digest.key, (digest.item, key_of(item, &self.keys)));
        })
        .await?;
        let mut found = Vec::new();
        self.each(to, &self.to, buckets, |digest, item| match known.remove(&digest.key) {
            Some((same, _)) if same == digest.item => {}
            Some((_, key)) => found.push(ItemDifference::Different(key)),
            None => found.push(ItemDifference::Extra(key_of(item, &self.keys))),
        })
        .await?;
        found.extend(known.into_values().map(|(_, key)| ItemDifference::Missing(key)));
        found.truncate(NAMED_MAX);
        Ok(found)
    }

    /// Every lasting item of these buckets.
    async fn each(
        &self,
        side: &Side,
        table: &str,
        buckets: &[usize],
        take: impl FnMut(&Digest, &Item) + Send,
    ) -> Result<(), Error> {
        let take = Mutex::new(take);
        let page = |items: Vec<Item>| {
            let mut take = take.lock().expect("nothing panics while it is held");
            for item in items.iter().filter(|item| !self.expiry().is_near(item)) {
                let digest = Digest::of(item, &self.keys);
                if buckets.contains(&digest.bucket()) {
                    (*take)(&digest, item);
                }
            }
        };
        Reading::all(table, self.segments).pages(side, page).await
    }
}
