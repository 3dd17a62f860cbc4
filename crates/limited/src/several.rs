//! Several identifiers in one question, such as an address, its user and their tenant: asked in order, and what the first ones
//! counted is given back when a later one denies.

use crate::decision::Decision;
use crate::error::Error;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::receipt::Receipt;
use crate::subject::Subject;

/// One of several questions.
///
/// ```
/// use limited::{Ask, Limit, Limiter, Policy};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let limiter = Limiter::new(Db::memory());
/// limiter.create_table().await?;
/// let (by_address, by_tenant) = (Policy::new("ip", [Limit::per_hour(9)])?, Policy::new("tenant", [Limit::per_hour(1)])?);
/// let asks = [Ask::new(&by_address, "ip:203.0.113.7", 1), Ask::new(&by_tenant, "tenant:acme", 1)];
///
/// assert!(limiter.check_all(&asks).await?.iter().all(|decision| decision.is_allowed()));
/// assert!(!limiter.check_all(&asks).await?.iter().all(|decision| decision.is_allowed()));
/// assert_eq!(limiter.peek(&by_address, "ip:203.0.113.7").await?.limits[0].used, 1, "the second was not counted");
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Ask<'a> {
    /// The limits.
    pub policy: &'a Policy,
    /// For whom.
    pub subject: Subject<'a>,
    /// What the request costs.
    pub cost: u64,
}

impl<'a> Ask<'a> {
    /// A question.
    #[must_use]
    pub fn new(policy: &'a Policy, subject: impl Into<Subject<'a>>, cost: u64) -> Self {
        Self { policy, subject: subject.into(), cost }
    }
}

impl Limiter {
    /// Asks one after the other, the likeliest to deny best first. It ends with the first that denies; what the ones before it
    /// counted is given back, and the decisions so far are told. If that cannot be done, for want of a store, they stay counted. If one
    /// is known to deny, only that one is told, and the store is not asked.
    ///
    /// # Errors
    /// As [`check`](Self::check). What was counted before is given back.
    pub async fn check_all(&self, asks: &[Ask<'_>]) -> Result<Vec<Decision>, Error> {
        // What can be seen to be wrong is seen before anything is counted.
        for ask in asks {
            // What somebody's own limits allow is known when they are asked.
            let cost = if ask.policy.has_overrides() { ask.cost.min(1) } else { ask.cost };
            ask.policy.gauges().check_cost(cost)?;
            if ask.subject.identifier.is_empty() {
                return Err(Error::NoIdentifier);
            }
        }
        // What is denied anyway costs nothing, and nothing has to be given back.
        for ask in asks {
            if let Some(denied) = self.denied_already(ask.policy, ask.subject, ask.cost).await? {
                return Ok(vec![denied]);
            }
        }
        let mut decisions = Vec::with_capacity(asks.len());
        let mut receipts: Vec<Receipt> = Vec::with_capacity(asks.len());
        for ask in asks {
            let decided = match self.ask(ask.policy, ask.subject, ask.cost).await {
                Ok(decided) => decided,
                Err(error) => {
                    self.compensate(receipts).await;
                    return Err(error);
                }
            };
            let is_allowed = decided.decision.is_allowed();
            decisions.push(decided.decision);
            if !is_allowed {
                self.compensate(receipts).await;
                break;
            }
            receipts.extend(decided.receipt);
        }
        Ok(decisions)
    }

    async fn compensate(&self, receipts: Vec<Receipt>) {
        for receipt in receipts {
            let amount = receipt.cost;
            self.give_back(receipt, amount).await;
        }
    }
}
