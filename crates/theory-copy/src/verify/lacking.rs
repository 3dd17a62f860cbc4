//! Whether the second table lacks anything of the first one: each item of the first is asked of the second by its key. So it is known of
//! tables of every size whether the second one only has more, which sums cannot tell.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::try_join_all;
use tabletheory_core::Item;
use tabletheory_core::limits::BATCH_GET_KEYS_MAX;
use tabletheory_core::store::op::{BatchGetItem, KeysAndProjection};

use super::comparing::Comparing;
use super::sum::{Digest, key_of};
use crate::error::Error;
use crate::patience::Patience;
use crate::scan::Reading;
use crate::side::Side;

impl Comparing {
    /// Whether a lasting item of the first table is missing from the second, or another one there.
    ///
    /// # Errors
    /// If a store does not answer.
    pub async fn lacks(&self, from: &Side, to: &Side) -> Result<bool, Error> {
        let (reading, found) = (Reading::all(&self.from, self.segments), AtomicBool::new(false));
        let (reading, found) = (&reading, &found);
        let segments = (0..self.segments.max(1)).map(|segment| async move {
            let mut next = None;
            while !found.load(Ordering::Relaxed) {
                let (items, after) = reading.page(from, segment, next).await?;
                for batch in items.chunks(BATCH_GET_KEYS_MAX) {
                    if self.lacks_of(to, batch).await? {
                        found.store(true, Ordering::Relaxed);
                    }
                }
                if after.is_none() {
                    break;
                }
                next = after;
            }
            Ok::<(), Error>(())
        });
        try_join_all(segments).await?;
        Ok(found.load(Ordering::Relaxed))
    }

    /// The same of a few items.
    async fn lacks_of(&self, to: &Side, items: &[Item]) -> Result<bool, Error> {
        let mut wanted = HashMap::new();
        let mut keys = Vec::new();
        for item in items.iter().filter(|item| !self.expiry().is_near(item)) {
            let digest = Digest::of(item, &self.keys);
            // A batch names each key once.
            if wanted.insert(digest.key, digest.item).is_none() {
                keys.push(key_of(item, &self.keys));
            }
        }
        let mut patience = Patience::new(to.patience);
        while !keys.is_empty() {
            let asked = KeysAndProjection { keys: keys.clone(), projection: None, consistent: true };
            let tables = BTreeMap::from([(self.to.clone(), asked)]);
            let mut answer = to.ask(&self.to, BatchGetItem { tables, ..BatchGetItem::default() }).await?;
            for item in answer.items.remove(&self.to).unwrap_or_default() {
                let digest = Digest::of(&item, &self.keys);
                if wanted.remove(&digest.key).is_some_and(|same| same != digest.item) {
                    return Ok(true);
                }
            }
            let left = answer.unprocessed.remove(&self.to).map(|left| left.keys).unwrap_or_default();
            match left.len() < keys.len() {
                true => patience = Patience::new(to.patience),
                false if patience.wait().await => {}
                false => {
                    let source = tabletheory_core::StoreError::Unavailable(format!(
                        "it left {} keys unread for {} seconds",
                        left.len(),
                        to.patience.as_secs()
                    ));
                    return Err(to.failed(&self.to, "BatchGetItem", source));
                }
            }
            keys = left;
        }
        Ok(!wanted.is_empty())
    }
}
