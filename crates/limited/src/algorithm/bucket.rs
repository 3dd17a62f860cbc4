//! The bucket (GCRA): a row keeps the moment at which the bucket is full again. A unit moves it by the time that the unit takes to
//! come back; a request is allowed while the moment is not further away than an empty bucket takes to fill.

use std::time::Duration;

use tabletheory_core::expr::Comparator;
use tabletheory_core::{Item, Timestamp, Value};

use super::stand::stand;
use crate::decision::Standing;
use crate::limit::Limit;
use crate::state::{SKEW_MAX_MS, State, Step, add, between, compare, damaged, moment, set, units};

const NS_PER_MS: i64 = 1_000_000;
/// So many periods ahead a row is believed, and a minute: processes with a larger burst write it while limits change.
const PERIODS_BELIEVED: i64 = 4;

/// The numbers of a bucket at one moment.
struct Bucket {
    now_ns: i64,
    /// How long a unit takes to come back.
    interval_ns: i64,
    /// How long an empty bucket takes to fill.
    fill_ns: i64,
    /// How far ahead a row can be that nobody wrote by mistake.
    believed_ns: i64,
}

impl Bucket {
    fn new(limit: &Limit, burst: u64, now: Timestamp) -> Self {
        let interval_ns = limit.interval_ns();
        let fill_ns = interval_ns.saturating_mul(units(burst));
        let periods_ns = limit.period_ms().saturating_mul(PERIODS_BELIEVED * NS_PER_MS);
        let believed_ns = fill_ns.max(periods_ns).saturating_add(SKEW_MAX_MS * NS_PER_MS);
        Self { now_ns: now.millis().saturating_mul(NS_PER_MS), interval_ns, fill_ns, believed_ns }
    }

    /// What a request of this cost takes.
    fn span_ns(&self, cost: u64) -> i64 {
        self.interval_ns.saturating_mul(units(cost))
    }

    /// Later than this no clock of the fleet can have meant.
    fn believed_until_ns(&self) -> i64 {
        self.now_ns.saturating_add(self.believed_ns)
    }

    /// Whether a row says more than can be. Then one request passes and leaves the bucket empty: a full one would be a present.
    fn is_mistaken(&self, state: Option<&State>) -> bool {
        matches!(state, Some(State::Bucket { full_at_ns }) if *full_at_ns > self.believed_until_ns())
    }

    /// When a bucket that is empty now is full.
    fn filled_at_ns(&self) -> i64 {
        self.now_ns.saturating_add(self.fill_ns)
    }

    /// A debt that goes beyond what is believed would be taken for a mistake, and forgiven: also by a clock that is a little behind.
    fn owed_until_ns(&self) -> i64 {
        self.filled_at_ns().saturating_add(SKEW_MAX_MS / 2 * NS_PER_MS)
    }

    /// When the bucket is full: now, if it is idle.
    fn full_at_ns(&self, state: Option<&State>) -> i64 {
        match state {
            Some(State::Bucket { .. }) if self.is_mistaken(state) => {
                self.filled_at_ns().saturating_sub(self.interval_ns)
            }
            Some(State::Bucket { full_at_ns }) => (*full_at_ns).max(self.now_ns),
            _ => self.now_ns,
        }
    }
}

pub(super) fn judge(
    limit: &Limit,
    burst: u64,
    state: Option<&State>,
    now: Timestamp,
    cost: u64,
) -> Result<State, Duration> {
    let bucket = Bucket::new(limit, burst, now);
    if bucket.is_mistaken(state) {
        return Ok(State::Bucket { full_at_ns: bucket.filled_at_ns() });
    }
    let full_at_ns = bucket.full_at_ns(state).saturating_add(bucket.span_ns(cost));
    let beyond_ns = full_at_ns.saturating_sub(bucket.now_ns).saturating_sub(bucket.fill_ns);
    if beyond_ns > 0 && cost > 0 {
        return Err(Duration::from_nanos(u64::try_from(beyond_ns).unwrap_or(0)));
    }
    Ok(State::Bucket { full_at_ns })
}

pub(super) fn standing(limit: &Limit, burst: u64, state: Option<&State>, now: Timestamp) -> Standing {
    let bucket = Bucket::new(limit, burst, now);
    let empty_ns = bucket.full_at_ns(state).saturating_sub(bucket.now_ns);
    // A unit that has come back in part is not there yet.
    let used = u64::try_from(empty_ns).unwrap_or(0).div_ceil(u64::try_from(bucket.interval_ns).unwrap_or(1));
    let next_ns = if empty_ns == 0 { 0 } else { (empty_ns - 1) % bucket.interval_ns + 1 };
    stand(limit, used, Duration::from_nanos(u64::try_from(next_ns).unwrap_or(0)))
}

