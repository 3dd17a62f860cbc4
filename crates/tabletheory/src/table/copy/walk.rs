//! The walk of every copy: read a page of each segment, carry its items over batch by batch, remember where it stands. What becomes
//! of the items on the way is the carrier's.

use std::future::Future;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tabletheory_core::Item;
use tabletheory_core::limits::BATCH_WRITE_REQUESTS_MAX;
use tabletheory_core::store::op::{PageOutput, Scan, Segment};

use super::checkpoint::{Checkpoint, Position};
use super::error::{CopyError, CopyFault};
use super::ledger::{Ledger, Save, Tell};
use super::progress::CopyProgress;
use crate::flight::together;
use crate::table::site::Site;

/// Items of a batch.
const BATCH: usize = BATCH_WRITE_REQUESTS_MAX;

/// Who carries items from the source into the target.
pub(super) trait Carrier: Sync {
    /// The source.
    fn source(&self) -> &Site;

    /// The target.
    fn target(&self) -> &Site;

    /// Whether anything can be carried at all, before anything is read.
    fn ready(&self) -> Result<(), CopyFault> {
        Ok(())
    }

    /// How many items a page of the source has at most, if the store is not to decide.
    fn page_items(&self) -> Option<u32> {
        None
    }

    /// Where the source can go on after this item; `None` if it can only go on where a page ended.
    fn after(&self, item: &Item) -> Option<Item>;

    /// Carries the items of one batch over. When it is done they are in the target, durable.
    fn carry(&self, items: Vec<Item>) -> impl Future<Output = Result<CopyProgress, CopyFault>> + Send;
}

/// What was chosen for a copy, whatever it carries.
pub(super) struct Manner<'t> {
    pub(super) segments: usize,
    pub(super) resume: Option<Checkpoint>,
    pub(super) tell: Tell<'t>,
    pub(super) save: Save<'t>,
}

/// One segment from its beginning, and nobody is told.
impl Default for Manner<'_> {
    fn default() -> Self {
        Self {
            segments: 1,
            resume: None,
            tell: Box::new(|_| {}),
            save: Box::new(|_| ControlFlow::Continue(())),
        }
    }
}

/// Walks to the end, and gives what was done over all runs.
pub(super) async fn walk<C: Carrier>(carrier: &C, manner: Manner<'_>) -> Result<CopyProgress, CopyError> {
    let Manner { segments, resume, tell, save } = manner;
    let (from, to) = (carrier.source().table.clone(), carrier.target().table.clone());
    let checkpoint = resume.unwrap_or_else(|| Checkpoint::new(&from, &to, segments));
    let is_ours = checkpoint.is_of(&from, &to);
    let ledger = Mutex::new(Ledger::new(checkpoint, tell, save));
    let outcome = if is_circular(carrier) {
        Err(CopyFault::SameTable)
    } else if is_ours {
        all(carrier, &ledger).await
    } else {
        Err(CopyFault::OtherCheckpoint)
    };
    let checkpoint = ledger.into_inner().unwrap_or_else(PoisonError::into_inner).checkpoint;
    match outcome {
        Ok(()) => Ok(checkpoint.progress()),
        Err(fault) => Err(CopyError { from, to, fault, checkpoint }),
    }
}

fn is_circular(carrier: &impl Carrier) -> bool {
    let (from, to) = (carrier.source(), carrier.target());
    from.table == to.table && std::sync::Arc::ptr_eq(&from.store, &to.store)
}

/// All segments at once.
async fn all<'t, C: Carrier>(carrier: &C, ledger: &Mutex<Ledger<'t>>) -> Result<(), CopyFault> {
    carrier.ready()?;
    let positions = lock(ledger).checkpoint.segments().to_vec();
    let total = positions.len();
    let walks = positions.into_iter().enumerate().map(|(segment, position)| {
        let walk = Walk { carrier, ledger, segment, total };
        async move { walk.to_the_end(position).await }
    });
    together(walks.collect()).await.map(drop)
}

/// The walk through one segment.
struct Walk<'c, 't, C> {
    carrier: &'c C,
    ledger: &'c Mutex<Ledger<'t>>,
    segment: usize,
    total: usize,
}

impl<C: Carrier> Walk<'_, '_, C> {
    async fn to_the_end(&self, mut position: Position) -> Result<(), CopyFault> {
        loop {
            let start = match position {
                Position::Start => None,
                Position::After(key) => Some(key),
                Position::Done => return Ok(()),
            };
            let PageOutput { items, last_evaluated_key, .. } = self.page(start).await?;
            let end = last_evaluated_key.map_or(Position::Done, Position::After);
            let mut items = items.unwrap_or_default();
            let mut done = CopyProgress::default();
            // An empty page is a batch too: it may be the end.
            loop {
                let rest = items.split_off(items.len().min(BATCH));
                let here = match (rest.is_empty(), items.last()) {
                    (false, Some(last)) => self.carrier.after(last).map(Position::After),
                    _ => Some(end.clone()),
                };
                done += self.carrier.carry(items).await?;
                // What is done counts from where the walk can go on: what would be carried again is not counted yet.
                if let Some(here) = here
                    && lock(self.ledger).advance(self.segment, here, std::mem::take(&mut done)).is_break()
                {
                    return Err(CopyFault::Stopped);
                }
                if rest.is_empty() {
                    break;
                }
                items = rest;
            }
            position = end;
        }
    }

    async fn page(&self, start_key: Option<Item>) -> Result<PageOutput, CopyFault> {
        let site = self.carrier.source();
        let (segment, total) = (u32::try_from(self.segment), u32::try_from(self.total));
        let segment = match (segment, total) {
            (Ok(segment), Ok(total)) if total > 1 => Some(Segment { segment, total }),
            _ => None,
        };
        let (table, limit) = (site.table.clone(), self.carrier.page_items());
        let scan = Scan { table, start_key, segment, limit, consistent: true, ..Scan::default() };
        let answer = site.send(scan).await;
        answer.map_err(|refusal| CopyFault::Store { operation: "Scan", source: refusal.error })
    }
}

fn lock<'l, 't>(ledger: &'l Mutex<Ledger<'t>>) -> MutexGuard<'l, Ledger<'t>> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
