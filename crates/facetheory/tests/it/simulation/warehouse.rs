//! The object store that all workers share: in memory, dated by true time, with puts and reads that are late or fail.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _};
use futures_util::{FutureExt as _, TryStreamExt as _};
use local_objects::{Trouble, failure};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutOptions, PutPayload, PutResult,
    Result,
};
use parking_lot::Mutex;
use tokio::time::sleep;

use super::stage::Stage;

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

    /// Waits, or fails, as the dice say.
    async fn trouble(&self, name: &str) -> Result<()> {
        if !self.stage.is_troubled() {
            return Ok(());
        }
        match self.stage.roll(100) {
            0..=1 => {
                self.stage.count(format!("{name} that failed"));
                Err(failure("out of order"))
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

impl Trouble for Warehouse {
    fn objects(&self) -> &dyn ObjectStore {
        &self.shelves
    }

    async fn put(&self, at: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.trouble("body puts").await?;
        // Dated when it arrives, which is before its answer does.
        self.dates_ms.lock().insert(at.clone(), self.stage.now().millis());
        let put = self.shelves.put_opts(at, payload, options).await?;
        self.trouble("answers to body puts").await?;
        Ok(put)
    }

    async fn get(&self, at: &Path, options: GetOptions) -> Result<GetResult> {
        self.trouble("body reads").await?;
        self.shelves.get_opts(at, options).await
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
}
