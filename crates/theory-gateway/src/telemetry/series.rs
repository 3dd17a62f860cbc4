//! What happened over time: one sample for each ten seconds of half an hour, and for each minute of three hours. A sample is
//! the difference of two readings, so whoever answers requests knows nothing of it.

use std::collections::VecDeque;
use std::time::Duration;

use tabletheory_core::Timestamp;

use super::meter::Reading;
use super::outcome::Outcome;

const SAMPLES_MAX: usize = 180;
const SHORT_MS: i64 = 10_000;
const LONG_MS: i64 = 60_000;

/// Everything that is drawn over time, counted since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) answers: Reading,
    pub(super) rendered: u64,
    pub(super) failed: u64,
}

/// What happened in a span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its beginning.
    pub start: Timestamp,
    /// Its length in milliseconds.
    pub span_ms: i64,
    /// How many requests had each outcome, in the order of [`Outcome::ALL`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// How many were answered with a status of 500 or more.
    pub errors: u64,
    /// Bytes of bodies that were sent.
    pub bytes: u64,
    /// How many renders ended well.
    pub rendered: u64,
    /// How many renders failed.
    pub failed: u64,
    /// The times that half, 95 % and 99 % of answers did not exceed.
    pub quantiles: Option<[Duration; 3]>,
}

/// One row of samples.
#[derive(Debug)]
struct Row {
    step_ms: i64,
    samples: VecDeque<Sample>,
    since: Timestamp,
    before: Totals,
}

/// The samples.
#[derive(Debug)]
pub(super) struct Series {
    rows: [Row; 2],
}

impl Sample {
    fn of(start: Timestamp, end: Timestamp, before: &Totals, after: &Totals) -> Self {
        let answers = after.answers.since(&before.answers);
        let quantile = |part| answers.latency.quantile(part);
        let quantiles = match (quantile(0.5), quantile(0.95), quantile(0.99)) {
            (Some(half), Some(most), Some(nearly_all)) => Some([half, most, nearly_all]),
            _ => None,
        };
        Self {
            start,
            span_ms: end.millis().saturating_sub(start.millis()).max(1),
            outcomes: Outcome::ALL.map(|outcome| answers.of(outcome)),
            errors: answers.of_class(5),
            bytes: answers.bytes,
            rendered: after.rendered.saturating_sub(before.rendered),
            failed: after.failed.saturating_sub(before.failed),
            quantiles,
        }
    }
}

impl Row {
    fn new(step_ms: i64, now: Timestamp) -> Self {
        Self { step_ms, samples: VecDeque::new(), since: now, before: Totals::default() }
    }

    fn tick(&mut self, now: Timestamp, totals: &Totals) {
        let step = |at: Timestamp| at.millis().div_euclid(self.step_ms);
        // A clock that was set back must not stop the plots until it has caught up.
        if now < self.since {
            self.since = now;
        } else if step(now) != step(self.since) {
            if self.samples.len() >= SAMPLES_MAX {
                self.samples.pop_front();
            }
            self.samples.push_back(Sample::of(self.since, now, &self.before, totals));
            (self.since, self.before) = (now, totals.clone());
        }
    }

    /// The samples, and what happened since the last.
    fn all(&self, now: Timestamp, totals: &Totals) -> Vec<Sample> {
        let running = Sample::of(self.since, now, &self.before, totals);
        // Less than two seconds say little about a rate.
        self.samples.iter().cloned().chain((running.span_ms >= 2000).then_some(running)).collect()
    }
}

impl Series {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { rows: [Row::new(SHORT_MS, now), Row::new(LONG_MS, now)] }
    }

    /// Time has passed.
    pub(super) fn tick(&mut self, now: Timestamp, totals: &Totals) {
        self.rows.iter_mut().for_each(|row| row.tick(now, totals));
    }

    /// The samples of ten seconds, and those of a minute.
    pub(super) fn read(&self, now: Timestamp, totals: &Totals) -> [Vec<Sample>; 2] {
        [&self.rows[0], &self.rows[1]].map(|row| row.all(now, totals))
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::super::meter::Meter;
    use super::*;

    fn totals(meter: &Meter) -> Totals {
        Totals { answers: meter.reading(), ..Totals::default() }
    }

    #[test]
    fn each_answer_is_in_one_sample() {
        let meter = Meter::new("site", "/", 1);
        let at = Timestamp::from_seconds;
        let mut series = Series::new(at(1000));
        for second in 1..=95 {
            meter.answered(StatusCode::OK, Outcome::Hit, 1, Duration::from_millis(2));
            series.tick(at(1000 + second), &totals(&meter));
        }
        let [short, long] = series.read(at(1095), &totals(&meter));
        for (samples, count) in [(&short, 10), (&long, 3)] {
            assert_eq!(samples.len(), count);
            assert_eq!(samples.iter().map(|sample| sample.outcomes[0]).sum::<u64>(), 95);
        }
        assert!(short[0].quantiles.is_some_and(|[half, ..]| half >= Duration::from_millis(1)));
    }

    #[test]
    fn samples_are_bounded_and_a_clock_that_goes_back_stops_nothing() {
        let meter = Meter::new("site", "/", 1);
        let at = Timestamp::from_seconds;
        let mut series = Series::new(at(0));
        for second in (0..4000).step_by(10) {
            series.tick(at(second), &totals(&meter));
        }
        series.tick(at(100), &totals(&meter));
        meter.answered(StatusCode::OK, Outcome::Hit, 1, Duration::ZERO);
        series.tick(at(111), &totals(&meter));
        let [short, _] = series.read(at(111), &totals(&meter));
        assert_eq!(short.len(), SAMPLES_MAX);
        assert_eq!(short[SAMPLES_MAX - 1].outcomes[0], 1);
    }
}
