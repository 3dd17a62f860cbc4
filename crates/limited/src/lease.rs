//! Quota leases: many units are charged in one call and spent in this process. They are charged before they are spent, and lost
//! with their window, so that whatever happens to a process, no more is allowed than was charged.

use std::sync::Arc;

use crate::counter::{Charge, Counted, Row};
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::limiter::Limiter;
use crate::memory::{Purse, Remembered};
use crate::policy::Policy;
use crate::receipt::{Decided, Receipt};
use crate::subject::Subject;

/// No process takes more than this part of what is left, so that others find something too.
const PART_OF_REMAINING: u64 = 4;

impl Limiter {
    /// A decision from units that were charged before, or from those that are charged now. One request at a time charges; those
    /// beside it wait for what it gets.
    pub(crate) async fn decide_leased(
        &self,
        policy: &Policy,
        row: Row,
        subject: Subject<'_>,
        cost: u64,
        batch_max: u64,
    ) -> Result<Decided, Error> {
        let remembered = self.inner.counter.memory.of(&row.partition, &row.gauges);
        if let Some(decided) = self.spent(policy, &row, &remembered, cost) {
            return Ok(decided);
        }
        let _turn = remembered.turn.lock().await;
        if let Some(decided) = self.spent(policy, &row, &remembered, cost) {
            return Ok(decided);
        }
        if let Some(decision) = self.denied_from_memory(policy, &row, &remembered, cost) {
            return Ok(Decided { decision, receipt: None });
        }
        if self.is_paused() {
            return Ok(self.without_store(policy, &row, cost));
        }
        let mut wanted = self.wanted(&row, &remembered, cost, batch_max);
        loop {
            let counted = match self.inner.counter.count(&row, &remembered, Some(subject), wanted, true).await
            {
                Ok(counted) => counted,
                Err(error) => return self.failed(policy, &row, cost, error),
            };
            self.answered();
            match counted {
                Counted::Taken(states, now) => {
                    let lease_ms = i64::try_from(self.inner.settings.lease.as_millis()).unwrap_or(i64::MAX);
                    let until_ms = row.gauges.spendable_until_ms(&states, now, lease_ms);
                    remembered.fill(wanted - cost, now, until_ms, wanted);
                    let charge = Charge { at: now, states: Arc::clone(&states) };
                    let decision =
                        self.decision(policy, &row, Counted::Taken(states, now), cost, Source::Store);
                    let receipt = Receipt { row, charge, cost, from_purse_until_ms: None };
                    return Ok(Decided { decision, receipt: Some(receipt) });
                }
                // There may be room for this request, though not for so many.
                Counted::Full(states, now) if wanted > cost && row.gauges.remaining(&states, now) >= cost => {
                    wanted = cost.max(row.gauges.remaining(&states, now) / PART_OF_REMAINING);
                }
                full @ Counted::Full(..) => {
                    let decision = self.decision(policy, &row, full, cost, Source::Store);
                    return Ok(Decided { decision, receipt: None });
                }
            }
        }
    }

    fn spent(&self, policy: &Policy, row: &Row, remembered: &Remembered, cost: u64) -> Option<Decided> {
        let now = self.now();
        let Purse { units: left, until_ms, .. } = remembered.spend(now, cost)?;
        let states = remembered.said();
        let charge = Charge { at: now, states: Arc::clone(&states) };
        let mut decision = self.decision(policy, row, Counted::Taken(states, now), cost, Source::Lease);
        lighten(&mut decision, left);
        let receipt = Receipt { row: row.clone(), charge, cost, from_purse_until_ms: Some(until_ms) };
        Some(Decided { decision, receipt: Some(receipt) })
    }

    /// How many units to charge: twice as many as last time if those were spent, half as many if most of them were lost, and never
    /// more than a part of what is left.
    fn wanted(&self, row: &Row, remembered: &Remembered, cost: u64, batch_max: u64) -> u64 {
        let now = self.now();
        let Purse { units, until_ms, batch, .. } = remembered.purse();
        let was_lost = now.millis() >= until_ms && units.saturating_mul(2) > batch;
        let batch = match batch {
            0 => batch_max.div_ceil(4),
            batch if was_lost => batch / 2,
            batch => batch.saturating_mul(2),
        };
        let remaining = row.gauges.remaining(&remembered.said(), now);
        batch.min(batch_max).min(remaining / PART_OF_REMAINING).max(cost)
    }
}

/// Units in the purse are charged, and still there for this process.
fn lighten(decision: &mut Decision, left: u64) {
    for standing in &mut decision.limits {
        standing.remaining = standing.remaining.saturating_add(left).min(standing.limit.capacity());
        standing.used = standing.used.saturating_sub(left);
    }
}
