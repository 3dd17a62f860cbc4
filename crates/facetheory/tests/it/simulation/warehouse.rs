//! The object store that all workers share: in memory, dated by true time, with puts and reads that are late or fail.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _};
use futures_util::{FutureExt as _, TryStreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use parking_lot::Mutex;
use tokio::time::sleep;

use super::stage::Stage;

type Boxed<'f, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'f>>;

#[derive(Debug)]
pub(super) struct Warehouse {
    stage: Arc<Stage>,
    shelves: InMemory,
    dates_ms: Arc<Mutex<HashMap<Path, i64>>>,
}

impl Warehouse {
    pub(super) fn new(stage: &Arc<Stage>) -> Arc<Self> {
        Arc::new(Self { stage: Arc::clone(stage), shelves: InMemory::new(), dates_ms: Arc::default() })
    }

    /// What lies there, whatever goes wrong for others.
    pub(super) fn peek(&self, pointer: &str) -> Option<Bytes> {
        let path = Path::parse(pointer).ok()?;
        let found = self.shelves.get(&path).now_or_never().unwrap().ok()?;
        found.bytes().now_or_never().unwrap().ok()
    }

    /// All that lies there.
    pub(super) fn list_all(&self) -> Vec<String> {
        let listed = self.shelves.list(None).try_collect::<Vec<_>>().now_or_never().unwrap().unwrap();
        listed.into_iter().map(|object| object.location.to_string()).collect()
    }

    fn failure() -> Error {
        Error::Generic { store: "simulation", source: "out of order".into() }
    }

    /// Waits, or fails, as the dice say.
    async fn trouble(&self, name: &str) -> Result<()> {
        if !self.stage.is_troubled() {
            return Ok(());
        }
        match self.stage.roll(100) {
            0..=1 => {
                self.stage.count(format!("{name} that failed"));
                Err(Self::failure())
            }
            2..=9 => {
                self.stage.count(format!("{name} that were slow"));
                sleep(self.stage.span(100, 6_000)).await;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Warehouse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("warehouse")
    }
}

impl ObjectStore for Warehouse {
    fn put_opts<'life0, 'life1, 'f>(
        &'life0 self,
        location: &'life1 Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Boxed<'f, PutResult>
    where
        'life0: 'f,
        'life1: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.trouble("body puts").await?;
            // Dated when it arrives, which is before its answer does.
            self.dates_ms.lock().insert(location.clone(), self.stage.now().millis());
            let put = self.shelves.put_opts(location, payload, options).await?;
            self.trouble("answers to body puts").await?;
            Ok(put)
        })
    }

    fn put_multipart_opts<'life0, 'life1, 'f>(
        &'life0 self,
        location: &'life1 Path,
        options: PutMultipartOptions,
    ) -> Boxed<'f, Box<dyn MultipartUpload>>
    where
        'life0: 'f,
        'life1: 'f,
        Self: 'f,
    {
        self.shelves.put_multipart_opts(location, options)
    }

    fn get_opts<'life0, 'life1, 'f>(
        &'life0 self,
        location: &'life1 Path,
        options: GetOptions,
    ) -> Boxed<'f, GetResult>
    where
        'life0: 'f,
        'life1: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.trouble("body reads").await?;
            self.shelves.get_opts(location, options).await
        })
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.shelves.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let dates_ms = Arc::clone(&self.dates_ms);
        let dated = move |mut object: ObjectMeta| {
            let date_ms = dates_ms.lock().get(&object.location).copied().unwrap();
            let off_ms = date_ms - object.last_modified.timestamp_millis();
            let off = Duration::from_millis(off_ms.unsigned_abs());
            object.last_modified =
                if off_ms < 0 { object.last_modified - off } else { object.last_modified + off };
            object
        };
        self.shelves.list(prefix).map_ok(dated).boxed()
    }

    fn list_with_delimiter<'life0, 'life1, 'f>(
        &'life0 self,
        prefix: Option<&'life1 Path>,
    ) -> Boxed<'f, ListResult>
    where
        'life0: 'f,
        'life1: 'f,
        Self: 'f,
    {
        self.shelves.list_with_delimiter(prefix)
    }

    fn copy_opts<'life0, 'life1, 'life2, 'f>(
        &'life0 self,
        from: &'life1 Path,
        to: &'life2 Path,
        options: CopyOptions,
    ) -> Boxed<'f, ()>
    where
        'life0: 'f,
        'life1: 'f,
        'life2: 'f,
        Self: 'f,
    {
        self.shelves.copy_opts(from, to, options)
    }
}
