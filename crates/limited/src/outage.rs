//! Requests while the store does not answer: it is left alone for a while, and the settings say who goes on.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tabletheory_core::StoreError;

use crate::counter::Row;
use crate::decision::{Decision, Source, Verdict};
use crate::error::Error;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::receipt::Decided;
use crate::settings::OnFailure;

impl Limiter {
    /// A store that refuses in a way that waiting does not mend is an error, and loud: letting everyone through because the table
    /// has another shape would be no limit at all, in silence.
    pub(crate) fn failed(
        &self,
        policy: &Policy,
        row: &Row,
        cost: u64,
        error: StoreError,
    ) -> Result<Decided, Error> {
        if !Self::is_outage(&error) {
            // It has answered, so the next request must hear the same and not pass in its shadow.
            self.answered();
            return Err(error.into());
        }
        self.rest_after(&error);
        Ok(self.without_store(policy, row, cost))
    }

    /// Whether waiting may mend it.
    pub(crate) fn is_outage(error: &StoreError) -> bool {
        error.is_retryable() || matches!(error, StoreError::DeadlineExceeded { .. })
    }

    /// Leaves the store alone for a while. One row that is throttled or fought over says nothing about the others.
    pub(crate) fn rest_after(&self, error: &StoreError) {
        self.inner.tally.failed();
        if matches!(
            error,
            StoreError::Unavailable(_) | StoreError::Internal(_) | StoreError::DeadlineExceeded { .. }
        ) {
            let paused_until_ms = self.now().millis().saturating_add(self.pause_ms());
            self.inner.paused_until_ms.store(paused_until_ms, Ordering::Relaxed);
        }
    }

    pub(crate) fn without_store(&self, policy: &Policy, row: &Row, cost: u64) -> Decided {
        let (name, shadow) = (policy.shared_name(), policy.is_shadow());
        let unlimited = |verdict, source| Decision {
            policy: Arc::clone(&name),
            verdict,
            shadow,
            source,
            limits: Vec::new(),
            retry_after: None,
        };
        let decision = match self.inner.settings.on_failure {
            OnFailure::Open => unlimited(Verdict::Allowed, Source::FailedOpen),
            OnFailure::Closed => {
                let retry_after = Some(self.inner.settings.pause);
                Decision { retry_after, ..unlimited(Verdict::Denied, Source::FailedClosed) }
            }
            OnFailure::Local { .. } => {
                let part = self.inner.alone.part(&row.gauges);
                // What costs more than this process's part takes all of it.
                let (now, cost) = (self.now(), cost.min(part.capacity()));
                let (said, states) = self.inner.alone.count(&row.partition, &part, now, cost);
                let verdict = if said.is_ok() { Verdict::Allowed } else { Verdict::Denied };
                let (limits, retry_after) = part.standings(&states, now, said.is_err().then_some(cost));
                Decision { limits, retry_after, ..unlimited(verdict, Source::Local) }
            }
        };
        Decided { decision, receipt: None }
    }

    /// Whether the store is left alone for a while. After the pause one request tries it; those beside it stay without.
    pub(crate) fn is_paused(&self) -> bool {
        let paused_until_ms = self.inner.paused_until_ms.load(Ordering::Relaxed);
        if paused_until_ms == i64::MIN {
            return false;
        }
        if self.is_resting() {
            return true;
        }
        let next_ms = self.now().millis().saturating_add(self.pause_ms());
        let turn = &self.inner.paused_until_ms;
        turn.compare_exchange(paused_until_ms, next_ms, Ordering::Relaxed, Ordering::Relaxed).is_err()
    }

    /// Whether the pause goes on. A clock that was set back must not leave the store alone for longer than a pause.
    pub(crate) fn is_resting(&self) -> bool {
        let paused_until_ms = self.inner.paused_until_ms.load(Ordering::Relaxed);
        let left_ms = paused_until_ms.saturating_sub(self.now().millis());
        left_ms > 0 && left_ms <= self.pause_ms()
    }

    /// The store has answered, so nobody needs to be without it.
    pub(crate) fn answered(&self) {
        if self.inner.paused_until_ms.load(Ordering::Relaxed) != i64::MIN {
            self.inner.paused_until_ms.store(i64::MIN, Ordering::Relaxed);
        }
    }

    fn pause_ms(&self) -> i64 {
        i64::try_from(self.inner.settings.pause.as_millis()).unwrap_or(i64::MAX)
    }
}
