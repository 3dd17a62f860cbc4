//! A slot as its holder has it.

use std::sync::Arc;
use std::time::Duration;

use tabletheory::tenure::Tenure;

use super::protocol::{Settled, Shared};
use super::row::{Token, held_by};
use super::view::View;
use crate::error::Error;

/// A slot that was acquired. It is not given back when it is dropped: release it, or let it lapse.
///
/// ```
/// use std::time::Duration;
///
/// use limited::slots::{Acquire, Release, Slots};
/// use limited::RateLimitRecord;
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// RateLimitRecord::ensure_table(&db).await?;
/// let slots = Slots::new(db, "exports", 2, Duration::from_secs(30))?;
///
/// let Acquire::Acquired(slot) = slots.try_acquire("user:7").await? else { panic!("nobody else is here") };
/// assert!(slot.time_left() <= Duration::from_secs(30));
/// assert_eq!(slot.release().await?, Release::Released);
/// # Ok::<(), limited::Error>(()) }).unwrap();
/// ```
#[must_use = "a slot that is dropped stays taken until it lapses"]
pub struct Slot {
    pub(super) shared: Arc<Shared>,
    pub(super) view: Arc<View>,
    pub(super) partition: String,
    pub(super) number: usize,
    pub(super) token: Token,
    pub(super) tenure: Tenure,
    pub(super) term: Duration,
}

/// What [`Slot::renew`] came to.
///
/// ```
/// use limited::slots::Renewal;
///
/// assert_ne!(Renewal::Renewed, Renewal::Lost);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "work goes on only in a slot that was renewed"]
pub enum Renewal {
    /// The slot is held for another term, or for longer if it was already.
    Renewed,
    /// It lapsed, and another has it, or the row is gone.
    Lost,
}

/// What [`Slot::release`] came to.
///
/// ```
/// use limited::slots::Release;
///
/// assert_ne!(Release::Released, Release::NotOurs);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The slot was ours and is free.
    Released,
    /// It was not ours any more: it lapsed and another has it, or an earlier try whose answer was lost gave it back.
    NotOurs,
}

impl Slot {
    /// How long it is still held, by the clock that says less: the wall clock or the process's own.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        self.tenure.time_left(&*self.shared.clock)
    }

    /// Holds the slot for another term from now, in one UpdateItem.
    ///
    /// # Errors
    /// [`Error::Store`]; then it is held as long as it was before, or longer.
    pub async fn renew(&mut self) -> Result<Renewal, Error> {
        let tenure = Tenure::begin(&*self.shared.clock, self.term);
        let write = self.shared.rows.renew(&self.partition, self.number, &self.token, &tenure);
        match self.shared.settle(&self.partition, write).await? {
            Settled::Done(_) => {
                self.tenure = tenure;
                self.view.renewed(self.number, tenure.ends_at.millis());
                Ok(Renewal::Renewed)
            }
            // Only a clock that was set back leads here. What we knew before is the cautious answer.
            Settled::Refused(row) if held_by(&row, self.number, &self.token).is_some() => {
                Ok(Renewal::Renewed)
            }
            Settled::Refused(_) => Ok(Renewal::Lost),
        }
    }

    /// Gives the slot back, in one UpdateItem.
    ///
    /// # Errors
    /// [`Error::Store`]; then it is free at the latest when it lapses.
    pub async fn release(self) -> Result<Release, Error> {
        let write = self.shared.rows.release(&self.partition, self.number, &self.token);
        let settled = self.shared.settle(&self.partition, write).await?;
        Ok(match settled {
            Settled::Done(_) => {
                self.view.freed(self.number);
                Release::Released
            }
            Settled::Refused(row) => {
                self.view.learn(&row, self.shared.clock.now());
                Release::NotOurs
            }
        })
    }
}

/// Without the token and without whom it is for.
impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot")
            .field("number", &self.number)
            .field("until_ms", &self.tenure.ends_at.millis())
            .finish_non_exhaustive()
    }
}
