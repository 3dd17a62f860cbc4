//! A copy, table by table: the target is made, items are copied from where the journal says, both tables are compared, and only then
//! are time to live and the stream switched on, so that nothing expires on its way and nobody is told of the copy itself.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tabletheory::table::{Checkpoint, CopyFault, CopyProgress, Patience, Table, copy_items};
use tabletheory_core::Clock;
use tabletheory_core::sys::SystemClock;
use tokio::time::Instant;

use crate::error::Error;
use crate::journal::{Entry, Journal, Stage};
use crate::pace::{Paced, Rate};
use crate::plan::{Plan, TablePlan, Target};
use crate::side::Side;
use crate::verify::{Comparing, Comparison, ItemDifference};

/// The journal is written so often at most while items are copied. What was copied since is copied again after a crash.
const SAVE_EVERY: Duration = Duration::from_millis(250);

/// How a copy is done.
#[derive(Debug, Clone)]
pub struct TableCopy {
    /// From here.
    pub from: Side,
    /// To there.
    pub to: Side,
    /// How many segments of a table are read and written at once.
    pub segments: u32,
    /// How fast is written.
    pub rate: Rate,
    /// Whether a target that is made gets the stream that its source has, once everything is copied.
    pub with_streams: bool,
}

/// What happens while a copy is done.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A table begins.
    Table(&'a TablePlan),
    /// So much was copied of it, over all runs.
    Copied(CopyProgress),
    /// Both tables are read, to be compared.
    Verifying(&'a TablePlan),
    /// So many more items were read for that.
    Read(u64),
}

/// What came of one table.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was planned.
    pub plan: TablePlan,
    /// What was done, over all runs; none if the table was found to be done.
    pub copied: Option<CopyProgress>,
    /// What the comparison says; none if the table was found to be done.
    pub comparison: Option<Comparison>,
    /// What that means for the copy.
    pub outcome: Outcome,
}

/// How a table and its copy stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Both hold the same items, or the table was found to be done.
    Equal,
    /// The target has every item of the source, beside items of its own that it had before the copy.
    Beside,
    /// The target was empty or made by the copy, has every item of the source, and others: they were deleted from the source after they
    /// were copied, or somebody else put them there. A copy cannot know which, and deletes nothing.
    Extra,
    /// The target lacks items, or has others under their keys.
    Differs,
}

impl Report {
    /// Whether both tables hold the same items.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.outcome == Outcome::Equal
    }

    /// Whether the target has every item of the source, so that there is nothing left to copy.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.outcome != Outcome::Differs
    }

    /// How many items the target has that the source does not have, if it has everything else.
    #[must_use]
    pub fn extra_items(&self) -> u64 {
        match (&self.comparison, self.outcome) {
            (Some(comparison), Outcome::Beside | Outcome::Extra) => {
                comparison.to.items.saturating_sub(comparison.from.items)
            }
            _ => 0,
        }
    }
}

