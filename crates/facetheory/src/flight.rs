//! One flight for each thing and purpose in this process: whoever comes later joins it. The flight goes on while anybody
//! waits for it, and ends with the last of them.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use parking_lot::Mutex;

type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A flight that somebody waits for.
pub(crate) type Flight<T> = Shared<Work<T>>;

/// The flights of one purpose that are under way.
#[derive(Debug)]
pub(crate) struct Flights<K, T> {
    under_way: Arc<Mutex<UnderWay<K, T>>>,
}

#[derive(Debug)]
struct UnderWay<K, T> {
    last: u64,
    flights: HashMap<K, (u64, WeakShared<Work<T>>)>,
}

/// A flight, and whether it began with this visitor.
pub(crate) struct Joined<T> {
    pub(crate) flight: Flight<T>,
    pub(crate) is_first: bool,
}

impl<K, T> Flights<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    pub(crate) fn new() -> Self {
        Self { under_way: Arc::new(Mutex::new(UnderWay { last: 0, flights: HashMap::new() })) }
    }

    /// Joins the flight of this key, or begins it.
    pub(crate) fn join<W>(&self, key: &K, begin: impl FnOnce() -> W) -> Joined<T>
    where
        W: Future<Output = T> + Send + 'static,
    {
        let mut under_way = self.under_way.lock();
        if let Some(flight) = under_way.flights.get(key).and_then(|(_, flight)| flight.upgrade()) {
            return Joined { flight, is_first: false };
        }
        let work = begin();
        under_way.last += 1;
        let id = under_way.last;
        // Ends with the work, or when nobody waits for it any more: what comes later begins anew.
        let landing = Landing { under_way: Arc::clone(&self.under_way), key: key.clone(), id };
        let work: Work<T> = Box::pin(async move {
            let value = work.await;
            drop(landing);
            value
        });
        let flight = work.shared();
        let weak = flight.downgrade().expect("a flight that nobody has awaited is not over");
        under_way.flights.insert(key.clone(), (id, weak));
        Joined { flight, is_first: true }
    }

    /// Whether a flight of this key is under way.
    pub(crate) fn is_under_way(&self, key: &K) -> bool {
        // It may be the last who waits, and its end needs the lock: so it goes after the lock is free again.
        let flight = self.under_way.lock().flights.get(key).and_then(|(_, flight)| flight.upgrade());
        flight.is_some()
    }

    /// Whoever comes from now on does not join what is under way for these keys.
    pub(crate) fn leave(&self, is_left: impl Fn(&K) -> bool) {
        self.under_way.lock().flights.retain(|key, _| !is_left(key));
    }
}

/// Takes a flight off the list when it ends.
struct Landing<K: Eq + Hash, T> {
    under_way: Arc<Mutex<UnderWay<K, T>>>,
    key: K,
    id: u64,
}

impl<K: Eq + Hash, T> Drop for Landing<K, T> {
    fn drop(&mut self) {
        let mut under_way = self.under_way.lock();
        if under_way.flights.get(&self.key).is_some_and(|(id, _)| *id == self.id) {
            under_way.flights.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures_executor::block_on;
    use futures_util::future::{join, pending};

    use super::*;

    #[test]
    fn those_who_come_later_join_and_the_next_begins_anew() {
        let flights: Flights<&str, u32> = Flights::new();
        let begun = AtomicU32::new(0);
        let key = "/";
        let visit = || flights.join(&key, || std::future::ready(begun.fetch_add(1, Ordering::Relaxed)));
        let (first, second) = (visit(), visit());
        assert!(first.is_first && !second.is_first);
        assert_eq!(block_on(join(second.flight, first.flight)), (0, 0));
        assert!(!flights.is_under_way(&key));
        assert_eq!(block_on(visit().flight), 1);
    }

    #[test]
    fn a_flight_ends_with_the_last_who_waits() {
        let flights: Flights<&str, u32> = Flights::new();
        let key = "/";
        let first = flights.join(&key, pending);
        let second = flights.join(&key, pending);
        drop(first);
        assert!(flights.is_under_way(&key));
        drop(second);
        assert!(!flights.is_under_way(&key));
        assert!(flights.join(&key, pending).is_first);
    }

    #[test]
    fn a_flight_that_was_left_does_not_end_the_next() {
        let flights: Flights<&str, u32> = Flights::new();
        let key = "/";
        let old = flights.join(&key, || std::future::ready(1));
        flights.leave(|_| true);
        let new = flights.join(&key, pending);
        assert!(new.is_first);
        assert_eq!(block_on(old.flight), 1);
        assert!(flights.is_under_way(&key));
    }
}
