//! Raw fjall with a group commit by hand: the upper limit of what an engine on fjall can reach. Writers queue; one thread
//! applies the queue as one batch, syncs once, and answers all of them. No validation, no indexes, no types.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow, bail};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use tokio::sync::oneshot;

use crate::contender::{Answer, AsyncContender, Contender, Operation, Pending};
use crate::record::{Key, Record};

const LOAD_BATCH: usize = 1000;

pub(crate) struct RawFjall {
    database: Database,
    items: Keyspace,
    queue: Arc<Queue>,
    committer: Option<JoinHandle<()>>,
}

/// One put and whom to tell.
struct Put {
    key: Vec<u8>,
    value: Vec<u8>,
    done: oneshot::Sender<Result<(), String>>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Put>,
    is_closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with the queue in hand")
    }

    /// Everything that waits, or `None` when the queue is closed and empty.
    fn take(&self) -> Option<Vec<Put>> {
        let mut state = self.lock();
        while state.waiting.is_empty() {
            if state.is_closed {
                return None;
            }
            state = self.filled.wait(state).expect("nobody panics with the queue in hand");
        }
        Some(std::mem::take(&mut state.waiting))
    }
}

impl RawFjall {
    /// Opens a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let database = Database::builder(folder).open()?;
        let items = database.keyspace("items", KeyspaceCreateOptions::default)?;
        let queue = Arc::new(Queue::default());
        let committer = {
            let (database, items, queue) = (database.clone(), items.clone(), Arc::clone(&queue));
            std::thread::Builder::new()
                .name("committer".into())
                .spawn(move || commit(&database, &items, &queue))?
        };
        Ok(Self { database, items, queue, committer: Some(committer) })
    }

    fn enqueue(&self, record: &Record) -> oneshot::Receiver<Result<(), String>> {
        let (done, answer) = oneshot::channel();
        let put = Put { key: encode_key(&record.key), value: encode(record), done };
        self.queue.lock().waiting.push(put);
        self.queue.filled.notify_one();
        answer
    }
}

/// Answers what only reads.
pub(crate) fn read(items: &Keyspace, operation: &Operation) -> Result<Answer> {
    match operation {
        Operation::Get(key) => Ok(Answer::Found(u64::from(items.get(encode_key(key))?.is_some()))),
        Operation::Query(pk) => {
            let mut found = 0;
            for item in items.prefix(encode_partition(pk)) {
                item.value()?;
                found += 1;
            }
            Ok(Answer::Found(found))
        }
        other => bail!("raw fjall has no {other:?}"),
    }
}

/// Writes many items in batches and syncs at the end.
pub(crate) fn load(
    database: &Database,
    items: &Keyspace,
    records: &mut dyn Iterator<Item = Record>,
) -> Result<()> {
    loop {
        let mut batch = database.batch();
        for record in (&mut *records).take(LOAD_BATCH) {
            batch.insert(items, encode_key(&record.key), encode(&record));
        }
        if batch.is_empty() {
            return Ok(database.persist(PersistMode::SyncData)?);
        }
        batch.commit()?;
    }
}

/// The committer's life: take the queue, write it, sync once, answer.
fn commit(database: &Database, items: &Keyspace, queue: &Queue) {
    while let Some(puts) = queue.take() {
        let mut batch = database.batch().durability(Some(PersistMode::SyncData));
        let mut writers = Vec::with_capacity(puts.len());
        for put in puts {
            batch.insert(items, put.key, put.value);
            writers.push(put.done);
        }
        let outcome = batch.commit().map_err(|error| error.to_string());
        for writer in writers {
            // A writer that went away does not want to know.
            let _ = writer.send(outcome.clone());
        }
    }
}

impl Contender for RawFjall {
    fn load(&self, records: &mut dyn Iterator<Item = Record>) -> Result<()> {
        load(&self.database, &self.items, records)
    }

    fn call(&self, operation: Operation) -> Result<Answer> {
        match operation {
            Operation::Put(record) => {
                let answer = self.enqueue(&record).blocking_recv().context("the committer is gone")?;
                answer.map(|()| Answer::Written).map_err(|error| anyhow!(error))
            }
            other => read(&self.items, &other),
        }
    }

    fn async_face(&self) -> Option<&dyn AsyncContender> {
        Some(self)
    }
}

impl AsyncContender for RawFjall {
    fn submit(&self, operation: Operation) -> Pending<'_> {
        Box::pin(async move {
            match operation {
                Operation::Put(record) => {
                    let answer = self.enqueue(&record).await.context("the committer is gone")?;
                    answer.map(|()| Answer::Written).map_err(|error| anyhow!(error))
                }
                other => read(&self.items, &other),
            }
        })
    }
}

impl Drop for RawFjall {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.filled.notify_all();
        if let Some(committer) = self.committer.take() {
            let _ = committer.join();
        }
    }
}

fn encode_partition(pk: &str) -> Vec<u8> {
    [pk.as_bytes(), &[0]].concat()
}

pub(crate) fn encode_key(key: &Key) -> Vec<u8> {
    [key.pk.as_bytes(), &[0], key.sk.as_bytes()].concat()
}

/// The attributes one after the other, names included: as many bytes as the others store.
pub(crate) fn encode(record: &Record) -> Vec<u8> {
    let Record { key, owner, title, body, hits } = record;
    let mut value = Vec::with_capacity(280);
    let texts = [("pk", &key.pk), ("sk", &key.sk), ("owner", owner), ("title", title), ("body", body)];
    for (name, text) in texts {
        value.extend_from_slice(name.as_bytes());
        value.extend_from_slice(text.as_bytes());
    }
    value.extend_from_slice(b"hits");
    value.extend_from_slice(&hits.to_be_bytes());
    value
}
