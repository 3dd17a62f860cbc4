//! Where a scene's bodies lie: in memory, dated by the scene's clock, with trouble on demand.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use parking_lot::Mutex;
use tabletheory_core::{Clock, Timestamp};

use super::tally::Tally;

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

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
        Some(Mishap::Fails) => {
            Err(Error::Generic { store: "scene", source: "the disk of the scene is on fire".into() })
        }
    }
}

impl fmt::Display for SceneObjects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the scene's objects")
    }
}

/// The signatures are those that `async_trait` makes.
impl ObjectStore for SceneObjects {
    fn put_opts<'s, 'l, 'f>(
        &'s self,
        at: &'l Path,
        payload: PutPayload,
        opts: PutOptions,
    ) -> Answer<'f, PutResult>
    where
        's: 'f,
        'l: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.tally.count("body-puts");
            let mishap = self.puts.lock().pop_front();
            befall(mishap).await?;
            self.dates.lock().insert(at.clone(), self.clock.now());
            self.memory.put_opts(at, payload, opts).await
        })
    }

    fn put_multipart_opts<'s, 'l, 'f>(
        &'s self,
        at: &'l Path,
        opts: PutMultipartOptions,
    ) -> Answer<'f, Box<dyn MultipartUpload>>
    where
        's: 'f,
        'l: 'f,
        Self: 'f,
    {
        self.memory.put_multipart_opts(at, opts)
    }

    fn get_opts<'s, 'l, 'f>(&'s self, at: &'l Path, options: GetOptions) -> Answer<'f, GetResult>
    where
        's: 'f,
        'l: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.tally.count("body-gets");
            let mishap = self.gets.lock().pop_front();
            befall(mishap).await?;
            self.memory.get_opts(at, options).await
        })
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.memory.delete_stream(locations)
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

    fn list_with_delimiter<'s, 'p, 'f>(&'s self, prefix: Option<&'p Path>) -> Answer<'f, ListResult>
    where
        's: 'f,
        'p: 'f,
        Self: 'f,
    {
        self.memory.list_with_delimiter(prefix)
    }

    fn copy_opts<'s, 'a, 'b, 'f>(
        &'s self,
        from: &'a Path,
        to: &'b Path,
        options: CopyOptions,
    ) -> Answer<'f, ()>
    where
        's: 'f,
        'a: 'f,
        'b: 'f,
        Self: 'f,
    {
        self.memory.copy_opts(from, to, options)
    }
}
