//! What speaks with the store: one call counts a request, or says why not. A second call is only made if the row was not what this
//! process expected; the first one's answer says what it is.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tabletheory::attribute::Attribute;
use tabletheory_core::expr::{Action, Update};
use tabletheory_core::store::op::{
    DeleteItem, GetItem, OnConditionFailure, ReturnValues, UpdateItem, WriteReturns,
};
use tabletheory_core::{Clock, Item, Store, StoreError, StoreExt, Timestamp, Value};

use crate::gauge::{Gauges, Question, States};
use crate::limit::LOG_MAX;
use crate::memory::{Memory, Remembered};
use crate::state::{set, set_once};
use crate::subject::{Subject, bounded};
use crate::tally::Tally;
use crate::timeout::within;

/// As often as a row may turn out to be something else than the store had just said. A log is lost only to somebody who was counted,
/// so after as many attempts as the longest has moments it is won or full.
const ATTEMPTS_MAX: u64 = LOG_MAX + 28;

/// A row: its partition, and its limits.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) partition: String,
    pub(crate) gauges: Arc<Gauges>,
}

/// Without the partition: it says who somebody is.
impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("gauges", &self.gauges).finish_non_exhaustive()
    }
}

/// What became of a request to count.
#[derive(Debug)]
pub(crate) enum Counted {
    /// It was counted, and this is what is counted now.
    Taken(Arc<States>, Timestamp),
    /// There was no room, and this is what was counted.
    Full(Arc<States>, Timestamp),
}

/// When something was counted, and what was counted then with it.
#[derive(Debug)]
pub(crate) struct Charge {
    pub(crate) at: Timestamp,
    pub(crate) states: Arc<States>,
}

impl Counted {
    /// The charge, if there was one.
    pub(crate) fn charged(&self) -> Option<Charge> {
        match self {
            Self::Taken(states, now) => Some(Charge { at: *now, states: Arc::clone(states) }),
            Self::Full(..) => None,
        }
    }
}

/// Speaks with the store.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) table: String,
    pub(crate) timeout: Duration,
    pub(crate) memory: Memory,
    pub(crate) tally: Arc<Tally>,
}

impl Counter {
    /// Counts a request, if there is room or it is not `bounded`.
    pub(crate) async fn count(
        &self,
        row: &Row,
        remembered: &Remembered,
        subject: Option<Subject<'_>>,
        cost: u64,
        bounded: bool,
    ) -> Result<Counted, StoreError> {
        let mut guess = remembered.expected();
        for _ in 0..ATTEMPTS_MAX {
            let now = self.clock.now();
            let question = row.gauges.ask(&guess, now, cost, bounded);
            // Whoever asks next, before the answer is here, expects to find a row that this request has begun.
            if !question.is_steady
                && let Ok(next) = row.gauges.judge(&guess, now, cost)
            {
                remembered.expect(next);
            }
            // In a box, so that a decision from memory does not carry the room that asking takes.
            match Box::pin(self.write(row, remembered, subject, question, now)).await? {
                Written::Done(item) => {
                    let states = Arc::new(row.gauges.read(&item, &guess, now));
                    remembered.heard(&states, now);
                    return Ok(Counted::Taken(states, now));
                }
                Written::Refused(item) => {
                    guess = Arc::new(row.gauges.read(&item, &[], now));
                    remembered.heard(&guess, now);
                    if bounded && row.gauges.denies(&guess, now, cost) {
                        return Ok(Counted::Full(guess, now));
                    }
                }
            }
        }
        Err(StoreError::TransactionConflict("the row of a rate limit changed again and again".to_owned()))
    }

    /// Gives back what was counted by a charge, as far as it still counts.
    pub(crate) async fn give_back(&self, row: &Row, charge: &Charge, amount: u64) -> Result<(), StoreError> {
        let remembered = self.memory.of(&row.partition, &row.gauges);
        let mut known = Arc::clone(&charge.states);
        let is_window_row = row.gauges.is_window_row();
        for _ in 0..ATTEMPTS_MAX {
            let now = self.clock.now();
            let question = row.gauges.give_back(&known, &charge.states, charge.at, now, amount);
            if question.actions.is_empty() {
                return Ok(());
            }
            // A window's row is the one that the request was counted in. Any other is kept from now on, and not from then.
            let at = if is_window_row { charge.at } else { now };
            match self.write(row, &remembered, None, question, at).await? {
                Written::Done(item) => {
                    remembered.heard(&Arc::new(row.gauges.read(&item, &known, at)), now);
                    return Ok(());
                }
                Written::Refused(item) if is_window_row || item.is_empty() => return Ok(()),
                Written::Refused(item) => known = Arc::new(row.gauges.read(&item, &[], at)),
            }
        }
        Err(StoreError::TransactionConflict("the row of a rate limit changed again and again".to_owned()))
    }

