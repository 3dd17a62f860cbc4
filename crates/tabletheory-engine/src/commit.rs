//! The one path of all writes. Work is queued and done in order by one writer, group by group; the work of a group
//! shares one commit and one fsync. When nothing has to wait for the disk, the caller is the writer.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_channel::oneshot;
use parking_lot::{Condvar, Mutex, RwLock};
use tabletheory_core::{Clock, Response, StoreError};

use crate::alarm::Alarm;
use crate::catalog::Catalog;
use crate::error::panicked;
use crate::ground::Ground;
use crate::group::{Committed, Group};
use crate::kv::{KvError, Persist};
use crate::now::Now;
use crate::staging::Staging;
use crate::table::Rows;
use crate::unwind::caught;

/// Work for the writer. It answers for itself; what it staged becomes true with the group's commit.
pub(crate) trait Work:
    FnOnce(&mut Group<'_>) -> Result<Response, StoreError> + Send + 'static
{
}

impl<W: FnOnce(&mut Group<'_>) -> Result<Response, StoreError> + Send + 'static> Work for W {}

/// A group is closed when this much waits in it, so that one commit stays short.
const GROUP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Commits after which counts are stored even if the writes themselves may be lost.
const COMMITS_UNCOUNTED_MAX: u32 = 255;

/// A caller's work and the way back to the caller.
struct Job {
    work: Box<dyn Work>,
    answer: oneshot::Sender<Result<Response, StoreError>>,
}

/// Everything the writer changes.
#[derive(Debug, Default)]
struct WriterState {
    /// Where the group under way gathers its writes.
    staging: Staging,
    ledger: Ledger,
}

/// What the writer remembers from group to group.
#[derive(Debug, Default)]
struct Ledger {
    catalog: Arc<Catalog>,
    sequence: u64,
    /// Rows whose stored counts are behind. Only writes that may be lost anyway leave their counts for later.
    uncounted: Vec<Arc<Rows>>,
    commits_uncounted: u32,
    /// Why no further write is accepted.
    failure: Option<StoreError>,
}

impl Ledger {
    fn note_counts(&mut self, saved: bool, committed: &Committed<'_>) {
        if saved {
            self.uncounted.clear();
            self.commits_uncounted = 0;
            return;
        }
        self.commits_uncounted += 1;
        for rows in committed.counted() {
            if self.uncounted.iter().all(|known| known.number != rows.number) {
                self.uncounted.push(Arc::clone(rows));
            }
        }
        self.uncounted.retain(|rows| !committed.dropped.contains(&rows.number));
    }
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// The writer, its queue, and the catalog it publishes.
pub(crate) struct Writer {
    ground: Ground,
    clock: Arc<dyn Clock>,
    persist: Persist,
    catalog: RwLock<Arc<Catalog>>,
    state: Mutex<WriterState>,
    queue: Mutex<Queue>,
    arrived: Condvar,
    /// Rings when tables were made, changed or removed: there may be an index to fill.
    catalog_changed: Alarm,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("persist", &self.persist)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// How work is answered: at once, or after a commit that others share.
#[derive(Debug)]
pub(crate) enum Answer {
    Now(Result<Response, StoreError>),
    Later(oneshot::Receiver<Result<Response, StoreError>>),
}

impl Writer {
    pub(crate) fn new(
        ground: Ground,
        clock: Arc<dyn Clock>,
        persist: Persist,
        catalog: Catalog,
        sequence: u64,
    ) -> Self {
        let catalog = Arc::new(catalog);
        Self {
            ground,
            clock,
            persist,
            catalog: RwLock::new(Arc::clone(&catalog)),
            state: Mutex::new(WriterState {
                staging: Staging::default(),
                ledger: Ledger { catalog, sequence, ..Ledger::default() },
            }),
            queue: Mutex::default(),
            arrived: Condvar::new(),
            catalog_changed: Alarm::default(),
        }
    }

    pub(crate) fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The tables and streams as of the last commit.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read())
    }

    /// Rings when tables were made, changed or removed.
    pub(crate) fn catalog_changed(&self) -> &Alarm {
        &self.catalog_changed
    }

    /// Has the work done.
    pub(crate) fn submit(&self, work: impl Work) -> Answer {
        if self.persist != Persist::Sync {
            return Answer::Now(self.run_alone(work));
        }
        let (answer, receiver) = oneshot::channel();
        {
            let mut queue = self.queue.lock();
            if queue.closed {
                return Answer::Now(Err(StoreError::Internal("the embedded store is closed".to_owned())));
            }
            queue.jobs.push_back(Job { work: Box::new(work), answer });
        }
        self.arrived.notify_one();
        Answer::Later(receiver)
    }

    fn run_alone(&self, work: impl Work) -> Result<Response, StoreError> {
        let WriterState { staging, ledger } = &mut *self.state.lock();
        if let Some(failure) = &ledger.failure {
            return Err(failure.clone());
        }
        let mut group = self.begin(staging, ledger);
        let response = attempt(work, &mut group)?;
        self.finish(group, ledger)?;
        Ok(response)
    }

    fn begin<'g>(&'g self, staging: &'g mut Staging, ledger: &Ledger) -> Group<'g> {
        Group::new(&self.ground, Arc::clone(&ledger.catalog), ledger.sequence, Now::of(&*self.clock), staging)
    }

    fn finish(&self, mut group: Group<'_>, ledger: &mut Ledger) -> Result<(), StoreError> {
        let saves_counts = self.persist != Persist::None || ledger.commits_uncounted >= COMMITS_UNCOUNTED_MAX;
        if saves_counts {
            ledger.uncounted.iter().for_each(|rows| group.include_counts(rows));
        }
        // After a panic on the way, as after a failure of the storage, nobody knows what was committed.
        let committed = caught(|| group.commit(self.persist, saves_counts));
        match committed.unwrap_or_else(|message| Err(panicked(&message))) {
            Ok(committed) => {
                ledger.sequence = committed.sequence;
                ledger.note_counts(saves_counts, &committed);
                if committed.catalog_changed {
                    ledger.catalog = Arc::clone(&committed.catalog);
                    *self.catalog.write() = committed.catalog;
                    self.catalog_changed.ring();
                }
                Ok(())
            }
            Err(failure) => {
                ledger.failure = Some(refusal(&failure));
                Err(failure)
            }
        }
    }

    /// Takes groups from the queue until it is closed and empty. One thread runs this.
    pub(crate) fn run(&self) {
        // If the writer dies of a broken invariant, callers must hear of it instead of waiting for ever.
        struct CloseOnExit<'w>(&'w Writer);
        impl Drop for CloseOnExit<'_> {
            fn drop(&mut self) {
                let mut queue = self.0.queue.lock();
                queue.closed = true;
                queue.jobs.clear();
            }
        }
        let _close = CloseOnExit(self);
        let mut jobs = VecDeque::new();
        loop {
            {
                let mut queue = self.queue.lock();
                while queue.jobs.is_empty() {
                    if queue.closed {
                        return;
                    }
                    self.arrived.wait(&mut queue);
                }
                std::mem::swap(&mut jobs, &mut queue.jobs);
            }
            while !jobs.is_empty() {
                self.run_group(&mut jobs);
            }
        }
    }

    fn run_group(&self, jobs: &mut VecDeque<Job>) {
        let mut state = self.state.lock();
        let WriterState { staging, ledger } = &mut *state;
        let mut answers = Vec::with_capacity(jobs.len());
        let mut group = self.begin(staging, ledger);
        let mut failure = ledger.failure.clone();
        while failure.is_none() && group.bytes() < GROUP_BYTES_MAX {
            let Some(job) = jobs.pop_front() else { break };
            let response = attempt(job.work, &mut group);
            failure = group.broken();
            answers.push((job.answer, response));
        }
        let outcome = match failure {
            Some(failure) => Err(failure),
            None => self.finish(group, ledger),
        };
        if let Some(failure) = &ledger.failure {
            for job in jobs.drain(..) {
                let _ = job.answer.send(Err(failure.clone()));
            }
        }
        drop(state);
        for (answer, response) in answers {
            // A caller that no longer waits is no concern of ours: the write stands.
            let _ = answer.send(outcome.clone().and(response));
        }
    }

    /// Lets the writer finish what is queued and refuses the rest.
    pub(crate) fn close(&self) {
        self.queue.lock().closed = true;
        self.arrived.notify_all();
    }

    /// Makes everything durable, and closes the storage cleanly, so that opening it again has little to replay.
    ///
    /// # Errors
    /// If something may not be durable; also if a write failed before.
    pub(crate) fn settle(&self) -> Result<(), StoreError> {
        {
            let WriterState { staging, ledger } = &mut *self.state.lock();
            if !ledger.uncounted.is_empty() && ledger.failure.is_none() {
                ledger.commits_uncounted = COMMITS_UNCOUNTED_MAX;
                let group = self.begin(staging, ledger);
                // The writer remembers a failure.
                let _ = self.finish(group, ledger);
            }
        }
        let persisted = self.persist();
        // What is durable is so in the journal; a failure here costs the next opening some time and nothing else.
        let _ = self.ground.kv.flush();
        persisted
    }

    /// Makes everything committed so far durable.
    pub(crate) fn persist(&self) -> Result<(), StoreError> {
        self.persist_by(|| self.ground.kv.persist())
    }

    /// Writers do not wait for the disk: while `sync` runs, writes are committed and answered. They are as safe as if
    /// they had come just before it. If it fails, the storage refuses commits by itself until we have noted why.
    fn persist_by(&self, sync: impl FnOnce() -> Result<(), KvError>) -> Result<(), StoreError> {
        let failure = self.state.lock().ledger.failure.clone();
        failure.map_or(Ok(()), Err)?;
        sync().map_err(|error| {
            let failure = StoreError::from(error);
            self.state.lock().ledger.failure.get_or_insert_with(|| refusal(&failure));
            failure
        })
    }
}

/// Has work done in a group. If it panics, that is its failure; if it had begun to change the group, it may have left
/// something by half, and the group is given up as after a failure of the storage.
fn attempt(work: impl Work, group: &mut Group<'_>) -> Result<Response, StoreError> {
    let before = group.progress();
    caught(|| work(group)).unwrap_or_else(|message| {
        let failure = panicked(&message);
        if group.progress() != before {
            group.give_up(failure.clone());
        }
        Err(failure)
    })
}

/// What every later caller is told. What reached the disk is unknown after a failure, and a write that succeeded would
/// hide that.
fn refusal(failure: &StoreError) -> StoreError {
    StoreError::Internal(format!(
        "the embedded store accepts no writes since one failed: {failure}; open it again to go on"
    ))
}

/// Waits for an answer.
pub(crate) fn wait(
    receiver: oneshot::Receiver<Result<Response, StoreError>>,
) -> Result<Response, StoreError> {
    futures_executor::block_on(receiver).unwrap_or_else(|oneshot::Canceled| Err(gone()))
}

/// What a caller is told whose work was dropped.
pub(crate) fn gone() -> StoreError {
    StoreError::Internal("the embedded store was closed before the write was answered".to_owned())
}

#[cfg(test)]
mod tests;
