//! What the rules mean, told another way than the limiter does it: buckets as a level in exact fractions, windows and logs as lists
//! of all that was admitted.

use limited::{Calendar, Limit, Rule};
use tabletheory_core::Timestamp;

const NS_PER_MS: i128 = 1_000_000;

/// The limits of a policy.
#[derive(Debug)]
pub(crate) struct Models(Vec<Model>);

impl Models {
    pub(crate) fn of(limits: &[Limit]) -> Self {
        Self(limits.iter().map(Model::new).collect())
    }

    /// How much could be taken of each.
    pub(crate) fn remaining(&mut self, now_ms: i64) -> Vec<u64> {
        self.0.iter_mut().map(|model| model.room(now_ms)).collect()
    }

    /// Takes from all of them, or from none.
    pub(crate) fn take(&mut self, now_ms: i64, cost: u64) -> bool {
        let has_room = self.0.iter_mut().all(|model| model.room(now_ms) >= cost);
        if has_room {
            self.0.iter_mut().for_each(|model| model.take(now_ms, cost));
        }
        has_room
    }
}

#[derive(Debug)]
struct Model {
    limit: Limit,
    /// All that was admitted, when and how much.
    admitted: Vec<(i64, u64)>,
    /// Of a bucket: how long it has been filling, in nanoseconds; full at first.
    level_ns: i128,
    seen_ms: i64,
}

impl Model {
    fn new(limit: &Limit) -> Self {
        Self { limit: *limit, admitted: Vec::new(), level_ns: full_ns(limit), seen_ms: 0 }
    }

    fn room(&mut self, now_ms: i64) -> u64 {
        let limit = self.limit;
        match limit.rule() {
            Rule::Bucket { .. } => {
                let passed_ns = i128::from(now_ms - self.seen_ms) * NS_PER_MS;
                self.level_ns = (self.level_ns + passed_ns).min(full_ns(&limit));
                self.seen_ms = now_ms;
                u64::try_from(self.level_ns / unit_ns(&limit)).unwrap()
            }
            Rule::FixedWindow | Rule::Quota => {
                let (start, end) = window(&limit, now_ms);
                limit.amount() - self.between(start, end)
            }
            Rule::SlidingLog => limit.amount() - self.between(now_ms - period_ms(&limit) + 1, now_ms + 1),
            Rule::SlidingWindow => {
                let (start, end) = window(&limit, now_ms);
                let length = i128::from(end - start);
                let count = i128::from(self.between(start, end));
                let before = i128::from(self.between(start - (end - start), start));
                // count × length + before × covered + cost × length ≤ amount × length, solved for the cost.
                let free = (i128::from(limit.amount()) - count) * length - before * i128::from(end - now_ms);
                u64::try_from(free.div_euclid(length).max(0)).unwrap()
            }
        }
    }

    fn take(&mut self, now_ms: i64, cost: u64) {
        self.admitted.push((now_ms, cost));
        if let Rule::Bucket { .. } = self.limit.rule() {
            self.level_ns -= i128::from(cost) * unit_ns(&self.limit);
        }
    }

    fn between(&self, from_ms: i64, to_ms: i64) -> u64 {
        let counts = |(at, _): &&(i64, u64)| (from_ms..to_ms).contains(at);
        self.admitted.iter().filter(counts).map(|(_, cost)| cost).sum()
    }
}

fn period_ms(limit: &Limit) -> i64 {
    i64::try_from(limit.period().as_millis()).unwrap()
}

/// How long a unit takes to come back: whole nanoseconds, which is what the limiter promises to be slower by, at most.
fn unit_ns(limit: &Limit) -> i128 {
    let (period, amount) = (i128::try_from(limit.period().as_nanos()).unwrap(), i128::from(limit.amount()));
    (period + amount - 1) / amount
}

fn full_ns(limit: &Limit) -> i128 {
    unit_ns(limit) * i128::from(limit.capacity())
}

fn window(limit: &Limit, now_ms: i64) -> (i64, i64) {
    let text = limit.text();
    let calendars = [Calendar::Hour, Calendar::Day, Calendar::Week, Calendar::Month, Calendar::Year];
    let named = |calendar: &&Calendar| text.ends_with(&format!("/{} quota", calendar.name()));
    if let Some(calendar) = calendars.iter().find(named) {
        let (start, end) = calendar.around(Timestamp::from_millis(now_ms));
        return (start.millis(), end.millis());
    }
    let period = period_ms(limit);
    let number = now_ms.div_euclid(period);
    (number * period, (number + 1) * period)
}

/// Asserts that in any time t no more was admitted than rate × (t + extra) + burst, in exact fractions.
pub(crate) fn assert_within(limit: &Limit, extra_ms: i64, admitted: &[(i64, u64)]) {
    let (amount, period_ns) =
        (i128::from(limit.amount()), i128::try_from(limit.period().as_nanos()).unwrap());
    let allowed = i128::from(limit.capacity()) * period_ns + i128::from(extra_ms) * NS_PER_MS * amount;
    // Admitted up to now less what the rate gives up to now, times the period: between two moments it never grows by more than
    // what is allowed.
    let (mut balance, mut lowest, mut last_ms) =
        (0_i128, 0_i128, admitted.first().map_or(0, |first| first.0));
    for (at_ms, cost) in admitted {
        balance -= i128::from(at_ms - last_ms) * NS_PER_MS * amount;
        lowest = lowest.min(balance);
        balance += i128::from(*cost) * period_ns;
        last_ms = *at_ms;
        assert!(
            balance - lowest <= allowed,
            "{}: more than its rate and burst by {} units up to {at_ms}",
            limit.text(),
            (balance - lowest - allowed) / period_ns
        );
    }
}

/// The most that was admitted in any period.
pub(crate) fn most_in_a_period(limit: &Limit, admitted: &[(i64, u64)]) -> u64 {
    let (mut most, mut sum, mut first) = (0, 0, 0);
    for (at_ms, cost) in admitted {
        sum += cost;
        while admitted[first].0 <= at_ms - period_ms(limit) {
            sum -= admitted[first].1;
            first += 1;
        }
        most = most.max(sum);
    }
    most
}
