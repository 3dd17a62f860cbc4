//! What this process remembers about rows: what the store said last, what it expects to find, and units that it was charged for.
//! Bounded; what is forgotten costs a call, never a wrong decision.

use std::convert::Infallible;
use std::sync::Arc;

use parking_lot::Mutex;
use quick_cache::UnitWeighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use tabletheory_core::Timestamp;
use tabletheory_core::keyed_hash::KeyedHash;

use crate::gauge::{Gauges, States};

/// What is remembered about all rows.
#[derive(Debug)]
pub(crate) struct Memory {
    rows: Cache<String, Arc<Remembered>, UnitWeighter, KeyedHash>,
}

/// What is remembered about one row.
#[derive(Debug)]
pub(crate) struct Remembered {
    gauges: Arc<Gauges>,
    notes: Mutex<Notes>,
    /// One request at a time charges units in advance; the others wait for what it gets.
    pub(crate) turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Notes {
    /// What the store said, and when.
    said: Option<(Arc<States>, Timestamp)>,
    /// What the row is expected to be when the requests under way have arrived.
    expected: Arc<States>,
    /// Until when the row is kept, in seconds since 1970, as far as this process wrote it.
    kept_until_s: i64,
    purse: Purse,
}

/// Units that were charged and not spent.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purse {
    pub(crate) units: u64,
    /// When they were charged, and until when they may be spent.
    pub(crate) from_ms: i64,
    pub(crate) until_ms: i64,
    /// How many were charged last, for the next time.
    pub(crate) batch: u64,
}

impl Memory {
    pub(crate) fn new(rows: usize) -> Self {
        let (hash, lifecycle) = (KeyedHash::default(), DefaultLifecycle::default());
        Self { rows: Cache::with(rows, rows as u64, UnitWeighter, hash, lifecycle) }
    }

    /// What is remembered about a row with these limits. What was remembered about it with others says nothing about it.
    pub(crate) fn of(&self, partition: &str, gauges: &Arc<Gauges>) -> Arc<Remembered> {
        // Those who come first together must find one purse.
        let made = || Ok::<_, Infallible>(Arc::new(Remembered::new(gauges)));
        let remembered = match self.rows.get(partition) {
            Some(remembered) => remembered,
            None => {
                let Ok(remembered) = self.rows.get_or_insert_with(partition, made);
                remembered
            }
        };
        if Arc::ptr_eq(&remembered.gauges, gauges) || remembered.gauges == *gauges {
            return remembered;
        }
        let remembered = Arc::new(Remembered::new(gauges));
        self.rows.insert(partition.to_owned(), Arc::clone(&remembered));
        remembered
    }

    pub(crate) fn forget(&self, partition: &str) {
        self.rows.remove(partition);
    }
}

impl Remembered {
    fn new(gauges: &Arc<Gauges>) -> Self {
        Self { gauges: Arc::clone(gauges), notes: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    pub(crate) fn expected(&self) -> Arc<States> {
        Arc::clone(&self.notes.lock().expected)
    }

    pub(crate) fn expect(&self, states: States) {
        self.notes.lock().expected = Arc::new(states);
    }

    pub(crate) fn heard(&self, states: &Arc<States>, at: Timestamp) {
        let mut notes = self.notes.lock();
        notes.expected = Arc::clone(states);
        notes.said = Some((Arc::clone(states), at));
    }

    pub(crate) fn kept_until_s(&self) -> i64 {
        self.notes.lock().kept_until_s
    }

    pub(crate) fn keep_until(&self, kept_until_s: i64) {
        self.notes.lock().kept_until_s = kept_until_s;
    }

    /// What the store said, if that is enough to deny a request without asking again. Others can only have counted more since,
    /// so this never denies what the store would allow, unless somebody gave something back.
    pub(crate) fn denies(
        &self,
        gauges: &Gauges,
        now: Timestamp,
        cost: u64,
        believed_ms: i64,
    ) -> Option<Arc<States>> {
        let notes = self.notes.lock();
        let (states, at) = notes.said.as_ref()?;
        // A clock that was set back makes what was said younger than it is.
        let age_ms = now.millis().saturating_sub(at.millis());
        let is_believed = (0..believed_ms).contains(&age_ms);
        (is_believed && gauges.denies(states, now, cost)).then(|| Arc::clone(states))
    }

    /// What the store said last.
    pub(crate) fn said(&self) -> Arc<States> {
        self.notes.lock().said.as_ref().map(|(states, _)| Arc::clone(states)).unwrap_or_default()
    }

    pub(crate) fn purse(&self) -> Purse {
        self.notes.lock().purse
    }

    /// Takes units that were charged before, if there are enough and they are still good, and says what is left.
    pub(crate) fn spend(&self, now: Timestamp, cost: u64) -> Option<Purse> {
        let purse = &mut self.notes.lock().purse;
        // A clock that was set back would make them last longer.
        if !(purse.from_ms..purse.until_ms).contains(&now.millis()) || purse.units < cost {
            return None;
        }
        purse.units -= cost;
        Some(*purse)
    }

    /// Puts units into the purse, to those that are good for as long. Others are lost: they would be spent later than they may.
    pub(crate) fn fill(&self, units: u64, from: Timestamp, until_ms: i64, batch: u64) {
        let purse = &mut self.notes.lock().purse;
        let kept = if purse.until_ms == until_ms { purse.units } else { 0 };
        *purse = Purse { units: kept.saturating_add(units), from_ms: from.millis(), until_ms, batch };
    }

    /// Puts back what was taken from the purse and not needed, if the purse is good for as long as it was then. Otherwise the
    /// units are lost, as they would have been in the purse.
    pub(crate) fn refund(&self, units: u64, until_ms: i64) {
        let purse = &mut self.notes.lock().purse;
        if purse.until_ms == until_ms {
            purse.units = purse.units.saturating_add(units);
        }
    }
}
