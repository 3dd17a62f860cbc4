//! The answers that this process remembers: bounded in number and in bytes. It only ever answers what the store has answered
//! before, to the same request, before its time is over.

use std::fmt;
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tabletheory_core::Timestamp;

use crate::replay::Replay;

/// What an entry takes besides key, headers and body, generously.
const ENTRY_BYTES: u64 = 512;

/// Answers by the key of their record.
pub(crate) struct Known {
    entries: Cache<Arc<str>, Entry, Weight>,
}

#[derive(Clone)]
struct Entry {
    hash: Arc<str>,
    expires_at: i64,
    replay: Arc<Replay>,
    weight: u64,
}

/// What is known of a key.
#[derive(Debug)]
pub(crate) enum Hit {
    Answer(Arc<Replay>),
    /// The key was used for another request.
    Mismatch,
}

#[derive(Debug, Clone)]
struct Weight {
    /// No entry weighs less, so there are never more entries than were asked for.
    least: u64,
}

impl Weighter<Arc<str>, Entry> for Weight {
    fn weight(&self, _: &Arc<str>, entry: &Entry) -> u64 {
        entry.weight.max(self.least)
    }
}

impl Known {
    /// Nothing is known yet. `None` where nothing could be remembered.
    pub(crate) fn new(entries: usize, bytes: usize) -> Option<Self> {
        if entries == 0 || bytes == 0 {
            return None;
        }
        // The cache shares its room out among shards, each with its own bound; small ones are not worth it.
        let shards = if entries >= 1000 { 4 } else { 1 };
        let bytes = bytes - bytes % shards;
        let options = OptionsBuilder::new()
            .shards(shards)
            .estimated_items_capacity(entries.min(bytes / 1024).max(shards))
            .weight_capacity(bytes as u64)
            .build()
            .expect("both capacities are given");
        // One entry more than there may be does not fit.
        let weight = Weight { least: bytes as u64 / (entries as u64).saturating_add(1) + 1 };
        let (hashes, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Some(Self { entries: Cache::with_options(options, weight, hashes, lifecycle) })
    }

    /// What is known of this key now.
    pub(crate) fn get(&self, row_key: &str, hash: &str, now: Timestamp) -> Option<Hit> {
        let entry = self.entries.get(row_key)?;
        if entry.expires_at <= now.seconds() {
            self.entries.remove(row_key);
            return None;
        }
        // Before the answer is looked at.
        Some(if *entry.hash == *hash { Hit::Answer(entry.replay) } else { Hit::Mismatch })
    }

    /// Remembers an answer until its record is over.
    pub(crate) fn keep(&self, row_key: &str, hash: &str, expires_at: i64, replay: &Replay) {
        let mut replay = replay.clone();
        // A copy, because the bytes may be a piece of a larger buffer that would live as long and be counted nowhere.
        replay.response.body = bytes::Bytes::copy_from_slice(&replay.response.body);
        let headers: usize =
            replay.response.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 64).sum();
        let bytes = replay.response.body.len() + headers + row_key.len() + hash.len();
        let weight = bytes as u64 + ENTRY_BYTES;
        let entry = Entry { hash: hash.into(), expires_at, replay: Arc::new(replay), weight };
        self.entries.insert(row_key.into(), entry);
    }

    /// Forgets an answer.
    pub(crate) fn forget(&self, row_key: &str) {
        self.entries.remove(row_key);
    }

    #[cfg(test)]
    fn size(&self) -> (usize, u64) {
        (self.entries.len(), self.entries.weight())
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Response;

    fn replay(body: usize) -> Replay {
        Replay::new(Response::new(200, vec![b'a'; body]).unwrap())
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    #[test]
    fn an_answer_is_given_to_the_same_request_until_its_time_is_over() {
        let known = Known::new(10, 1 << 16).unwrap();
        known.keep("k", "h", 100, &replay(5));
        assert!(matches!(known.get("k", "h", at(99)), Some(Hit::Answer(_))));
        assert!(matches!(known.get("k", "other", at(99)), Some(Hit::Mismatch)));
        assert!(known.get("l", "h", at(99)).is_none());
        assert!(known.get("k", "h", at(100)).is_none());
        assert!(known.get("k", "h", at(1)).is_none(), "what is over was forgotten");
    }

    #[test]
    fn both_bounds_hold_however_many_come() {
        for (entries, bytes, body) in
            [(8, 1 << 20, 10), (1000, 64 << 10, 900), (1, 1 << 16, 10), (1000, 8 << 20, 0)]
        {
            let known = Known::new(entries, bytes).unwrap();
            for number in 0..3000 {
                known.keep(&format!("k{number}"), "h", 100, &replay(body));
                let (count, weight) = known.size();
                assert!(
                    count <= entries && weight <= bytes as u64,
                    "{count} of {entries}, {weight} of {bytes}"
                );
            }
            assert!(known.size().0 > 0);
        }
        assert!(Known::new(0, 1).is_none() && Known::new(1, 0).is_none());
    }

    #[test]
    fn an_answer_larger_than_the_cache_is_not_kept() {
        let known = Known::new(10, 4096).unwrap();
        known.keep("k", "h", 100, &replay(10_000));
        assert!(known.get("k", "h", at(1)).is_none());
    }
}