impl TableCopy {
    /// Carries a plan out. The journal is kept up to date, and has to be [finished](Journal::finish) when all reports are
    /// complete.
    ///
    /// # Errors
    /// If a store does not answer, or the journal cannot be written. Then the journal knows from where to go on.
    pub async fn run(
        &self,
        plan: Plan,
        journal: &mut Journal,
        tell: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Vec<Report>, Error> {
        for table in &plan.tables {
            if journal.state.tables.iter().all(|entry| entry.pair != table.pair) {
                journal.state.tables.push(Entry {
                    pair: table.pair.clone(),
                    from_id: table.from_id.clone(),
                    to_id: None,
                    stage: Stage::Waiting,
                    is_made: false,
                    has_own: table.target == Target::HasItems,
                    checkpoint: None,
                });
            }
        }
        journal.save()?;
        let mut reports = Vec::with_capacity(plan.tables.len());
        for table in plan.tables {
            tell(Event::Table(&table));
            reports.push(self.table(table, journal, tell).await?);
        }
        Ok(reports)
    }

    async fn table(
        &self,
        plan: TablePlan,
        journal: &mut Journal,
        tell: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<Report, Error> {
        if plan.target == Target::Done {
            return Ok(Report { plan, copied: None, comparison: None, outcome: Outcome::Equal });
        }
        let at = journal.state.tables.iter().position(|entry| entry.pair == plan.pair).expect("it was added");
        self.make(&plan, journal, at).await?;
        let copied = match journal.state.tables[at].stage {
            Stage::Copied => {
                journal.state.tables[at].checkpoint.as_ref().map(Checkpoint::progress).unwrap_or_default()
            }
            _ => self.items(&plan, journal, at, tell).await?,
        };
        tell(Event::Verifying(&plan));
        let comparison = compare(&self.from, &self.to, &plan, self.segments, tell).await?;
        let outcome = self.outcome(&plan, &comparison, journal.state.tables[at].has_own).await?;
        // With everything in it the copy is at its end, whatever else is there: another run would not change that.
        if outcome != Outcome::Differs {
            if journal.state.tables[at].is_made {
                self.switch_on(&plan).await?;
            }
            journal.state.tables[at].stage = Stage::Done;
        } else {
            // Whoever goes on with this copy begins this table anew: the source has changed meanwhile.
            let entry = &mut journal.state.tables[at];
            (entry.stage, entry.checkpoint) = (Stage::Waiting, None);
        }
        journal.save()?;
        Ok(Report { plan, copied: Some(copied), comparison: Some(comparison), outcome })
    }

    /// Makes the target if it is missing, without time to live, and writes down which table it is.
    async fn make(&self, plan: &TablePlan, journal: &mut Journal, at: usize) -> Result<(), Error> {
        let target = self.target(plan);
        if plan.target == Target::Missing {
            journal.state.tables[at].is_made = true;
            journal.save()?;
            let request = plan.layout.create_table().clone();
            let bare = tabletheory::table::Layout::of_request(request, None);
            let bare = Table::laid_out(Arc::clone(&self.to.store), &bare).with_patience(patience(&self.to));
            bare.ensure().await.map_err(|source| self.failed(source))?;
        }
        let described = target.describe().await.map_err(|source| self.failed(source))?;
        let entry = &mut journal.state.tables[at];
        entry.to_id = Some(described.map(|table| table.id).unwrap_or_default());
        if entry.stage == Stage::Waiting {
            entry.stage = Stage::Copying;
        }
        journal.save()
    }

    /// Copies the items, from where the journal stands.
    async fn items(
        &self,
        plan: &TablePlan,
        journal: &mut Journal,
        at: usize,
        tell: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<CopyProgress, Error> {
        let source =
            Table::laid_out(Arc::clone(&self.from.store), &plan.layout.clone().named(plan.pair.from.clone()));
        let source = source.with_patience(patience(&self.from));
        let segments = usize::try_from(self.segments).unwrap_or(1);
        let mut copying = copy_items(&source, &self.target(plan)).segments(segments);
        if let Some(checkpoint) = journal.state.tables[at].checkpoint.clone() {
            copying = copying.resume(checkpoint);
        }
        let (mut unsaved, mut saved_at): (Option<Error>, Option<Instant>) = (None, None);
        let save = |checkpoint: &Checkpoint| {
            journal.state.tables[at].checkpoint = Some(checkpoint.clone());
            let is_due = saved_at.is_none_or(|at| at.elapsed() >= SAVE_EVERY);
            if !is_due && !checkpoint.is_done() {
                return ControlFlow::Continue(());
            }
            match journal.save() {
                Ok(()) => {
                    saved_at = Some(Instant::now());
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    unsaved = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let told = |progress: &CopyProgress| tell(Event::Copied(*progress));
        let copied = copying.on_progress(told).on_checkpoint(save).await;
        let progress = match (copied, unsaved) {
            (Err(stopped), Some(error)) if stopped.fault == CopyFault::Stopped => return Err(error),
            (Err(stopped), _) => {
                // Where it stopped is worth keeping; that it stopped is what is told.
                let _ = journal.save();
                return Err(Error::Copy(Box::new(stopped)));
            }
            (Ok(progress), _) => progress,
        };
        journal.state.tables[at].stage = Stage::Copied;
        journal.save()?;
        Ok(progress)
    }

    async fn outcome(
        &self,
        plan: &TablePlan,
        comparison: &Comparison,
        has_own: bool,
    ) -> Result<Outcome, Error> {
        if comparison.is_equal() {
            return Ok(Outcome::Equal);
        }
        // Only some are named: that one of them is missing is known, that none is has to be looked up.
        let is_more = |difference| matches!(difference, &ItemDifference::Extra(_));
        if !comparison.differences.iter().all(is_more)
            || comparing(&self.from, &self.to, plan, self.segments).await?.lacks(&self.from, &self.to).await?
        {
            return Ok(Outcome::Differs);
        }
        Ok(if has_own { Outcome::Beside } else { Outcome::Extra })
    }

    /// Lets items expire, and starts the stream if that is wanted, in a target that was made for this copy and has everything. A
    /// table that was there before keeps its switches.
    async fn switch_on(&self, plan: &TablePlan) -> Result<(), Error> {
        let mut table = self.target(plan);
        if let Some(view) = plan.stream.filter(|_| self.with_streams) {
            table = table.with_stream(view);
        }
        table.ensure().await.map(drop).map_err(|source| self.failed(source))
    }

    /// The target, written at the pace that was wanted.
    fn target(&self, plan: &TablePlan) -> Table<()> {
        let paced = Paced::new(Arc::clone(&self.to.store), self.rate);
        Table::laid_out(Arc::new(paced), &plan.layout).with_patience(patience(&self.to))
    }

    fn failed(&self, source: tabletheory::table::TableError) -> Error {
        Error::Table { store: self.to.name.clone(), source: Box::new(source) }
    }
}

/// Each side is waited for as long as it may need.
fn patience(side: &Side) -> Patience {
    Patience { table: side.patience, index: Patience::default().index }
}

/// Compares the tables of a plan, without changing anything.
///
/// # Errors
/// If a store does not answer.
pub async fn compare(
    from: &Side,
    to: &Side,
    plan: &TablePlan,
    segments: u32,
    tell: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Comparison, Error> {
    let comparing = comparing(from, to, plan, segments).await?;
    comparing.run(from, to, &|items| tell(Event::Read(items))).await
}

/// The tables of a plan. Either may remove items by itself, each by an attribute of its own.
async fn comparing(from: &Side, to: &Side, plan: &TablePlan, segments: u32) -> Result<Comparing, Error> {
    let mut ttl: Vec<String> = plan.layout.time_to_live().map(str::to_owned).into_iter().collect();
    for (side, table) in [(from, &plan.pair.from), (to, &plan.pair.to)] {
        ttl.extend(side.time_to_live(table).await?);
    }
    Ok(Comparing {
        from: plan.pair.from.clone(),
        to: plan.pair.to.clone(),
        keys: plan.keys(),
        ttl,
        segments,
        now: SystemClock.now(),
    })
}
