//! Bodies in an object store of any kind: in memory, in S3, or what the caller brings.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use parking_lot::Mutex;
use tabletheory_core::{Clock, Timestamp};

use super::error::{BodyError, BodyOperation};
use super::found::Found;
use super::listed::Listed;

/// An object store, and for one that knows no clock but the machine's, the dates by another.
#[derive(Debug, Clone)]
pub(super) struct Objects {
    store: Arc<dyn ObjectStore>,
    dates: Option<Arc<Dates>>,
}

#[derive(Debug)]
struct Dates {
    clock: Arc<dyn Clock>,
    written: Mutex<HashMap<Path, Timestamp>>,
}

impl Objects {
    /// Objects dated by the store.
    pub(super) fn new(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, dates: None }
    }

    /// Objects dated by `clock`.
    pub(super) fn dated(store: Arc<dyn ObjectStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, dates: Some(Arc::new(Dates { clock, written: Mutex::default() })) }
    }

    /// Puts the object; what it was before is gone.
    pub(super) async fn put(&self, location: &Path, bytes: Bytes) -> Result<(), BodyError> {
        let put = self.store.put(location, PutPayload::from(bytes)).await;
        put.map_err(|error| BodyError::of_store(BodyOperation::Put, error))?;
        if let Some(dates) = &self.dates {
            dates.written.lock().insert(location.clone(), dates.clock.now());
        }
        Ok(())
    }

    /// Reads the object, if it has the length that is expected.
    pub(super) async fn get(&self, location: &Path, len: Option<u64>, max: u64) -> Result<Found, BodyError> {
        let of_store = |error| BodyError::of_store(BodyOperation::Get, error);
        let found = match self.store.get(location).await {
            Err(Error::NotFound { .. } | Error::InvalidPath { .. }) => return Ok(Found::Nothing),
            found => found.map_err(of_store)?,
        };
        let size = found.meta.size;
        if len.is_some_and(|len| len != size) {
            return Ok(Found::OtherLength);
        }
        if size > max {
            return Ok(Found::TooLarge(size));
        }
        let bytes = found.bytes().await.map_err(of_store)?;
        Ok(if bytes.len() as u64 == size { Found::Bytes(bytes) } else { Found::OtherLength })
    }

    /// The objects below `prefix`; an error ends the stream.
    pub(super) fn list(&self, prefix: &Path) -> BoxStream<'static, Result<Listed, BodyError>> {
        let objects = self.store.list((!prefix.is_root()).then_some(prefix));
        let (prefix, dates) = (prefix.clone(), self.dates.clone());
        let listed = move |object: ObjectMeta| {
            let parts: Vec<String> =
                object.location.prefix_match(&prefix)?.map(|part| part.as_ref().to_owned()).collect();
            let dated = dates.as_ref().and_then(|dates| dates.written.lock().get(&object.location).copied());
            let modified = dated.unwrap_or(Timestamp::from_millis(object.last_modified.timestamp_millis()));
            Some(Listed { pointer: parts.join("/"), len: object.size, modified })
        };
        let mut failed = false;
        let until_error = move |object: &object_store::Result<ObjectMeta>| {
            let go_on = !failed;
            failed = object.is_err();
            std::future::ready(go_on)
        };
        objects
            .take_while(until_error)
            .filter_map(move |object| {
                let listed = match object {
                    Ok(object) => listed(object).map(Ok),
                    Err(error) => Some(Err(BodyError::of_store(BodyOperation::List, error))),
                };
                std::future::ready(listed)
            })
            .boxed()
    }

    /// Deletes the object. One that is gone already is deleted too.
    pub(super) async fn delete(&self, location: &Path) -> Result<(), BodyError> {
        match self.store.delete(location).await {
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(BodyError::of_store(BodyOperation::Delete, error)),
        }
        if let Some(dates) = &self.dates {
            dates.written.lock().remove(location);
        }
        Ok(())
    }
}
