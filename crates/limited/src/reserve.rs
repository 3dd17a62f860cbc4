//! Costs that are known only afterwards: an estimate is reserved before the work, and settled with what it took.

use crate::decision::Decision;
use crate::error::Error;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::receipt::Receipt;
use crate::subject::Subject;

/// An estimate that was charged. If it is dropped without [`settle`](Self::settle), the estimate stays charged.
///
/// ```
/// use limited::{Limit, Limiter, Policy};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let limiter = Limiter::new(Db::memory());
/// limiter.create_table().await?;
/// let tokens = Policy::new("tokens", [Limit::per_hour(10_000).sliding_window()])?;
///
/// let reserved = limiter.reserve(&tokens, "user:ada", 4_000).await?;
/// assert!(reserved.decision.is_allowed());
/// reserved.settle(1_500).await?;
/// assert_eq!(limiter.peek(&tokens, "user:ada").await?.limits[0].remaining, 8_500);
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[must_use = "an estimate that is not settled stays charged"]
pub struct Reservation {
    /// What was decided about the estimate.
    pub decision: Decision,
    limiter: Limiter,
    receipt: Option<Receipt>,
}

impl Limiter {
    /// Charges an estimate, if there is room for it.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub async fn reserve(
        &self,
        policy: &Policy,
        subject: impl Into<Subject<'_>>,
        estimate: u64,
    ) -> Result<Reservation, Error> {
        let decided = self.ask(policy, subject.into(), estimate).await?;
        Ok(Reservation { decision: decided.decision, limiter: self.clone(), receipt: decided.receipt })
    }
}

impl Reservation {
    /// Replaces the estimate by what it took. Less is given back, as far as it still counts; more is charged even if there is no room,
    /// and has to be waited for by those who come after. A debt of a bucket is at most half a minute.
    ///
    /// # Errors
    /// If the store fails: the estimate then stays charged, or the correction was done and its answer lost.
    pub async fn settle(self, actual: u64) -> Result<(), Error> {
        let Some(receipt) = self.receipt else { return Ok(()) };
        if actual > receipt.cost {
            let more = actual - receipt.cost;
            self.limiter.charge(&receipt.row, more).await
        } else {
            let less = receipt.cost - actual;
            self.limiter.try_give_back(receipt, less).await
        }
    }
}
