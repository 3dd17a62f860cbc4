//! The engine as its users hold it: opening and closing, the match from requests to operations, the async seam.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use futures_channel::oneshot;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::sys::{SystemClock, SystemEntropy};
use tabletheory_core::{Clock, Entropy, Operation, Request, Response, Store, StoreError};

use crate::alarm::Alarm;
use crate::cache::RowCache;
use crate::catalog::{self, row};
use crate::commit::{self, Answer, Work, Writer};
use crate::error::EngineError;
use crate::ground::{Ground, SystemSpaces};
use crate::kv::Kv;
use crate::now::Now;
use crate::op::{batch, item, read, statement, stream, table, transact};
use crate::settings::{Durability, Settings};
use crate::upkeep::{self, Upkeep, Walks};
use crate::view::View;

/// An embedded store with DynamoDB's behaviour. Cloning is cheap and gives another handle to the same store; the folder
/// is closed when the last handle goes. [`Engine::close`] also tells whether everything has reached the disk.
#[derive(Debug, Clone)]
pub struct Engine {
    // Field order is drop order: the threads end before the storage is let go.
    threads: Arc<Threads>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    writer: Writer,
    walks: Walks,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    /// Tells the regular fsync to end.
    fsync_alarm: Alarm,
}

impl Engine {
    /// Opens the engine in this folder, making it if it is not there.
    ///
    /// # Errors
    /// If another process has the folder open, if stored bytes are damaged (the error names the file), or if the folder
    /// was written by a newer version.
    pub fn open(path: impl AsRef<Path>, settings: Settings) -> Result<Self, EngineError> {
        Self::open_with(path, settings, Arc::new(SystemClock), Arc::new(SystemEntropy))
    }

    /// Opens the engine with a clock and randomness of the caller's.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn open_with(
        path: impl AsRef<Path>,
        settings: Settings,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, EngineError> {
        let path = path.as_ref();
        let kv = Kv::open(path, &settings.kv_options())?;
        let cache = (settings.item_cache_bytes > 0).then(|| RowCache::new(settings.item_cache_bytes));
        Self::start(kv, cache, &settings, path, clock, entropy)
    }

    /// An engine that lives in memory and ends with its last handle.
    ///
    /// # Panics
    /// If the operating system gives no thread.
    #[must_use]
    pub fn memory() -> Self {
        Self::memory_with(Settings::default(), Arc::new(SystemClock), Arc::new(SystemEntropy))
    }

    /// An engine in memory with a clock and randomness of the caller's. Of the settings only `upkeep_every` counts: its
    /// durability is always that of memory, and what it holds is bounded by nothing but the machine.
    ///
    /// # Panics
    /// If the operating system gives no thread.
    #[must_use]
    pub fn memory_with(settings: Settings, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        let settings = Settings { durability: Durability::Memory, ..settings };
        Self::start(Kv::memory(), None, &settings, Path::new("memory"), clock, entropy)
            .expect("memory cannot be damaged, locked or full, and threads were started before")
    }

    fn start(
        kv: Kv,
        cache: Option<RowCache>,
        settings: &Settings,
        path: &Path,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, EngineError> {
        let spaces = SystemSpaces::of(&kv);
        let catalog = catalog::recover(&kv, &spaces.catalog)?;
        let sequence = catalog::read_number(&kv, &spaces.catalog, row::SEQUENCE)?;
        let ground = Ground { kv, spaces, cache };
        let writer =
            Writer::new(ground, Arc::clone(&clock), settings.durability.persist(), catalog, sequence);
        let shared = Arc::new(Shared {
            writer,
            walks: Walks::default(),
            clock,
            entropy,
            fsync_alarm: Alarm::default(),
        });
        let threads = Threads::start(&shared, settings, path.to_owned())?;
        Ok(Self { threads: Arc::new(threads), shared })
    }

    /// Performs one operation and waits for it. Not for use inside async code: there, the engine is a [`Store`].
    ///
    /// # Errors
    /// The service's.
    pub fn apply(&self, request: Request) -> Result<Response, StoreError> {
        match self.shared.begin(request)? {
            Answer::Now(result) => result,
            Answer::Later(receiver) => commit::wait(receiver),
        }
    }

    /// Performs one operation, waits for it, and gives its own output. Not for use inside async code.
    ///
    /// ```
    /// use tabletheory_core::store::op::ListTables;
    ///
    /// let engine = tabletheory_engine::Engine::memory();
    /// assert!(engine.run(ListTables::default())?.tables.is_empty());
    /// # Ok::<(), tabletheory_core::StoreError>(())
    /// ```
    ///
    /// # Errors
    /// The service's.
    pub fn run<O: Operation>(&self, operation: O) -> Result<O::Output, StoreError> {
        self.apply(operation.into_request()).map(O::from_response)
    }

    /// Does one bounded step of what time brings: expired items, old stream records, spent tokens, new indexes. The
    /// engine does this by itself unless [`Settings::upkeep_every`] is `None`.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn upkeep(&self) -> Result<Upkeep, StoreError> {
        self.shared.upkeep()
    }

