//! Where a scene's bodies lie: in memory, dated by the scene's clock, with trouble on demand.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt};
use local_objects::{Trouble, failure};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt, PutOptions, PutPayload, PutResult, Result,
};
use parking_lot::Mutex;
use tabletheory_core::{Clock, Timestamp};

use super::tally::Tally;

/// What goes wrong with one call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mishap {
    Fails,
    TakesLong(Duration),
}

/// Objects that all workers of a scene share.
#[derive(Debug)]
pub(crate) struct SceneObjects {
    memory: InMemory,
    clock: Arc<dyn Clock>,
    tally: Tally,
    dates: Arc<Mutex<HashMap<Path, Timestamp>>>,
    gets: Mutex<VecDeque<Mishap>>,
    puts: Mutex<VecDeque<Mishap>>,
}

impl SceneObjects {
    pub(crate) fn new(clock: Arc<dyn Clock>, tally: Tally) -> Self {
        let (dates, gets, puts) = (Arc::default(), Mutex::default(), Mutex::default());
        Self { memory: InMemory::new(), clock, tally, dates, gets, puts }
    }

    pub(super) fn get_mishap(&self, mishap: Mishap) {
        self.gets.lock().push_back(mishap);
    }

    pub(super) fn put_mishap(&self, mishap: Mishap) {
        self.puts.lock().push_back(mishap);
    }

    pub(super) async fn count(&self) -> usize {
        self.memory.list(None).count().await
    }

    pub(super) async fn read(&self, pointer: &str) -> Option<Vec<u8>> {
        let found = self.memory.get(&Path::from(pointer)).await.ok()?;
        Some(found.bytes().await.unwrap().to_vec())
    }

    pub(super) async fn write(&self, pointer: &str, bytes: Option<Vec<u8>>) {
        let location = Path::from(pointer);
        match bytes {
            Some(bytes) => self.memory.put(&location, bytes.into()).await.map(drop).unwrap(),
            None => self.memory.delete(&location).await.unwrap(),
        }
        self.dates.lock().insert(location, self.clock.now());
    }
}

async fn befall(mishap: Option<Mishap>) -> Result<()> {
    match mishap {
        None => Ok(()),
        Some(Mishap::TakesLong(span)) => {
            tokio::time::sleep(span).await;
            Ok(())
        }
        Some(Mishap::Fails) => Err(failure("the disk of the scene is on fire")),
    }
}

impl Trouble for SceneObjects {
    fn objects(&self) -> &dyn ObjectStore {
        &self.memory
    }

    async fn put(&self, at: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.tally.count("body-puts");
        let mishap = self.puts.lock().pop_front();
        befall(mishap).await?;
        self.dates.lock().insert(at.clone(), self.clock.now());
        self.memory.put_opts(at, payload, options).await
    }

    async fn get(&self, at: &Path, options: GetOptions) -> Result<GetResult> {
        self.tally.count("body-gets");
        let mishap = self.gets.lock().pop_front();
        befall(mishap).await?;
        self.memory.get_opts(at, options).await
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let dates = Arc::clone(&self.dates);
        let dated = move |object: Result<ObjectMeta>| {
            let mut object = object?;
            if let Some(date) = dates.lock().get(&object.location) {
                let older_ms = object.last_modified.timestamp_millis() - date.millis();
                object.last_modified -=
                    Duration::from_millis(older_ms.try_into().expect("scenes play in the past"));
            }
            Ok(object)
        };
        self.memory.list(prefix).map(dated).boxed()
    }
}
