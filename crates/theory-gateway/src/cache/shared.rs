//! What all requests of a cache share: what is kept, what is under way, what was lately not worth waiting for, and the time.

use std::fmt;
use std::sync::Arc;

use facetheory::meta::Purge;
use quick_cache::sync::Cache;
use tabletheory_core::{Clock, Seconds, Timestamp};

use super::flight::Flights;
use super::room::Room;
use super::store::Store;
use super::stored::Stored;

/// For how long nobody waits for another's answer after one that could not be kept.
const PASSED_FOR: Seconds = Seconds(10);
/// Of how many addresses that is known.
const PASSED_MAX: usize = 4096;

/// What all requests of a cache share.
pub(super) struct Shared {
    pub(super) store: Store,
    pub(super) flights: Arc<Flights>,
    /// For copies that are not complete yet: as much again as what is kept.
    pub(super) room: Arc<Room>,
    passed: Cache<Arc<str>, Timestamp>,
    clock: Arc<dyn Clock>,
}

impl Shared {
    pub(super) fn new(bytes_max: usize, clock: Arc<dyn Clock>) -> Self {
        let (store, flights) = (Store::new(bytes_max), Arc::default());
        Self { store, flights, room: Room::of(bytes_max), passed: Cache::new(PASSED_MAX), clock }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The answer at this address could not be kept, so the next one most likely cannot, either.
    pub(super) fn pass(&self, key: &Arc<str>) {
        self.passed.insert(Arc::clone(key), self.now() + PASSED_FOR);
    }

    /// Whether waiting for another's answer at this address is most likely in vain.
    pub(super) fn is_passed(&self, key: &str) -> bool {
        self.passed.get(key).is_some_and(|until| self.now() < until)
    }

    /// Forgets an address, and what is on its way for it.
    pub(super) fn invalidate(&self, key: &str) {
        // In this order: what lands between the two notices the change.
        self.flights.change(key);
        self.store.remove(key);
    }
}

impl Shared {
    /// Forgets what is meant at these addresses, or makes it stale; and what is on its way for them is not kept.
    pub(super) fn purge(
        &self,
        is_place: impl Fn(&str) -> bool,
        is_meant: impl Fn(&Stored) -> bool,
        purge: Purge,
    ) -> usize {
        self.flights.change_all(&is_place);
        let now = self.now();
        self.store.change(&is_place, is_meant, |stored| match purge {
            Purge::Stale => Some(stored.ended_at(now)),
            Purge::Gone => None,
        })
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("addresses", &self.store.len()).finish_non_exhaustive()
    }
}
