//! The walk of a copy: read a page, transform its items, write them batch by batch, remember where it stands.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tabletheory_core::Item;
use tabletheory_core::store::op::{PageOutput, Scan, Segment};

use super::checkpoint::{Checkpoint, Position};
use super::copying::{Copying, Route};
use super::error::{CopyError, CopyFault};
use super::item_key::item_key;
use super::ledger::Ledger;
use super::progress::CopyProgress;
use super::seals::Seals;
use super::transformed::Transformed;
use super::write;
use crate::flight::together;
use crate::model::{Model, ModelError};

/// What a segment works with.
struct Work<'c, 't, A, B> {
    route: &'c Route<'t, A, B>,
    seals: &'c Seals<'c>,
    ledger: &'c Mutex<Ledger<'t>>,
    segment: usize,
    total: usize,
}

impl<'t, A: Model, B: Model> Copying<'t, A, B> {
    async fn run(self) -> Result<CopyProgress, CopyError> {
        let Self { route, segments, resume, tell, save } = self;
        let (from, to) = (route.from.name().to_owned(), route.to.name().to_owned());
        let checkpoint = resume.unwrap_or_else(|| Checkpoint::new(&from, &to, segments));
        let is_ours = checkpoint.is_of(&from, &to);
        let ledger = Mutex::new(Ledger::new(checkpoint, tell, save));
        let outcome = if route.is_circular() {
            Err(CopyFault::SameTable)
        } else if is_ours {
            route.copy(&ledger).await
        } else {
            Err(CopyFault::OtherCheckpoint)
        };
        let checkpoint = ledger.into_inner().unwrap_or_else(PoisonError::into_inner).checkpoint;
        match outcome {
            Ok(()) => Ok(checkpoint.progress()),
            Err(fault) => Err(CopyError { from, to, fault, checkpoint }),
        }
    }
}

impl<'t, A: Model, B: Model> Route<'t, A, B> {
    fn is_circular(&self) -> bool {
        let (from, to) = (self.from.site(), self.to.site());
        from.table == to.table && Arc::ptr_eq(&from.store, &to.store)
    }

    async fn copy(&self, ledger: &Mutex<Ledger<'t>>) -> Result<(), CopyFault> {
        let seals = Seals::new(&self.from, &self.to)?;
        let seals = &seals;
        let positions = lock(ledger).checkpoint.segments().to_vec();
        let total = positions.len();
        let works = positions.into_iter().enumerate().map(|(segment, position)| {
            let work = Work { route: self, seals, ledger, segment, total };
            async move { work.copy(position).await }
        });
        together(works.collect()).await.map(drop)
    }
}

fn lock<'l, 't>(ledger: &'l Mutex<Ledger<'t>>) -> std::sync::MutexGuard<'l, Ledger<'t>> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<A: Model, B: Model> Work<'_, '_, A, B> {
    async fn copy(&self, mut position: Position) -> Result<(), CopyFault> {
        loop {
            let start = match position {
                Position::Start => None,
                Position::After(key) => Some(key),
                Position::Done => return Ok(()),
            };
            let PageOutput { items, last_evaluated_key, .. } = self.page(start).await?;
            let end = last_evaluated_key.map_or(Position::Done, Position::After);
            let mut items = items.unwrap_or_default();
            // An empty page is a batch too: it may be the end.
            loop {
                let rest = items.split_off(items.len().min(write::BATCH));
                let here = match (rest.is_empty(), items.last()) {
                    (false, Some(last)) => Position::After(item_key(&A::SCHEMA, last)),
                    _ => end.clone(),
                };
                let done = self.batch(items).await?;
                if lock(self.ledger).advance(self.segment, here, done).is_break() {
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
        let site = self.route.from.site();
        let (segment, total) = (u32::try_from(self.segment), u32::try_from(self.total));
        let segment = match (segment, total) {
            (Ok(segment), Ok(total)) if total > 1 => Some(Segment { segment, total }),
            _ => None,
        };
        let scan =
            Scan { table: site.table.clone(), start_key, segment, consistent: true, ..Scan::default() };
        let answer = site.send(scan).await;
        answer.map_err(|refusal| CopyFault::Store { operation: "Scan", source: refusal.error })
    }

    /// Copies the items of one batch.
    async fn batch(&self, items: Vec<Item>) -> Result<CopyProgress, CopyFault> {
        let Route { to, transform, if_absent, skip_unreadable, .. } = self.route;
        let mut progress = CopyProgress::default();
        let mut out = Vec::with_capacity(items.len());
        let opened = items.into_iter().map(|item| self.seals.open(item)).collect();
        for item in together(opened).await? {
            progress.read += 1;
            let item = match item {
                Ok(item) => item,
                Err(_) if *skip_unreadable => {
                    progress.unreadable += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let key = item_key(&A::SCHEMA, &item);
            match readable(item) {
                Ok(value) => match transform(value) {
                    Transformed::Put(value) => out.push(self.seals.close(value.to_item()?)),
                    Transformed::Skip => progress.skipped += 1,
                    Transformed::Refuse(reason) => return Err(CopyFault::Refused { reason }),
                },
                Err(_) if *skip_unreadable => progress.unreadable += 1,
                Err(source) => {
                    let keys = key.names().map(str::to_owned).collect();
                    return Err(CopyFault::Unreadable { keys, source });
                }
            }
        }
        let out = together(out).await?;
        progress += if *if_absent {
            write::add(to.site(), &B::SCHEMA, out).await?
        } else {
            write::replace(to.site(), &B::SCHEMA, out).await?
        };
        Ok(progress)
    }
}

/// The value of an item, if it is one of the model. The keys of another model may begin alike, and its attributes may be
/// enough for a value that nobody ever stored.
fn readable<A: Model>(item: Item) -> Result<A, ModelError> {
    if A::matches(&item) { A::from_item(item) } else { Err(ModelError::OtherKeys { model: A::NAME }) }
}

impl<'t, A: Model, B: Model> IntoFuture for Copying<'t, A, B> {
    type Output = Result<CopyProgress, CopyError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 't>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
