//! The protocol: one conditional write for each step, settled when its answer was lost. Nothing here remembers a lease.

use std::sync::Arc;

use tabletheory_core::{Clock, Entropy, Item, Operation, Seconds, Store, StoreError, StoreExt, Timestamp};

use super::row::Rows;
use super::tenure;
use crate::tenure::Tenure;

/// What every lease of one manager shares.
#[derive(Debug, Clone)]
pub(super) struct Locks {
    pub(super) store: Arc<dyn Store>,
    pub(super) rows: Rows,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

/// What an attempt to take a lease came to.
#[derive(Debug)]
pub(super) enum Attempt {
    Won { fence: u64, tenure: Tenure },
    HeldUntil(Timestamp),
}

/// What an attempt to refresh a lease came to.
#[derive(Debug)]
pub(super) enum Renewal {
    /// It holds for this term.
    Renewed(Tenure),
    /// It is ours, and holds longer than was asked for.
    LastsLonger,
    /// It is not ours any more.
    Lost,
}

/// What an attempt to release a lease came to.
#[derive(Debug)]
pub(super) enum Removal {
    Removed,
    NotOurs,
    /// An answer was lost; now the row is not ours.
    Gone,
}

/// What a conditional write came to, once it was settled.
enum Settled<T> {
    Done(T),
    Refused { row: Option<Box<Item>>, after_a_lost_answer: bool },
}

impl Locks {
    pub(super) async fn acquire(&self, pk: &str, token: &str, term: Seconds) -> Result<Attempt, StoreError> {
        let tenure = tenure::begin(&*self.clock, term);
        match self.settle(self.rows.acquire(pk, token, &tenure)).await? {
            Settled::Done(output) => {
                let fence = output.attributes.and_then(|row| self.rows.fence(&row));
                let fence = fence.ok_or_else(|| {
                    StoreError::Internal("the store granted the lease and did not return its fence".into())
                })?;
                Ok(Attempt::Won { fence, tenure })
            }
            Settled::Refused { row, .. } => {
                let until = row.and_then(|row| self.rows.held_until(&row));
                // A row without a readable end is never free; asking again in a second does no harm.
                Ok(Attempt::HeldUntil(until.unwrap_or_else(|| self.clock.now() + Seconds(1))))
            }
        }
    }

    pub(super) async fn refresh(&self, pk: &str, token: &str, term: Seconds) -> Result<Renewal, StoreError> {
        let tenure = tenure::begin(&*self.clock, term);
        match self.settle(self.rows.refresh(pk, token, &tenure)).await? {
            Settled::Done(_) => Ok(Renewal::Renewed(tenure)),
            Settled::Refused { row: Some(row), .. } if self.lasts_longer(&row, token, &tenure) => {
                Ok(Renewal::LastsLonger)
            }
            Settled::Refused { .. } => Ok(Renewal::Lost),
        }
    }

    pub(super) async fn release(&self, pk: &str, token: &str) -> Result<Removal, StoreError> {
        match self.settle(self.rows.release(pk, token)).await? {
            Settled::Done(_) => Ok(Removal::Removed),
            Settled::Refused { after_a_lost_answer: true, .. } => Ok(Removal::Gone),
            Settled::Refused { after_a_lost_answer: false, .. } => Ok(Removal::NotOurs),
        }
    }

    /// Whether a refresh was refused only because it would have made the lease shorter.
    fn lasts_longer(&self, row: &Item, token: &str, tenure: &Tenure) -> bool {
        self.rows.is_held_by(row, token)
            && self.rows.held_until(row).is_some_and(|until| until > tenure.ends_at)
    }

    /// Sends a conditional write, and once more, byte for byte, if its answer was lost: the conditions recognise a token's
    /// own doubles. If that does not settle it either, the first error is the answer, because the second may claim
    /// that nothing happened.
    async fn settle<O: Operation + Clone>(&self, write: O) -> Result<Settled<O::Output>, StoreError> {
        let first = self.store.send(write.clone()).await;
        let lost = match first {
            Err(error) if error.is_ambiguous() => error,
            answer => return read(answer, false),
        };
        read(self.store.send(write).await, true).map_err(|_| lost)
    }
}

fn read<T>(answer: Result<T, StoreError>, after_a_lost_answer: bool) -> Result<Settled<T>, StoreError> {
    match answer {
        Ok(output) => Ok(Settled::Done(output)),
        Err(StoreError::ConditionalCheckFailed { item: row }) => {
            Ok(Settled::Refused { row, after_a_lost_answer })
        }
        Err(error) => Err(error),
    }
}
