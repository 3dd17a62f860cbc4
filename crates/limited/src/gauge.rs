//! The limits of one policy as one row: what a request for all of them says to the store, and what the row says back.

use std::borrow::Cow;
use std::time::Duration;

use tabletheory_core::expr::{Action, Condition};
use tabletheory_core::{Item, Timestamp};

use crate::algorithm::{self, bucket, log, window};
use crate::decision::Standing;
use crate::error::Error;
use crate::limit::{Limit, Rule};
use crate::state::{State, Step, as_found};
use crate::whole_row;

/// The sort key of a row that holds the state of several limits, or of one that is not a plain window.
pub(crate) const STATE: &str = "STATE";
/// For so long after its last use a row is kept, beside what it needs.
const KEPT_S: i64 = 3_600;
/// A window's row is kept for so long after it began, as the seed's are, or for so long after it ended.
const WINDOW_KEPT_S: i64 = 7_200;

/// A limit, and the attributes it has in the row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Gauge {
    limit: Limit,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Bucket(String),
    Log(String),
    Window(window::Names),
    /// The row is the window: the seed's `Count`.
    WholeRow,
}

/// The limits of one policy, or of an override of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gauges {
    gauges: Vec<Gauge>,
    retention_s: i64,
}

/// What is known about each limit, in their order.
pub(crate) type States = Vec<Option<State>>;

/// What the store is asked for all limits together.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) condition: Option<Condition>,
    pub(crate) actions: Vec<Action>,
    /// Whether the condition is false if there is no row.
    pub(crate) finds_row: bool,
    /// Whether all limits go on with what is there, so that the next request can expect the same.
    pub(crate) is_steady: bool,
}

impl Gauges {
    pub(crate) fn new(limits: &[Limit]) -> Self {
        let is_alone = limits.len() == 1;
        let gauges: Vec<Gauge> = limits.iter().map(|limit| Gauge::new(*limit, is_alone)).collect();
        let longest = limits.iter().map(|limit| {
            let fill_s =
                limit.interval_ns().saturating_mul(i64::try_from(limit.capacity()).unwrap_or(i64::MAX))
                    / 1_000_000_000;
            (limit.period_ms() / 1_000).saturating_mul(2).max(fill_s)
        });
        let retention_s = longest.max().unwrap_or(0).saturating_add(KEPT_S);
        Self { gauges, retention_s }
    }

    pub(crate) fn limits(&self) -> impl Iterator<Item = Limit> {
        self.gauges.iter().map(|gauge| gauge.limit)
    }

    /// Whether one of them is a log.
    pub(crate) fn has_log(&self) -> bool {
        self.gauges.iter().any(|gauge| matches!(gauge.place, Place::Log(_)))
    }

    /// Whether a window has a row of its own, in the seed's shape.
    pub(crate) fn is_window_row(&self) -> bool {
        matches!(self.gauges.as_slice(), [Gauge { place: Place::WholeRow, .. }])
    }

    /// The row's sort key, and when the store may forget it, in seconds since 1970.
    pub(crate) fn row_at(&self, now: Timestamp) -> (Cow<'static, str>, i64) {
        match self.gauges.as_slice() {
            [gauge] if gauge.place == Place::WholeRow => {
                let (start_ms, end_ms) = window::around(&gauge.limit, now);
                let expires_s = (end_ms / 1_000).saturating_add(WINDOW_KEPT_S);
                (whole_row::window_time(&gauge.limit, start_ms).into(), expires_s)
            }
            _ => (STATE.into(), now.seconds().saturating_add(self.retention_s)),
        }
    }

    /// Whether a row that may be forgotten at this second is to be kept for longer. Not with every request: each attribute costs.
    pub(crate) fn is_kept(&self, kept_until_s: i64, now: Timestamp) -> bool {
        let enough_s = if self.is_window_row() { 0 } else { self.retention_s - KEPT_S / 2 };
        kept_until_s >= now.seconds().saturating_add(enough_s)
    }

