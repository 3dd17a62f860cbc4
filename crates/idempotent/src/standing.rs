//! What a record that stood in the way of a claim says. It is read attribute by attribute, because other services write
//! such rows too.

use tabletheory_core::{Item, Timestamp, Value};

use crate::moment;
use crate::rule::Silent;

/// How a request stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is ours: the answer to the same claim was lost.
    Ours,
    /// The key was used for another request.
    Mismatch,
    /// It is done.
    Completed,
    /// It failed for good.
    Failed,
    /// Somebody works on it.
    Running { until: Timestamp },
    /// Somebody worked on it, and is silent.
    Silent(Silent),
    /// Nothing stands in the way any more.
    Free,
    /// This attribute is not understood.
    Unreadable(&'static str),
}

/// How the request with this fingerprint stands, as the claim with this token sees it now.
pub(crate) fn judge(row: &Item, hash: &str, token: &str, now: Timestamp) -> Standing {
    if integer(row, "ExpiresAt").is_some_and(|expires_at| expires_at <= now.seconds()) {
        return Standing::Free;
    }
    let status = text(row, "Status");
    if status == Some("PROCESSING") && text(row, "LockToken") == Some(token) {
        return Standing::Ours;
    }
    // Before anything else is said of it: whoever asks for something else learns nothing.
    if text(row, "RequestHash") != Some(hash) {
        return Standing::Mismatch;
    }
    match status {
        Some("COMPLETED") => Standing::Completed,
        Some("FAILED") if row.contains("Final") => Standing::Failed,
        Some("FAILED") => Standing::Free,
        Some("PROCESSING" | "PENDING") => locked(row, now),
        _ => Standing::Unreadable("Status"),
    }
}

fn locked(row: &Item, now: Timestamp) -> Standing {
    let silent = Silent {
        token: text(row, "LockToken").map(str::to_owned),
        locked_until: text(row, "LockedUntil").map(str::to_owned),
        attempt: attempt(row),
    };
    let Some(until) = row.get("LockedUntil") else { return Standing::Silent(silent) };
    let Some(until) = until.as_s() else { return Standing::Unreadable("LockedUntil") };
    match moment::is_over(until, now).zip(moment::parse(until)) {
        None => Standing::Unreadable("LockedUntil"),
        Some((true, _)) => Standing::Silent(silent),
        Some((false, until)) => Standing::Running { until },
    }
}

/// Whose answer or attempt the record is.
pub(crate) fn is_of(row: &Item, token: &str) -> bool {
    text(row, "LockToken") == Some(token)
}

/// Whether it is done.
pub(crate) fn is_completed(row: &Item) -> bool {
    text(row, "Status") == Some("COMPLETED")
}

/// The number of the attempt; 0 where no number is.
pub(crate) fn attempt(row: &Item) -> u64 {
    row.get("Attempt").and_then(Value::as_n).and_then(|number| number.to_u64()).unwrap_or(0)
}

pub(crate) fn text<'i>(row: &'i Item, name: &str) -> Option<&'i str> {
    row.get(name).and_then(Value::as_s)
}

pub(crate) fn integer(row: &Item, name: &str) -> Option<i64> {
    row.get(name).and_then(Value::as_n).and_then(|number| number.to_i64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn row(attributes: &[(&str, Value)]) -> Item {
        let mut row = Item::from([("RequestHash", "h"), ("LockToken", "theirs")]);
        row.insert("ExpiresAt", NOW + 60);
        for (name, value) in attributes {
            row.insert(*name, value.clone());
        }
        row
    }

    #[track_caller]
    fn check(attributes: &[(&str, Value)], expected: Standing) {
        let judged = judge(&row(attributes), "h", "mine", Timestamp::from_seconds(NOW));
        assert_eq!(judged, expected, "{attributes:?}");
    }

    fn silent(token: &str, locked_until: Option<&str>) -> Standing {
        let locked_until = locked_until.map(str::to_owned);
        Standing::Silent(Silent { token: Some(token.to_owned()), locked_until, attempt: 0 })
    }

    #[test]
    fn every_state_has_its_answer() {
        let later = "2023-11-14T22:14:20Z";
        let status = |text: &str| ("Status", Value::s(text));
        check(&[status("COMPLETED")], Standing::Completed);
        check(&[status("FAILED")], Standing::Free);
        check(&[status("FAILED"), ("Final", Value::Bool(true))], Standing::Failed);
        check(&[status("SOMETHING")], Standing::Unreadable("Status"));
        check(&[("Status", Value::n(1))], Standing::Unreadable("Status"));
        let until = Timestamp::from_seconds(NOW + 60);
        for open in ["PROCESSING", "PENDING"] {
            check(&[status(open), ("LockedUntil", Value::s(later))], Standing::Running { until });
            let over = "2023-11-14T22:13:18Z";
            check(&[status(open), ("LockedUntil", Value::s(over))], silent("theirs", Some(over)));
            check(&[status(open)], silent("theirs", None));
            check(&[status(open), ("LockedUntil", Value::s("soon"))], Standing::Unreadable("LockedUntil"));
            check(&[status(open), ("LockedUntil", Value::n(1))], Standing::Unreadable("LockedUntil"));
        }
        check(&[status("PROCESSING"), ("LockToken", Value::s("mine"))], Standing::Ours);
        check(&[status("COMPLETED"), ("ExpiresAt", Value::n(NOW))], Standing::Free);
    }

    #[test]
    fn f26_another_hash_is_a_mismatch_in_every_state() {
        for status in ["COMPLETED", "FAILED", "PROCESSING", "PENDING", "SOMETHING"] {
            for hash in [Value::s("other"), Value::n(1)] {
                check(&[("Status", Value::s(status)), ("RequestHash", hash)], Standing::Mismatch);
            }
        }
        let over = ("ExpiresAt", Value::n(NOW - 1));
        check(&[("Status", Value::s("COMPLETED")), ("RequestHash", Value::s("other")), over], Standing::Free);
    }
}
