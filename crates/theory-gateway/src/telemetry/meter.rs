//! What is counted of the answers of one route. Threads count in places of their own, so that no cache line travels between
//! cores; a reader adds them up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use http::StatusCode;

use super::histogram::{Distribution, Histogram};
use super::outcome::Outcome;

const OUTCOMES: usize = Outcome::ALL.len();
/// `1xx` to `5xx`.
const CLASSES: usize = 5;
/// More threads than this share places.
const PARTS_MAX: usize = 8;

/// Counts the answers of one route.
#[derive(Debug)]
pub struct Meter {
    site: Arc<str>,
    route: Arc<str>,
    parts: Box<[Part]>,
}

/// What the threads of one place count, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Part {
    answers: [[AtomicU64; CLASSES]; OUTCOMES],
    bytes: AtomicU64,
    latency: Histogram,
}

/// What was counted, as it was at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    answers: [[u64; CLASSES]; OUTCOMES],
    /// Bytes of bodies that were sent.
    pub bytes: u64,
    /// How long answers took.
    pub latency: Distribution,
}

impl Meter {
    pub(super) fn new(site: &str, route: &str, threads: usize) -> Self {
        let parts = (0..threads.clamp(1, PARTS_MAX)).map(|_| Part::default()).collect();
        Self { site: site.into(), route: route.into(), parts }
    }

    /// The name of the site.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.site
    }

    /// The pattern of the route.
    #[must_use]
    pub fn route(&self) -> &str {
        &self.route
    }

    /// Counts an answer.
    pub fn answered(&self, status: StatusCode, outcome: Outcome, bytes: u64, took: Duration) {
        let part = &self.parts[place() % self.parts.len()];
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES) - 1;
        part.answers[outcome as usize][class].fetch_add(1, Ordering::Relaxed);
        part.bytes.fetch_add(bytes, Ordering::Relaxed);
        part.latency.record(took);
    }

    /// Adds what was counted to `sum`.
    pub(super) fn add_to(&self, sum: &mut Reading) {
        for part in &self.parts {
            for (sum, answers) in sum.answers.as_flattened_mut().iter_mut().zip(part.answers.as_flattened()) {
                *sum += answers.load(Ordering::Relaxed);
            }
            sum.bytes = sum.bytes.wrapping_add(part.bytes.load(Ordering::Relaxed));
            part.latency.add_to(&mut sum.latency);
        }
    }

    /// What was counted until now.
    #[must_use]
    pub fn reading(&self) -> Reading {
        let mut reading = Reading::default();
        self.add_to(&mut reading);
        reading
    }
}

impl Reading {
    /// How many answers there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.answers.as_flattened().iter().sum()
    }

    /// How many had this outcome.
    #[must_use]
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.answers[outcome as usize].iter().sum()
    }

    /// How many had a status of the class `class`00.
    #[must_use]
    pub fn of_class(&self, class: usize) -> u64 {
        self.answers.iter().map(|classes| classes[class.clamp(1, CLASSES) - 1]).sum()
    }

    /// Outcomes and classes of statuses that there were, with how many.
    pub fn each(&self) -> impl Iterator<Item = (Outcome, usize, u64)> {
        Outcome::ALL.into_iter().flat_map(move |outcome| {
            let classes = self.answers[outcome as usize].into_iter().enumerate();
            classes.filter(|(_, count)| *count > 0).map(move |(class, count)| (outcome, class + 1, count))
        })
    }

    /// The part of what the cache had a say in that was answered without asking the application.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    pub fn hit_ratio(&self) -> Option<f64> {
        let count = |is: fn(Outcome) -> bool| -> u64 {
            Outcome::ALL.into_iter().filter(|outcome| is(*outcome)).map(|outcome| self.of(outcome)).sum()
        };
        let of_cache = count(Outcome::is_of_cache);
        (of_cache > 0).then(|| count(Outcome::is_from_cache) as f64 / of_cache as f64)
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut since = Self {
            answers: self.answers,
            bytes: self.bytes.wrapping_sub(before.bytes),
            latency: self.latency.since(&before.latency),
        };
        for (more, before) in since.answers.as_flattened_mut().iter_mut().zip(before.answers.as_flattened()) {
            *more = more.saturating_sub(*before);
        }
        since
    }
}

/// The place of this thread.
fn place() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static PLACE: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    PLACE.with(|place| *place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_thread_counts_it_is_counted_once() {
        let meter = Meter::new("site", "/", 3);
        std::thread::scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        meter.answered(StatusCode::OK, Outcome::Hit, 10, Duration::from_millis(1));
                    }
                });
            }
        });
        let reading = meter.reading();
        assert_eq!((reading.count(), reading.of(Outcome::Hit), reading.of_class(2)), (5000, 5000, 5000));
        assert_eq!((reading.bytes, reading.latency.count()), (50_000, 5000));
    }

    #[test]
    fn the_hit_ratio_leaves_out_what_the_cache_had_no_say_in() {
        let meter = Meter::new("site", "/", 1);
        assert_eq!(meter.reading().hit_ratio(), None);
        for outcome in
            [Outcome::Hit, Outcome::Stale, Outcome::Hit, Outcome::Miss, Outcome::Passed, Outcome::Limited]
        {
            meter.answered(StatusCode::OK, outcome, 0, Duration::ZERO);
        }
        assert_eq!(meter.reading().hit_ratio(), Some(0.75));
    }
}