    /// Makes every write that was answered durable and tells whether that worked. The last handle also ends the engine's
    /// threads and closes the folder, as dropping it does. While there are other handles the engine stays open: what
    /// they write from now on is theirs to close.
    ///
    /// ```
    /// let engine = tabletheory_engine::Engine::memory();
    /// let other = engine.clone();
    /// engine.close()?; // `other` still works.
    /// other.close()?;
    /// # Ok::<(), tabletheory_engine::EngineError>(())
    /// ```
    ///
    /// # Errors
    /// [`EngineError::Unsettled`] if a write or an fsync failed, now or earlier. The folder is closed all the same.
    pub fn close(self) -> Result<(), EngineError> {
        let Self { threads, shared } = self;
        let settled = match Arc::into_inner(threads) {
            Some(mut threads) => threads.end(),
            None => shared.writer.persist(),
        };
        settled.map_err(|source| EngineError::Unsettled { source })
    }
}

impl Store for Engine {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            match self.shared.begin(request)? {
                Answer::Now(result) => result,
                Answer::Later(receiver) => {
                    receiver.await.unwrap_or_else(|oneshot::Canceled| Err(commit::gone()))
                }
            }
        })
    }
}

impl Shared {
    /// Answers a read, and hands a write to the writer.
    fn begin(&self, request: Request) -> Result<Answer, StoreError> {
        let view = &View {
            ground: self.writer.ground(),
            catalog: self.writer.catalog(),
            now: Now::of(&*self.clock),
        };
        macro_rules! answer {
            ($operation:ident, $output:expr) => {
                Ok(Answer::Now(Ok(Response::$operation(Box::new($output?)))))
            };
        }
        match request {
            Request::GetItem(request) => answer!(GetItem, item::get(view, *request)),
            Request::PutItem(request) => self.write(item::put(view, *request)),
            Request::UpdateItem(request) => self.write(item::update(view, *request)),
            Request::DeleteItem(request) => self.write(item::delete(view, *request)),
            Request::Query(request) => answer!(Query, read::query(view, *request)),
            Request::Scan(request) => answer!(Scan, read::scan(view, *request)),
            Request::BatchGetItem(request) => answer!(BatchGetItem, batch::get(view, *request)),
            Request::BatchWriteItem(request) => self.write(batch::write(view, *request)),
            Request::TransactGetItems(request) => answer!(TransactGetItems, transact::get(view, *request)),
            Request::TransactWriteItems(request) => self.write(transact::write(view, *request)),
            Request::CreateTable(request) => {
                self.write(table::create(*request, format!("{:032x}", self.entropy.bits())))
            }
            Request::DescribeTable(request) => answer!(DescribeTable, table::describe(view, &request)),
            Request::ListTables(request) => answer!(ListTables, table::list(view, &request)),
            Request::UpdateTable(request) => self.write(Ok(table::update(*request))),
            Request::DeleteTable(request) => self.write(Ok(table::delete(*request))),
            Request::UpdateTimeToLive(request) => self.write(table::time_to_live::update(*request)),
            Request::DescribeTimeToLive(request) => {
                answer!(DescribeTimeToLive, table::time_to_live::describe(view, &request))
            }
            Request::TagResource(request) => self.write(Ok(table::tags::tag(*request))),
            Request::UntagResource(request) => self.write(Ok(table::tags::untag(*request))),
            Request::ListTagsOfResource(request) => {
                answer!(ListTagsOfResource, table::tags::list(view, &request))
            }
            Request::ListStreams(request) => answer!(ListStreams, stream::list(view, &request)),
            Request::DescribeStream(request) => answer!(DescribeStream, stream::describe(view, &request)),
            Request::GetShardIterator(request) => {
                answer!(GetShardIterator, stream::shard_iterator(view, &request))
            }
            Request::GetRecords(request) => answer!(GetRecords, stream::records(view, &request)),
            Request::ExecuteStatement(request) => self.statement(statement::execute(view, *request)),
            Request::BatchExecuteStatement(request) => self.statement(statement::batch(view, *request)),
            Request::ExecuteTransaction(request) => self.statement(statement::transaction(view, *request)),
        }
    }

