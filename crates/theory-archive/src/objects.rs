//! Objects that are written once: whoever comes second finds what lies there, and sees whether it is the same.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions};

/// No object of an archive is larger: an item has 400 KB, and six characters for each byte at worst.
pub(crate) const OBJECT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What was found where an object was to be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing: it is written now.
    Written,
    /// An object.
    Taken(Bytes),
}

/// Writes the object unless one is there, which is then given.
pub(crate) async fn put_once(
    store: &Arc<dyn ObjectStore>,
    path: &Path,
    bytes: &Bytes,
) -> Result<Place, Error> {
    let create = PutOptions::from(PutMode::Create);
    match store.put_opts(path, bytes.clone().into(), create).await {
        Ok(_) => Ok(Place::Written),
        Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {
            Ok(Place::Taken(get(store, path).await?))
        }
        // A store without conditions: the same record gives the same bytes, so two who see nothing do no harm.
        Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => match get(store, path).await {
            Ok(found) => Ok(Place::Taken(found)),
            Err(Error::NotFound { .. }) => {
                store.put(path, bytes.clone().into()).await.map(|_| Place::Written)
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// The bytes of an object, of which no more are read than an archive ever writes.
pub(crate) async fn get(store: &Arc<dyn ObjectStore>, path: &Path) -> Result<Bytes, Error> {
    let found = store.get(path).await?;
    if found.meta.size > OBJECT_BYTES_MAX {
        return Err(too_large(found.meta.size));
    }
    let mut whole = Vec::with_capacity(usize::try_from(found.meta.size).unwrap_or_default());
    let mut chunks = found.into_stream();
    while let Some(chunk) = chunks.next().await {
        whole.extend_from_slice(&chunk?);
        let length = u64::try_from(whole.len()).unwrap_or(u64::MAX);
        if length > OBJECT_BYTES_MAX {
            return Err(too_large(length));
        }
    }
    Ok(whole.into())
}

fn too_large(bytes: u64) -> Error {
    let source = format!("it has {bytes} bytes, and no archived item has more than {OBJECT_BYTES_MAX}");
    Error::NotSupported { source: source.into() }
}