/// The store has no maximum, so the request says which case it expects: an idle bucket begins at now, a busy one moves on.
/// Without `bounded` a bucket may go below empty.
pub(crate) fn step(
    limit: &Limit,
    attribute: &str,
    guess: Option<&State>,
    now: Timestamp,
    cost: u64,
    bounded: bool,
) -> Step {
    let bucket = Bucket::new(limit, limit.capacity(), now);
    let mut span_ns = bucket.span_ns(cost);
    if !bounded {
        let room_ns = bucket.owed_until_ns().saturating_sub(bucket.full_at_ns(guess));
        span_ns = span_ns.min(room_ns.max(0));
    }
    if bucket.is_mistaken(guess) {
        let mistaken = compare(attribute, Comparator::Gt, Value::n(bucket.believed_until_ns()));
        return Step::begin(Some(mistaken), vec![set(attribute, Value::n(bucket.filled_at_ns()))]);
    }
    let is_idle = !matches!(guess, Some(State::Bucket { full_at_ns }) if *full_at_ns >= bucket.now_ns);
    if is_idle {
        let busy = compare(attribute, Comparator::Ge, Value::n(bucket.now_ns));
        let full_at_ns = bucket.now_ns.saturating_add(span_ns);
        return Step::begin(Some(!busy), vec![set(attribute, Value::n(full_at_ns))]);
    }
    let latest_ns = match bounded {
        true => bucket.filled_at_ns().saturating_sub(span_ns),
        // Nothing more can be owed.
        false if span_ns == 0 => bucket.believed_until_ns(),
        false => bucket.owed_until_ns().saturating_sub(span_ns),
    };
    Step::onwards(between(attribute, bucket.now_ns, latest_ns), add(attribute, span_ns))
}

/// Gives units back, those that have not come back by themselves since they were taken: the others would be there twice. They
/// were the last to be taken, so what is left of the charge then is left of them.
pub(crate) fn give_back(
    limit: &Limit,
    attribute: &str,
    state: Option<&State>,
    charged: Option<&State>,
    now: Timestamp,
    amount: u64,
) -> Step {
    let bucket = Bucket::new(limit, limit.capacity(), now);
    let left_ns = bucket.full_at_ns(charged).saturating_sub(bucket.now_ns);
    let span_ns = bucket.span_ns(amount).min(left_ns);
    if bucket.full_at_ns(state) == bucket.now_ns || span_ns <= 0 {
        return Step::nothing();
    }
    let busy = compare(attribute, Comparator::Gt, Value::n(bucket.now_ns));
    Step::onwards(busy, add(attribute, span_ns.saturating_neg()))
}

pub(crate) fn read(item: &Item, attribute: &str) -> Option<State> {
    let value = item.get(attribute)?;
    Some(moment(value).map_or_else(|| damaged(item, [attribute]), |full_at_ns| State::Bucket { full_at_ns }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit::per_second(10).burst(3);

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn check(full_at_ms: Option<i64>, now_ms: i64, cost: u64, expected: Result<i64, u64>) {
        let state = full_at_ms.map(|millis| State::Bucket { full_at_ns: millis * NS_PER_MS });
        let said = judge(&LIMIT, 3, state.as_ref(), at(now_ms), cost);
        let expected = expected
            .map(|millis| State::Bucket { full_at_ns: millis * NS_PER_MS })
            .map_err(Duration::from_millis);
        assert_eq!(said, expected, "full at {full_at_ms:?}, {cost} at {now_ms}");
    }

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        check(None, 1_000, 1, Ok(1_100));
        check(None, 1_000, 3, Ok(1_300));
        check(Some(1_200), 1_000, 1, Ok(1_300));
        check(Some(1_300), 1_000, 1, Err(100));
        check(Some(1_300), 1_000, 3, Err(300));
        check(Some(1_300), 1_100, 1, Ok(1_400));
        check(Some(500), 1_000, 1, Ok(1_100));
    }

    #[test]
    fn a_clock_that_was_ahead_by_hours_does_not_close_a_bucket_for_hours() {
        check(Some(3_600_000), 1_000, 1, Ok(1_300));
        check(Some(61_300), 1_000, 1, Err(60_100));
    }

    #[test]
    fn a_bucket_says_how_much_is_left_and_when_there_is_more() {
        let stands = |full_at_ms: i64| {
            let state = State::Bucket { full_at_ns: full_at_ms * NS_PER_MS };
            let standing = standing(&LIMIT, 3, Some(&state), at(1_000));
            (standing.used, standing.remaining, standing.reset_after.as_millis())
        };
        assert_eq!(stands(900), (0, 3, 0));
        assert_eq!(stands(1_100), (1, 2, 100));
        assert_eq!(stands(1_150), (2, 1, 50));
        assert_eq!(stands(1_300), (3, 0, 100));
    }
}