    /// Whether a cost can ever be allowed.
    pub(crate) fn check_cost(&self, cost: u64) -> Result<(), Error> {
        if cost == 0 {
            return Err(Error::NoCost);
        }
        match self.gauges.iter().find(|gauge| gauge.limit.capacity() < cost) {
            None => Ok(()),
            Some(Gauge { limit, .. }) => {
                Err(Error::CostAboveLimit { cost, capacity: limit.capacity(), limit: limit.text() })
            }
        }
    }

    /// The most that can be allowed at once.
    pub(crate) fn capacity(&self) -> u64 {
        self.limits().map(|limit| limit.capacity()).min().unwrap_or(u64::MAX)
    }

    /// What the store is asked. The condition holds if the row is what was guessed and, if `bounded`, has room; then the actions
    /// count the request.
    pub(crate) fn ask(&self, guess: &[Option<State>], now: Timestamp, cost: u64, bounded: bool) -> Question {
        self.question(guess, |gauge, guess| gauge.step(guess, now, cost, bounded))
    }

    /// What the store is asked to give back what was counted at `charged_at`, after which `charged` was counted. Without actions there
    /// is nothing left to give.
    pub(crate) fn give_back(
        &self,
        known: &[Option<State>],
        charged: &[Option<State>],
        charged_at: Timestamp,
        now: Timestamp,
        amount: u64,
    ) -> Question {
        let mut charged = charged.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        self.question(known, |gauge, known| {
            let charged = charged.next().flatten();
            gauge.give_back(known, charged, charged_at, now, amount)
        })
    }

    fn question(
        &self,
        states: &[Option<State>],
        mut step: impl FnMut(&Gauge, Option<&State>) -> Step,
    ) -> Question {
        let mut question =
            Question { condition: None, actions: Vec::new(), finds_row: false, is_steady: true };
        for (position, gauge) in self.gauges.iter().enumerate() {
            let state = states.get(position).and_then(Option::as_ref);
            let Step { condition, actions, finds_row } = step(gauge, state);
            question.finds_row |= finds_row;
            question.is_steady &= finds_row;
            question.condition = match (question.condition, condition) {
                (Some(all), Some(one)) => Some(all.and(one)),
                (all, one) => all.or(one),
            };
            // Most policies have one limit, and then its actions are the question's.
            if question.actions.is_empty() {
                question.actions = actions;
            } else {
                question.actions.extend(actions);
            }
        }
        question
    }

    /// What the row says. After a write, what the write did not change is as it was guessed.
    pub(crate) fn read(&self, item: &Item, guess: &[Option<State>], now: Timestamp) -> States {
        let read = |(position, gauge): (usize, &Gauge)| {
            let guess = guess.get(position).and_then(Option::as_ref);
            gauge.read(item, guess, now).or_else(|| guess.cloned())
        };
        self.gauges.iter().enumerate().map(read).collect()
    }

    /// What is counted with this request, or how long until all limits would allow it.
    pub(crate) fn judge(
        &self,
        states: &[Option<State>],
        now: Timestamp,
        cost: u64,
    ) -> Result<States, Duration> {
        let mut wait = None;
        let mut next = States::with_capacity(self.gauges.len());
        for (gauge, state) in self.zip(states) {
            match algorithm::judge(&gauge.limit, state, now, cost) {
                Ok(state) => next.push(Some(state)),
                Err(span) => wait = wait.max(Some(span)),
            }
        }
        wait.map_or(Ok(next), Err)
    }

    /// Whether some limit does not allow this request.
    pub(crate) fn denies(&self, states: &[Option<State>], now: Timestamp, cost: u64) -> bool {
        self.zip(states).any(|(gauge, state)| algorithm::judge(&gauge.limit, state, now, cost).is_err())
    }

