//! What happened lately, for people who look: the last events, and counts for each minute. Bounded, and in memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tabletheory_core::{Clock, Timestamp};

use crate::event::{Event, Observer, State};
use crate::key::PageKey;

const MINUTE_MS: i64 = 60_000;

/// By so much a clock goes back without beginning another minute.
const BACK_MAX_MS: i64 = 10 * MINUTE_MS;

/// An event that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// When it happened.
    pub at: Timestamp,
    /// The path of the page, if it concerns one.
    pub page: Option<String>,
    /// What happened.
    pub event: Event,
}

/// What happened in a minute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Minute {
    /// Its beginning, in milliseconds since 1970.
    pub start_ms: i64,
    /// How many visitors were served in each way, in the order of [`State::ALL`].
    pub served: [u64; State::ALL.len()],
    /// How many visitors got an error.
    pub refused: u64,
    /// How many renders ended well.
    pub rendered: u64,
    /// How many failed.
    pub failed: u64,
    /// How long all renders took together.
    pub render_time: Duration,
    /// How long the longest took.
    pub render_time_max: Duration,
    /// How many pages were published.
    pub published: u64,
    /// How many publishes did nothing, or may have done nothing.
    pub lost: u64,
    /// How often another process was rendering already.
    pub contended: u64,
    /// How many leases were taken from processes that stopped.
    pub taken_over: u64,
    /// How often the store, or the body store, failed.
    pub store_failed: u64,
    /// How many purges there were.
    pub purged: u64,
}

impl Minute {
    /// How many visitors were served in this way.
    #[must_use]
    pub fn served_as(&self, state: State) -> u64 {
        self.served[state as usize]
    }

    fn count(&mut self, event: &Event) {
        match event {
            Event::Served(state) => self.served[*state as usize] += 1,
            Event::Refused => self.refused += 1,
            Event::Rendered { took } => {
                self.rendered += 1;
                self.took(*took);
            }
            Event::RenderFailed { took, .. } => {
                self.failed += 1;
                self.took(*took);
            }
            Event::Published => self.published += 1,
            Event::PublishLost(_) | Event::PublishUnknown | Event::LeaseLost => self.lost += 1,
            Event::Contended => self.contended += 1,
            Event::TakenOver => self.taken_over += 1,
            Event::StoreFailed { .. } | Event::BodyFailed { .. } => self.store_failed += 1,
            Event::Purged(_) => self.purged += 1,
            Event::Rendering
            | Event::RenderDropped { .. }
            | Event::NotKept(_)
            | Event::FoundFresh
            | Event::BackedOff { .. }
            | Event::StoreNotAwaited
            | Event::BodyMissing
            | Event::Malformed
            | Event::RolledBack
            | Event::Swept { .. } => {}
        }
    }

    fn took(&mut self, took: Duration) {
        self.render_time += took;
        self.render_time_max = self.render_time_max.max(took);
    }
}

/// Remembers what happened.
///
/// ```
/// use std::sync::Arc;
///
/// use facetheory::{Event, History, Observer, State};
/// use tabletheory_core::{ManualClock, Timestamp};
///
/// let history = History::new(Arc::new(ManualClock::at(Timestamp::from_seconds(60))));
/// history.saw(None, &Event::Served(State::Hit));
/// history.saw(None, &Event::Contended);
/// let minutes = history.minutes();
/// assert_eq!(minutes[0].served_as(State::Hit), 1);
/// assert_eq!(history.records().len(), 1);
/// ```
#[derive(Debug)]
pub struct History {
    clock: Arc<dyn Clock>,
    records_max: usize,
    minutes_max: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    records: VecDeque<Record>,
    minutes: VecDeque<Minute>,
}

impl History {
    /// The last 1,000 events and three hours.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, records_max: 1000, minutes_max: 180, kept: Mutex::default() }
    }

    /// With other bounds.
    #[must_use]
    pub fn with_bounds(mut self, records: usize, minutes: usize) -> Self {
        (self.records_max, self.minutes_max) = (records, minutes.max(1));
        self
    }

    /// The last events, oldest first. Hits are only counted.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.kept.lock().records.iter().cloned().collect()
    }

    /// The last minutes in which something happened, oldest first.
    #[must_use]
    pub fn minutes(&self) -> Vec<Minute> {
        self.kept.lock().minutes.iter().cloned().collect()
    }
}

impl Observer for History {
    fn saw(&self, page: Option<&PageKey>, event: &Event) {
        let at = self.clock.now();
        let start_ms = at.millis().div_euclid(MINUTE_MS) * MINUTE_MS;
        let mut kept = self.kept.lock();
        // A clock that goes back a little counts into the last minute there is; one that was far ahead begins anew.
        let is_new = |last: &Minute| last.start_ms < start_ms || last.start_ms > start_ms + BACK_MAX_MS;
        if kept.minutes.back().is_none_or(is_new) {
            if kept.minutes.len() >= self.minutes_max {
                kept.minutes.pop_front();
            }
            kept.minutes.push_back(Minute { start_ms, ..Minute::default() });
        }
        if let Some(minute) = kept.minutes.back_mut() {
            minute.count(event);
        }
        if *event == Event::Served(State::Hit) || self.records_max == 0 {
            return;
        }
        if kept.records.len() >= self.records_max {
            kept.records.pop_front();
        }
        let page = page.and_then(PageKey::page_path).map(|path| String::from_utf8_lossy(path).into_owned());
        kept.records.push_back(Record { at, page, event: event.clone() });
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{ManualClock, Seconds};

    use super::*;

    #[test]
    fn minutes_and_events_are_bounded() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(0)));
        let history = History::new(Arc::clone(&clock) as _).with_bounds(3, 2);
        for _ in 0..5 {
            history.saw(Some(&PageKey::path("/a")), &Event::Published);
            clock.advance(Seconds(60));
        }
        assert_eq!(history.records().len(), 3);
        assert_eq!(history.records()[0].page.as_deref(), Some("/a"));
        assert_eq!(
            history.minutes().iter().map(|minute| minute.start_ms).collect::<Vec<_>>(),
            [180_000, 240_000]
        );
    }

    #[test]
    fn a_clock_that_goes_back_loses_nothing() {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(600)));
        let history = History::new(Arc::clone(&clock) as _);
        history.saw(None, &Event::Contended);
        clock.advance(Seconds(-300));
        history.saw(None, &Event::Contended);
        assert_eq!(history.minutes().iter().map(|minute| minute.contended).sum::<u64>(), 2);
    }

    #[test]
    fn the_order_of_states_is_the_order_of_their_counts() {
        for (place, state) in State::ALL.into_iter().enumerate() {
            assert_eq!(state as usize, place);
        }
    }
}
