//! Giving back what was charged and not needed, and charging what was needed and not charged.

use crate::counter::Row;
use crate::error::Error;
use crate::limiter::Limiter;
use crate::receipt::Receipt;

impl Limiter {
    /// Gives back a part of what was charged. Without a store it stays charged, which only denies more.
    pub(crate) async fn give_back(&self, receipt: Receipt, amount: u64) {
        if self.try_give_back(receipt, amount).await.is_err() {
            self.inner.tally.failed();
        }
    }

    pub(crate) async fn try_give_back(&self, receipt: Receipt, amount: u64) -> Result<(), Error> {
        let Receipt { row, charge, cost: _, from_purse_until_ms } = receipt;
        if amount == 0 {
            return Ok(());
        }
        if let Some(until_ms) = from_purse_until_ms {
            self.inner.counter.memory.of(&row.partition, &row.gauges).refund(amount, until_ms);
            return Ok(());
        }
        Ok(self.inner.counter.give_back(&row, &charge, amount).await?)
    }

    /// Charges what has been used already, whether there is room or not.
    pub(crate) async fn charge(&self, row: &Row, amount: u64) -> Result<(), Error> {
        let remembered = self.inner.counter.memory.of(&row.partition, &row.gauges);
        self.inner.counter.count(row, &remembered, None, amount, false).await?;
        Ok(())
    }
}
