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

/// There is a record.
pub(crate) fn is_there() -> Filter<Row> {
    Row::IDEMPOTENCY_KEY.exists()
}

/// The record can be forgotten: nobody works on the request.
pub(crate) fn may_forget(now: Timestamp) -> Filter<Row> {
    let ended = Row::STATUS.one_of([Status::Completed, Status::Failed]);
    is_there().and(ended.or(Row::EXPIRES_AT.le(now.seconds())).or(is_silent(now)))
}

/// Nobody has been heard of since the lock ended. Only texts with `Z` are compared as texts; see [`moment`]. What another
/// service leaves without a lock is nobody's.
fn is_silent(now: Timestamp) -> Filter<Row> {
    let in_utc = Row::LOCKED_UNTIL.contains("Z");
    let over = in_utc.and(Row::LOCKED_UNTIL.lt(moment::over_before_text(now)));
    let open = Row::STATUS.one_of([Status::Processing, Status::Pending]);
    open.and(Row::LOCKED_UNTIL.not_exists().or(over))
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{Item, Value};

    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn claimant() -> Claimant<'static> {
        let now = Timestamp::from_seconds(NOW);
        Claimant { hash: "h", token: "mine", now, locked_until: "2023-11-14T22:14:20Z" }
    }

    fn row(token: &str, locked_until: &str, status: &str) -> Item {
        let mut row = Item::from([
            ("IdempotencyKey", "k"),
            ("RequestHash", "h"),
            ("Status", status),
            ("LockToken", token),
            ("LockedUntil", locked_until),
        ]);
        row.insert("ExpiresAt", Value::n(NOW + 60));
        row
    }

    fn takes_over(row: &Item) -> bool {
        let (token, locked_until) = (Some("silent".to_owned()), Some("2023-11-14T22:13:00Z".to_owned()));
        let silent = Silent { token, locked_until, attempt: 1 };
        may_take_over(&claimant(), &silent).into_condition().unwrap().holds(row)
    }

    #[test]
    fn only_the_attempt_that_was_seen_silent_is_taken_over() {
        assert!(takes_over(&row("silent", "2023-11-14T22:13:00Z", "PROCESSING")));
        assert!(takes_over(&row("silent", "2023-11-14T22:13:00Z", "PENDING")));
        assert!(takes_over(&row("mine", "2023-11-14T22:14:20Z", "PROCESSING")), "its own ghost");
        assert!(!takes_over(&row("another", "2023-11-14T22:13:00Z", "PROCESSING")));
        assert!(!takes_over(&row("silent", "2023-11-14T22:14:00Z", "PROCESSING")), "it was heard of again");
        for ended in ["COMPLETED", "FAILED"] {
            assert!(!takes_over(&row("silent", "2023-11-14T22:13:00Z", ended)), "{ended}");
            assert!(!takes_over(&row("mine", "2023-11-14T22:13:00Z", ended)), "{ended}");
        }
        let mut other = row("silent", "2023-11-14T22:13:00Z", "PROCESSING");
        other.insert("RequestHash", "other");
        assert!(!takes_over(&other));
        assert!(!takes_over(&Item::new()), "nothing is not taken over");
    }

    #[test]
    fn no_claim_holds_over_an_answer_that_is_not_over() {
        for reexecute in [true, false] {
            let holds = |row: &Item| may_claim(&claimant(), reexecute).into_condition().unwrap().holds(row);
            for token in ["mine", "another"] {
                let mut answered = row(token, "2023-01-01T00:00:00Z", "COMPLETED");
                assert!(!holds(&answered), "{token}");
                answered.insert("ExpiresAt", NOW);
                assert!(holds(&answered), "{token}");
            }
            assert!(holds(&Item::new()));
            assert_eq!(holds(&row("silent", "2023-11-14T22:13:00Z", "PROCESSING")), reexecute);
        }
    }
}
