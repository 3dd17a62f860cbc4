//! One decision: what this process remembers may deny it, and otherwise the store is asked, once.

use crate::counter::{Counted, Row};
use crate::decision::{Decision, Source, Verdict};
use crate::error::Error;
use crate::limiter::Limiter;
use crate::memory::Remembered;
use crate::policy::Policy;
use crate::receipt::{Decided, Receipt};
use crate::subject::Subject;

impl Limiter {
    pub(crate) async fn decide(
        &self,
        policy: &Policy,
        row: Row,
        subject: Subject<'_>,
        cost: u64,
    ) -> Result<Decided, Error> {
        let remembered = self.inner.counter.memory.of(&row.partition, &row.gauges);
        if let Some(decision) = self.denied_from_memory(policy, &row, &remembered, cost) {
            return Ok(Decided { decision, receipt: None });
        }
        // A log is replaced as a whole, so those of one process who came together would only be in each other's way.
        let mut _turn = None;
        if row.gauges.has_log() {
            _turn = Some(remembered.turn.lock().await);
            // Who went before may have learnt what denies this one, too.
            if let Some(decision) = self.denied_from_memory(policy, &row, &remembered, cost) {
                return Ok(Decided { decision, receipt: None });
            }
        }
        if self.is_paused() {
            return Ok(self.without_store(policy, &row, cost));
        }
        let counted = match self.inner.counter.count(&row, &remembered, Some(subject), cost, true).await {
            Ok(counted) => counted,
            Err(error) => return self.failed(policy, &row, cost, error),
        };
        self.answered();
        let charged = counted.charged();
        let decision = self.decision(policy, &row, counted, cost, Source::Store);
        let receipt = charged.map(|charge| Receipt { row, charge, cost, from_purse_until_ms: None });
        Ok(Decided { decision, receipt })
    }

    /// A denial that this process knows of, before anything is asked. A policy that only watches denies nobody.
    pub(crate) async fn denied_already(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
        cost: u64,
    ) -> Result<Option<Decision>, Error> {
        if policy.is_shadow() || policy.shards() > 1 {
            return Ok(None);
        }
        let row = self.row(policy, subject, None).await?;
        row.gauges.check_cost(cost)?;
        let remembered = self.inner.counter.memory.of(&row.partition, &row.gauges);
        let has_units = remembered.purse().units >= cost;
        let denied = self.denied_from_memory(policy, &row, &remembered, cost).filter(|_| !has_units);
        if let Some(Decision { verdict, source, shadow, .. }) = &denied {
            self.inner.tally.decided(*verdict, *source, *shadow);
        }
        Ok(denied)
    }

    pub(crate) fn denied_from_memory(
        &self,
        policy: &Policy,
        row: &Row,
        remembered: &Remembered,
        cost: u64,
    ) -> Option<Decision> {
        let believed_ms = i64::try_from(self.inner.settings.deny_cache.as_millis()).unwrap_or(i64::MAX);
        let now = self.now();
        let states = remembered.denies(&row.gauges, now, cost, believed_ms)?;
        Some(self.decision(policy, row, Counted::Full(states, now), cost, Source::DenyCache))
    }

    /// What became of a question, in the words of a decision.
    pub(crate) fn decision(
        &self,
        policy: &Policy,
        row: &Row,
        counted: Counted,
        cost: u64,
        source: Source,
    ) -> Decision {
        let (verdict, states, now) = match counted {
            Counted::Taken(states, now) => (Verdict::Allowed, states, now),
            Counted::Full(states, now) => (Verdict::Denied, states, now),
        };
        let denied = (verdict == Verdict::Denied).then_some(cost);
        let (limits, retry_after) = row.gauges.standings(&states, now, denied);
        let (policy, shadow) = (policy.shared_name(), policy.is_shadow());
        Decision { policy, verdict, shadow, source, limits, retry_after }
    }
}