    fn write(&self, work: Result<impl Work, StoreError>) -> Result<Answer, StoreError> {
        Ok(self.writer.submit(work?))
    }

    fn statement(&self, outcome: Result<statement::Outcome, StoreError>) -> Result<Answer, StoreError> {
        match outcome? {
            statement::Outcome::Read(response) => Ok(Answer::Now(Ok(response))),
            statement::Outcome::Write(work) => self.write(Ok(work)),
        }
    }

    fn upkeep(&self) -> Result<Upkeep, StoreError> {
        upkeep::step(&self.writer, &self.walks, self.clock.now())
    }
}

/// The engine's own threads. They end when this is dropped, and then the folder is closed cleanly.
#[derive(Debug)]
struct Threads {
    shared: Arc<Shared>,
    running: Vec<JoinHandle<()>>,
    ended: bool,
}

impl Threads {
    fn start(shared: &Arc<Shared>, settings: &Settings, path: PathBuf) -> Result<Self, EngineError> {
        let mut threads = Self { shared: Arc::clone(shared), running: Vec::new(), ended: false };
        let spawn = |name: &'static str, body: Box<dyn FnOnce(&Shared) + Send>| {
            let shared = Arc::clone(shared);
            let thread = std::thread::Builder::new().name(format!("theory-{name}"));
            let running = thread.spawn(move || body(&shared));
            running.map_err(|source| EngineError::Thread { name, path: path.clone(), source })
        };
        match settings.durability {
            Durability::Sync => {
                threads.running.push(spawn("commit", Box::new(|shared| shared.writer.run()))?)
            }
            Durability::Interval(millis) => {
                let every = Duration::from_millis(millis);
                threads
                    .running
                    .push(spawn("fsync", Box::new(move |shared| persist_regularly(shared, every)))?);
            }
            Durability::Memory => {}
        }
        if let Some(every) = settings.upkeep_every {
            threads.running.push(spawn("upkeep", Box::new(move |shared| upkeep_regularly(shared, every)))?);
        }
        Ok(threads)
    }
}

fn persist_regularly(shared: &Shared, every: Duration) {
    let alarm = &shared.fsync_alarm;
    while alarm.wait(every).is_some() {
        // The writer remembers a failure and tells it to everybody who writes.
        let _ = shared.writer.persist();
    }
}

fn upkeep_regularly(shared: &Shared, every: Duration) {
    let mut pause = every;
    while shared.writer.catalog_changed().wait(pause).is_some() {
        // A failure is the storage's: the next write meets it too and tells its caller.
        let at_once = shared.upkeep().is_ok_and(|done| done.at_once);
        pause = if at_once { Duration::from_millis(1) } else { every };
    }
}

impl Threads {
    /// Ends the threads, and closes the storage cleanly. Only the first time does something.
    fn end(&mut self) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.shared.writer.catalog_changed().end();
        self.shared.fsync_alarm.end();
        self.shared.writer.close();
        for running in self.running.drain(..) {
            // A thread that died of a broken invariant has said so on its way.
            let _ = running.join();
        }
        self.shared.writer.settle()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Who wants to know calls `Engine::close`.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests;
