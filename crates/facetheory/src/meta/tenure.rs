//! The term of a lease as it is asked for: both clocks are read before the store is, so that the time an answer travels
//! counts against us.

use std::time::Duration;

use tabletheory::tenure;
use tabletheory_core::Seconds;
use tokio::time::Instant;

use super::MetaStore;
use super::intent::Intent;
use super::transaction::{Claim, Term};

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
        let term = Duration::from_secs(term.0.max(1).unsigned_abs());
        let held = tenure::Tenure::begin(self.db.clock().as_ref(), term).in_whole_seconds();
        let expires_at = held.ends_at.seconds();
        let ttl = expires_at.saturating_add(self.settings.lock_buffer.0.max(0));
        Tenure { term: Term { token, now: held.asked_at, expires_at, ttl }, ends: held.ends() }
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
