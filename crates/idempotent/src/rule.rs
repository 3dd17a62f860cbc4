//! The conditions that keep the laws. The writes are guarded by these, and the model of the protocol checks these.

use tabletheory::field::Filter;
use tabletheory_core::Timestamp;

use crate::moment;
use crate::record::{IdempotencyRecord as Row, Status};

/// Who claims, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claimant<'a> {
    pub(crate) hash: &'a str,
    pub(crate) token: &'a str,
    pub(crate) now: Timestamp,
    /// The end of the lock that is asked for.
    pub(crate) locked_until: &'a str,
}

/// What was seen of an attempt whose lock is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Silent {
    pub(crate) token: Option<String>,
    pub(crate) locked_until: Option<String>,
    pub(crate) attempt: u64,
}

/// The record can be claimed: there is none, or it is over, or it is the same request and failed in a way that may be tried
/// again, or its lock is over and orphans are done again, or the claim is ours already because the answer was lost.
///
/// Never over an answer that is not over: no part of this holds for it, whoever asks.
pub(crate) fn may_claim(claimant: &Claimant<'_>, reexecute: bool) -> Filter<Row> {
    let Claimant { hash, token, now, locked_until } = *claimant;
    let expired = Row::EXPIRES_AT.le(now.seconds());
    let failed = Row::STATUS.eq(Status::Failed).and(Row::FAILED_FOR_GOOD.not_exists());
    let again = if reexecute { failed.or(is_silent(now)) } else { failed };
    let same = Row::REQUEST_HASH.eq(hash).and(again);
    // The bound keeps a double that comes late from shortening a lock that was made longer since.
    let ghost = is_at_work(token).and(Row::LOCKED_UNTIL.le(locked_until));
    Row::IDEMPOTENCY_KEY.not_exists().or(expired).or(same).or(ghost)
}

/// An attempt that was seen to be silent is still the one in the record, or the claim is ours already.
pub(crate) fn may_take_over(claimant: &Claimant<'_>, silent: &Silent) -> Filter<Row> {
    let token = match &silent.token {
        Some(token) => Row::LOCK_TOKEN.eq(token.as_str()),
        None => Row::LOCK_TOKEN.not_exists(),
    };
    let locked_until = match &silent.locked_until {
        Some(locked_until) => Row::LOCKED_UNTIL.eq(locked_until.as_str()),
        None => Row::LOCKED_UNTIL.not_exists(),
    };
    let unchanged = Row::STATUS.one_of([Status::Processing, Status::Pending]).and(token).and(locked_until);
    let ghost = is_at_work(claimant.token).and(Row::LOCKED_UNTIL.le(claimant.locked_until));
    Row::REQUEST_HASH.eq(claimant.hash).and(unchanged).or(ghost)
}

/// The lock can be made longer: the attempt is at work, and it never gets shorter.
pub(crate) fn may_extend(token: &str, locked_until: &str) -> Filter<Row> {
    is_at_work(token).and(Row::LOCKED_UNTIL.le(locked_until))
}

/// The attempt is at work: the token is its own, and nothing was answered. The token is the fence: it is random, and it is in
/// the row only until another claims it. Clocks have no say here.
pub(crate) fn is_at_work(token: &str) -> Filter<Row> {
    Row::LOCK_TOKEN.eq(token).and(Row::STATUS.eq(Status::Processing))
}

/// Nobody has been heard of since the lock ended. Only texts with `Z` are compared as texts; see [`moment`]. What another
/// service leaves without a lock is nobody's.
fn is_silent(now: Timestamp) -> Filter<Row> {
    let in_utc = Row::LOCKED_UNTIL.contains("Z");
    let over = in_utc.and(Row::LOCKED_UNTIL.lt(moment::over_before_text(now)));
    let open = Row::STATUS.one_of([Status::Processing, Status::Pending]);
    open.and(Row::LOCKED_UNTIL.not_exists().or(over))
}
