//! The term of a lease as it is asked for: both clocks are read before the store is, so that the time an answer travels
//! counts against us.

use std::time::Duration;

use tabletheory_core::{Seconds, Timestamp};
use tokio::time::Instant;

use super::MetaStore;
use super::intent::Intent;
use super::transaction::{Claim, Term};

/// A lease without an end would outlive what the row's numbers and the process's clock can say.
const TERM_SECONDS_MAX: i64 = 10 * 365 * 86_400;

/// A lease that is asked for.
#[derive(Debug)]
pub(super) struct Tenure {
    pub(super) term: Term,
    /// When it ends by this process's own clock.
    pub(super) ends: Instant,
}

impl MetaStore {
    /// A lease that begins now, of at least a second.
    pub(super) fn tenure(&self, token: String, term: Seconds) -> Tenure {
        let term = Seconds(term.0.clamp(1, TERM_SECONDS_MAX));
        let (now, since) = (self.db.clock().now(), Instant::now());
        let expires_at = ceil_seconds(now + term);
        let ttl = expires_at.saturating_add(self.settings.lock_buffer.0.max(0));
        let ends = since + Duration::from_secs(term.0.unsigned_abs());
        Tenure { term: Term { token, now, expires_at, ttl }, ends }
    }

    /// The intent as it is written. The table keeps it longer than any attempt at it.
    pub(super) fn claim_of(&self, intent: &Intent, term: &Term) -> Claim {
        let retained = term.now.seconds().saturating_add(self.settings.request_retention.0.max(0));
        Claim {
            key: intent.key().to_owned(),
            request_hash: intent.request_hash().to_owned(),
            ttl: retained.max(term.ttl),
        }
    }

    /// A token that nobody has seen before.
    pub(super) fn draw_token(&self) -> String {
        format!("{:032x}", self.db.entropy().bits())
    }
}

/// The first whole second that is not before `moment`: rows say whole seconds, and a lease must not be born shorter.
fn ceil_seconds(moment: Timestamp) -> i64 {
    Timestamp::from_millis(moment.millis().saturating_add(999)).seconds()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(millis: i64, expected: i64) {
        assert_eq!(ceil_seconds(Timestamp::from_millis(millis)), expected);
    }

    #[test]
    fn seconds_are_rounded_up() {
        check(0, 0);
        check(1, 1);
        check(999, 1);
        check(1000, 1);
        check(1001, 2);
        check(-1, 0);
        check(-1500, -1);
        check(i64::MAX, i64::MAX / 1000);
    }
}
