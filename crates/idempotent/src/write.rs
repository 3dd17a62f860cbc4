//! The writes that the protocol is made of: one conditional write of one row for each step.

use tabletheory::Db;
use tabletheory::db::{Delete, Update};
use tabletheory::field::Change;
use tabletheory_core::Timestamp;

use crate::moment;
use crate::record::{IdempotencyRecord as Row, Status};
use crate::rule::{self, Claimant, Silent};

/// A claim as it is written.
#[derive(Debug, Clone)]
pub(crate) struct Claiming {
    pub(crate) row_key: String,
    pub(crate) function: Option<String>,
    pub(crate) tenant: Option<String>,
    pub(crate) hash: String,
    pub(crate) body: Option<String>,
    pub(crate) token: String,
    pub(crate) now: Timestamp,
    pub(crate) locked_until: String,
    pub(crate) expires_at: i64,
}

impl Claiming {
    pub(crate) fn claimant(&self) -> Claimant<'_> {
        Claimant { hash: &self.hash, token: &self.token, now: self.now, locked_until: &self.locked_until }
    }
}

/// Claims a record.
pub(crate) fn claim(db: &Db, claiming: &Claiming, reexecute: bool) -> Update<Row> {
    begin(db, claiming).when(rule::may_claim(&claiming.claimant(), reexecute))
}

/// Claims the record of an attempt that was seen to be silent.
pub(crate) fn take_over(db: &Db, claiming: &Claiming, silent: &Silent) -> Update<Row> {
    begin(db, claiming).when(rule::may_take_over(&claiming.claimant(), silent))
}

/// A record in which an attempt begins. What an earlier one left, whose time is over, goes.
fn begin(db: &Db, claiming: &Claiming) -> Update<Row> {
    let now = moment::floor_text(claiming.now);
    let update = db
        .update(Row::key(claiming.row_key.as_str()))
        .change(Row::STATUS.set(Status::Processing))
        .change(Row::TIMESTAMP.set(now.as_str()))
        .change(Row::REQUEST_HASH.set(claiming.hash.as_str()))
        .change(Row::LOCK_TOKEN.set(claiming.token.as_str()))
        .change(Row::LOCKED_UNTIL.set(claiming.locked_until.as_str()))
        .change(Row::EXPIRES_AT.set(claiming.expires_at))
        .change(Row::CREATED_AT.set_if_not_exists(now.as_str()))
        .change(Row::UPDATED_AT.set(now.as_str()))
        .change(Row::ATTEMPT.add(1_u64))
        .change(optional(Row::FUNCTION_NAME.remove(), claiming.function.as_deref(), |name| {
            Row::FUNCTION_NAME.set(name)
        }))
        .change(optional(Row::TENANT_ID.remove(), claiming.tenant.as_deref(), |name| {
            Row::TENANT_ID.set(name)
        }))
        .change(optional(Row::REQUEST_BODY.remove(), claiming.body.as_deref(), |body| {
            Row::REQUEST_BODY.set(body)
        }))
        .change(Row::FAILED_FOR_GOOD.remove());
    unanswered().into_iter().fold(update, Update::change).or_create()
}

fn optional<'t>(
    missing: Change<Row>,
    text: Option<&'t str>,
    set: impl FnOnce(&'t str) -> Change<Row>,
) -> Change<Row> {
    text.map_or(missing, set)
}

/// Without an answer.
fn unanswered() -> [Change<Row>; 8] {
    [
        Row::RESPONSE.remove(),
        Row::STATUS_CODE.remove(),
        Row::COMPLETED_AT.remove(),
        Row::RESPONSE_HEADERS.remove(),
        Row::RESPONSE_BYTES.remove(),
        Row::RESPONSE_KEY.remove(),
        Row::RESPONSE_LENGTH.remove(),
        Row::RESPONSE_SHA256.remove(),
    ]
}

/// What an attempt writes into its own record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own<'a> {
    pub(crate) row_key: &'a str,
    pub(crate) token: &'a str,
    pub(crate) now: Timestamp,
    pub(crate) expires_at: i64,
}

/// Makes the lock longer, and the record with it: it must not be over while it is locked.
pub(crate) fn extend(db: &Db, own: Own<'_>, locked_until: &str) -> Update<Row> {
    db.update(Row::key(own.row_key))
        .change(Row::LOCKED_UNTIL.set(locked_until))
        .change(Row::EXPIRES_AT.set(own.expires_at))
        .when(rule::may_extend(own.token, locked_until))
}

/// Ends the lock and leaves the record as it is: the next who comes finds an orphan.
pub(crate) fn abandon(db: &Db, own: Own<'_>) -> Update<Row> {
    let over = moment::floor_text(Timestamp::from_seconds(own.now.seconds().saturating_sub(2)));
    db.update(Row::key(own.row_key)).change(Row::LOCKED_UNTIL.set(over)).when(rule::is_at_work(own.token))
}

/// Writes the answer down. The token stays: it tells whose answer it is.
pub(crate) fn complete(db: &Db, own: Own<'_>, status: u16, answer: Vec<Change<Row>>) -> Update<Row> {
    let now = moment::floor_text(own.now);
    let update = db
        .update(Row::key(own.row_key))
        .change(Row::STATUS.set(Status::Completed))
        .change(Row::STATUS_CODE.set(status))
        .change(Row::COMPLETED_AT.set(now.as_str()))
        .change(Row::UPDATED_AT.set(now.as_str()))
        .change(Row::EXPIRES_AT.set(own.expires_at))
        .change(Row::LOCKED_UNTIL.remove())
        .when(rule::is_at_work(own.token));
    answer.into_iter().fold(update, Update::change)
}

/// Writes down that it failed.
pub(crate) fn fail(db: &Db, own: Own<'_>, for_good: bool) -> Update<Row> {
    let update = db
        .update(Row::key(own.row_key))
        .change(Row::STATUS.set(Status::Failed))
        .change(Row::UPDATED_AT.set(moment::floor_text(own.now)))
        .change(Row::EXPIRES_AT.set(own.expires_at))
        .change(Row::LOCKED_UNTIL.remove())
        .when(rule::is_at_work(own.token));
    if for_good { update.change(Row::FAILED_FOR_GOOD.set(true)) } else { update }
}

/// Gives the claim back, as if it had never been.
pub(crate) fn release(db: &Db, row_key: &str, token: &str) -> Delete<Row> {
    db.delete(Row::key(row_key)).when(rule::is_at_work(token))
}