    /// What is counted now.
    pub(crate) async fn read(&self, row: &Row) -> Result<(Arc<States>, Timestamp), StoreError> {
        let now = self.clock.now();
        let (window_time, _) = row.gauges.row_at(now);
        let item = self.look(key(&row.partition, &window_time)).await?;
        Ok((Arc::new(row.gauges.read(&item, &[], now)), now))
    }

    /// Forgets what is counted now.
    pub(crate) async fn reset(&self, row: &Row) -> Result<(), StoreError> {
        let (window_time, _) = row.gauges.row_at(self.clock.now());
        let key = key(&row.partition, &window_time);
        let delete = DeleteItem { table: self.table.clone(), key, ..DeleteItem::default() };
        self.answer(self.store.delete_item(delete)).await.map(drop)
    }

    async fn write(
        &self,
        row: &Row,
        remembered: &Remembered,
        subject: Option<Subject<'_>>,
        question: Question,
        now: Timestamp,
    ) -> Result<Written, StoreError> {
        let (window_time, expires_s) = row.gauges.row_at(now);
        let Question { condition, mut actions, finds_row, is_steady: _ } = question;
        let is_described = finds_row && row.gauges.is_kept(remembered.kept_until_s(), now);
        if !is_described {
            describe(&mut actions, row, subject, now, expires_s);
        }
        if row.gauges.is_window_row() {
            actions.push(set("UpdatedAt", moment(now)));
        }
        let update = UpdateItem {
            table: self.table.clone(),
            key: key(&row.partition, &window_time),
            update: Some(Update { actions }),
            condition,
            returns: WriteReturns {
                values: ReturnValues::UpdatedNew,
                on_condition_failure: OnConditionFailure::AllOld,
                ..WriteReturns::default()
            },
        };
        self.tally.called();
        match self.answer(self.store.update_item(update)).await {
            Ok(output) => {
                if !is_described {
                    remembered.keep_until(expires_s);
                }
                Ok(Written::Done(output.attributes.unwrap_or_default()))
            }
            Err(StoreError::ConditionalCheckFailed { item: Some(item) }) => Ok(Written::Refused(*item)),
            // An old endpoint does not say what it found.
            Err(StoreError::ConditionalCheckFailed { item: None }) => {
                self.tally.called();
                self.look(key(&row.partition, &window_time)).await.map(Written::Refused)
            }
            Err(error) => Err(error),
        }
    }

    /// The answer of a call, or that there was none in time.
    async fn answer<T>(&self, call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        within(self.timeout, call).await.unwrap_or(Err(StoreError::DeadlineExceeded { sent: true }))
    }

    async fn look(&self, key: Item) -> Result<Item, StoreError> {
        let get = GetItem { table: self.table.clone(), key, consistent: true, ..GetItem::default() };
        Ok(self.answer(self.store.get_item(get)).await?.item.unwrap_or_default())
    }
}

enum Written {
    Done(Item),
    Refused(Item),
}

fn key(partition: &str, window_time: &str) -> Item {
    Item::from([("Identifier", Value::s(partition)), ("WindowTime", Value::s(window_time))])
}

/// What a row says beside its counts. One with a window of its own is the seed's, moments and all.
fn describe(
    actions: &mut Vec<Action>,
    row: &Row,
    subject: Option<Subject<'_>>,
    now: Timestamp,
    expires_s: i64,
) {
    if row.gauges.is_window_row() {
        actions.push(set_once("ExpiresAt", Value::n(expires_s)));
        actions.push(set_once("CreatedAt", moment(now)));
        actions.push(set_once("BucketKey", Value::s(&*row.partition)));
    } else {
        actions.push(set("ExpiresAt", Value::n(expires_s)));
    }
    let Some(Subject { tenant, user, address, .. }) = subject else { return };
    for (name, value) in [("TenantID", tenant), ("UserID", user), ("IPAddress", address)] {
        // An index refuses a key that is empty or too long.
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            actions.push(set_once(name, Value::s(bounded(value))));
        }
    }
}

fn moment(now: Timestamp) -> Value {
    let moment = jiff::Timestamp::from_millisecond(now.millis()).unwrap_or(jiff::Timestamp::MAX);
    moment.to_value().unwrap_or(Value::Null)
}