    /// How each limit stands. With a cost that is denied, those that deny it are marked, and it is said how long until all of them
    /// would allow it.
    pub(crate) fn standings(
        &self,
        states: &[Option<State>],
        now: Timestamp,
        denied: Option<u64>,
    ) -> (Vec<Standing>, Option<Duration>) {
        let mut wait = None;
        let stand = |(gauge, state): (&Gauge, Option<&State>)| {
            let refusal = denied.and_then(|cost| algorithm::judge(&gauge.limit, state, now, cost).err());
            wait = wait.max(refusal);
            Standing { violated: refusal.is_some(), ..algorithm::standing(&gauge.limit, state, now) }
        };
        let standings = self.zip(states).map(stand).collect();
        (standings, wait)
    }

    /// How much could be taken now by all limits.
    pub(crate) fn remaining(&self, states: &[Option<State>], now: Timestamp) -> u64 {
        let remaining =
            self.zip(states).map(|(gauge, state)| algorithm::standing(&gauge.limit, state, now).remaining);
        remaining.min().unwrap_or(0)
    }

    /// Until when units that are charged now may be spent: to the end of the earliest window, or for a moment of a bucket.
    pub(crate) fn spendable_until_ms(&self, states: &[Option<State>], now: Timestamp, bucket_ms: i64) -> i64 {
        let ends = self.zip(states).map(|(gauge, state)| match gauge.limit.rule() {
            Rule::Bucket { .. } | Rule::SlidingLog => now.millis().saturating_add(bucket_ms),
            _ => window::end_ms(&gauge.limit, state, now),
        });
        ends.min().unwrap_or(i64::MIN)
    }

    fn zip<'a>(
        &'a self,
        states: &'a [Option<State>],
    ) -> impl Iterator<Item = (&'a Gauge, Option<&'a State>)> {
        let known = states.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        self.gauges.iter().zip(known)
    }
}

impl Gauge {
    fn new(limit: Limit, is_alone: bool) -> Self {
        let place = match limit.rule() {
            Rule::Bucket { .. } => Place::Bucket(limit.mark()),
            Rule::SlidingLog => Place::Log(limit.mark()),
            Rule::FixedWindow | Rule::Quota if is_alone => Place::WholeRow,
            Rule::FixedWindow | Rule::SlidingWindow | Rule::Quota => {
                Place::Window(window::Names::of(&limit.mark()))
            }
        };
        Self { limit, place }
    }

    fn step(&self, guess: Option<&State>, now: Timestamp, cost: u64, bounded: bool) -> Step {
        if let Some(State::Damaged(found)) = guess {
            return Step::begin(as_found(found), self.begin(now, cost));
        }
        match &self.place {
            Place::Bucket(attribute) => bucket::step(&self.limit, attribute, guess, now, cost, bounded),
            Place::Log(attribute) => log::step(&self.limit, attribute, guess, now, cost, bounded),
            Place::Window(names) => window::step(&self.limit, names, guess, now, cost, bounded),
            Place::WholeRow => whole_row::step(&self.limit, guess, now, cost, bounded),
        }
    }

    /// Counts as the first request of all, whatever there is.
    fn begin(&self, now: Timestamp, cost: u64) -> Vec<Action> {
        match &self.place {
            Place::WholeRow => vec![whole_row::begin(cost)],
            _ => self.step(None, now, cost, false).actions,
        }
    }

    fn give_back(
        &self,
        known: Option<&State>,
        charged: Option<&State>,
        charged_at: Timestamp,
        now: Timestamp,
        amount: u64,
    ) -> Step {
        match &self.place {
            Place::Bucket(attribute) => {
                bucket::give_back(&self.limit, attribute, known, charged, now, amount)
            }
            Place::Log(attribute) => log::give_back(attribute, known, charged_at, amount),
            Place::Window(names) => window::give_back(&self.limit, names, known, charged, amount),
            Place::WholeRow => whole_row::give_back(amount),
        }
    }

    fn read(&self, item: &Item, guess: Option<&State>, now: Timestamp) -> Option<State> {
        match &self.place {
            Place::Bucket(attribute) => bucket::read(item, attribute),
            Place::Log(attribute) => log::read(item, attribute),
            Place::Window(names) => window::read(&self.limit, item, names, guess),
            Place::WholeRow => whole_row::read(&self.limit, item, now),
        }
    }
}
