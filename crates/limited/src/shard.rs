//! Identifiers that one row cannot carry: several rows, each with its part of the limits.

use crate::decision::{Decision, Verdict};
use crate::error::Error;
use crate::limit::Limit;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::receipt::Decided;
use crate::subject::Subject;

/// So many shards are asked before a request is denied: another may have room that the first has not.
const SHARDS_ASKED_MAX: u32 = 3;

impl Limiter {
    /// Asks a shard by chance, and a few others if it denies.
    pub(crate) async fn ask_shards(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
        cost: u64,
    ) -> Result<Decided, Error> {
        let shards = policy.shards();
        let first = u32::try_from(self.inner.db.entropy().bits() % u128::from(shards)).unwrap_or(0);
        let mut asked = 0;
        loop {
            let shard = (first + asked) % shards;
            let mut decided = self.ask_row(policy, subject, Some(shard), cost).await?;
            asked += 1;
            if decided.decision.verdict == Verdict::Allowed || asked == SHARDS_ASKED_MAX.min(shards) {
                whole(&mut decided.decision, policy);
                return Ok(decided);
            }
        }
    }

    pub(crate) async fn peek_shards(&self, policy: &Policy, subject: Subject<'_>) -> Result<Decision, Error> {
        let mut total = self.peek_row(policy, subject, Some(0)).await?;
        for shard in 1..policy.shards() {
            let decision = self.peek_row(policy, subject, Some(shard)).await?;
            if decision.verdict == Verdict::Allowed {
                (total.verdict, total.retry_after) = (Verdict::Allowed, None);
            }
            for (sum, part) in total.limits.iter_mut().zip(&decision.limits) {
                sum.used = sum.used.saturating_add(part.used);
                sum.violated &= part.violated;
                sum.reset_after = sum.reset_after.min(part.reset_after);
            }
        }
        for (position, standing) in total.limits.iter_mut().enumerate() {
            standing.limit = together(policy, position, standing.limit);
            standing.remaining = standing.limit.capacity().saturating_sub(standing.used);
        }
        Ok(total)
    }
}

/// A shard's standings as those of the whole, if the others stand as it does.
fn whole(decision: &mut Decision, policy: &Policy) {
    for (position, standing) in decision.limits.iter_mut().enumerate() {
        let limit = together(policy, position, standing.limit);
        standing.limit = limit;
        standing.remaining =
            standing.remaining.saturating_mul(u64::from(policy.shards())).min(limit.capacity());
        standing.used = limit.capacity().saturating_sub(standing.remaining);
    }
}

/// The limit that all shards have together: the policy's, or an override that was divided.
fn together(policy: &Policy, position: usize, part: Limit) -> Limit {
    let own = policy.limits().get(position).filter(|_| !policy.has_overrides());
    own.copied().unwrap_or_else(|| part.multiplied(policy.shards()))
}
