//! Renders under way in this process.

use std::hash::{BuildHasher, RandomState};

use facetheory::PageKey;
use parking_lot::Mutex;
use tabletheory_core::Timestamp;

/// More than these are counted and not listed.
const LISTED_MAX: usize = 500;

/// A render under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Underway {
    /// The page.
    pub page: String,
    /// Whose it is.
    pub tenant: Option<String>,
    /// Since when.
    pub since: Timestamp,
}

/// Renders under way.
#[derive(Debug, Default)]
pub(super) struct Live {
    hashes: RandomState,
    renders: Mutex<Renders>,
}

#[derive(Debug, Default)]
struct Renders {
    count: usize,
    listed: Vec<(u64, Underway)>,
}

impl Live {
    pub(super) fn began(&self, page: &PageKey, since: Timestamp) {
        let hash = self.hashes.hash_one(page);
        let tenant = page.page_tenant().map(|tenant| tenant.as_str().to_owned());
        let render = Underway { page: page.address().unwrap_or_default(), tenant, since };
        let mut renders = self.renders.lock();
        renders.count += 1;
        if renders.listed.len() < LISTED_MAX {
            renders.listed.push((hash, render));
        }
    }

    pub(super) fn ended(&self, page: &PageKey) {
        let hash = self.hashes.hash_one(page);
        let mut renders = self.renders.lock();
        renders.count = renders.count.saturating_sub(1);
        if let Some(place) = renders.listed.iter().position(|(other, _)| *other == hash) {
            renders.listed.remove(place);
        }
    }

    /// How many there are, and those that are listed, longest first.
    pub(super) fn read(&self) -> (usize, Vec<Underway>) {
        let renders = self.renders.lock();
        (renders.count, renders.listed.iter().map(|(_, render)| render.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_and_did_not_end_is_under_way() {
        let (live, now) = (Live::default(), Timestamp::from_seconds(1));
        let (one, two) = (PageKey::path("/1"), PageKey::path("/2"));
        live.began(&one, now);
        live.began(&two, now);
        live.began(&one, now);
        live.ended(&one);
        let (count, listed) = live.read();
        assert_eq!(count, 2);
        assert_eq!(listed.iter().map(|render| render.page.as_str()).collect::<Vec<_>>(), ["/2", "/1"]);
    }

    #[test]
    fn a_crowd_is_counted_and_not_listed() {
        let (live, now) = (Live::default(), Timestamp::from_seconds(1));
        let pages: Vec<PageKey> = (0..600).map(|number| PageKey::path(number.to_string())).collect();
        pages.iter().for_each(|page| live.began(page, now));
        assert_eq!((live.read().0, live.read().1.len()), (600, LISTED_MAX));
        pages.iter().for_each(|page| live.ended(page));
        assert_eq!((live.read().0, live.read().1.len()), (0, 0));
    }
}
