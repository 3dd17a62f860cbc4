//! Where answers are that are too large for their record. The piece is put before the record names it, under a key of its own
//! for each attempt, and it is checked when it is read.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use tabletheory::Db;
use tabletheory_core::StoreError;

use crate::digest::{Parts, sha256_hex};
use crate::error::Error;
use crate::record::BodyRow;

/// What a row can hold, with room for its key.
const ROW_BODY_BYTES_MAX: u64 = 350 * 1024;
/// What an object may hold, unless it is said otherwise.
const OBJECT_BYTES_MAX: u64 = 64 << 20;
/// How the sort keys of rows with answers begin. No key of an object begins so.
const ROW_PREFIX: &str = "BODY#";

/// Where large answers are.
///
/// ```
/// use std::sync::Arc;
///
/// use idempotent::Bodies;
/// use object_store::memory::InMemory;
///
/// assert_eq!(Bodies::default().bytes_max(), 350 * 1024);
/// let objects = Bodies::objects(Arc::new(InMemory::new())).with_bytes_max(1 << 20);
/// assert_eq!(objects.bytes_max(), 1 << 20);
/// ```
#[derive(Clone, Default)]
pub struct Bodies(Place);

#[derive(Clone, Default)]
enum Place {
    #[default]
    Rows,
    Objects {
        store: Arc<dyn ObjectStore>,
        prefix: Path,
        bytes_max: u64,
    },
}

impl Bodies {
    /// In rows beside the records: answers of up to 350 KB. The default.
    #[must_use]
    pub fn rows() -> Self {
        Self(Place::Rows)
    }

    /// In an object store, below `idempotent/`: answers of up to 64 MB. Nothing here deletes objects; the store's own rule for
    /// their age should be longer than `keep_for` and `body_buffer` together.
    #[must_use]
    pub fn objects(store: Arc<dyn ObjectStore>) -> Self {
        Self(Place::Objects { store, prefix: Path::from("idempotent"), bytes_max: OBJECT_BYTES_MAX })
    }

    /// Objects below another prefix.
    #[must_use]
    pub fn with_prefix(mut self, path: &str) -> Self {
        if let Place::Objects { prefix, .. } = &mut self.0 {
            *prefix = Path::from(path);
        }
        self
    }

    /// Objects of at most this many bytes, headers included. Of rows it is 350 KB whatever is said here.
    #[must_use]
    pub fn with_bytes_max(mut self, bytes: u64) -> Self {
        if let Place::Objects { bytes_max, .. } = &mut self.0 {
            *bytes_max = bytes;
        }
        self
    }

    /// The largest answer that is kept, headers included.
    #[must_use]
    pub fn bytes_max(&self) -> u64 {
        match &self.0 {
            Place::Rows => ROW_BODY_BYTES_MAX,
            Place::Objects { bytes_max, .. } => *bytes_max,
        }
    }

    /// Puts a piece, and says where it is. Putting it once more is harmless, so a lost answer is.
    pub(crate) async fn put(
        &self,
        db: &Db,
        owner: (&str, &str),
        piece: &[u8],
        expires_at: i64,
    ) -> Result<String, Error> {
        let (row_key, token) = owner;
        let (store, prefix) = match &self.0 {
            Place::Rows => {
                put_row(db, row_key, token, piece, expires_at).await?;
                return Ok(format!("{ROW_PREFIX}{token}"));
            }
            Place::Objects { store, prefix, .. } => (store, prefix),
        };
        // Keys of objects never have a user's text in them.
        let name = Parts::new(b"idempotent/object/1").part(1, Some(row_key.as_bytes()));
        let location = prefix.clone().join(name.part(2, Some(token.as_bytes())).hex());
        let put = store.put(&location, PutPayload::from(piece.to_vec())).await;
        put.map_err(|source| Error::Objects { operation: "put", source })?;
        Ok(location.to_string())
    }

    /// The piece at this key, if it is there and is what the record promised.
    pub(crate) async fn get(
        &self,
        db: &Db,
        row_key: &str,
        key: &str,
        promised: (u64, &str),
    ) -> Result<Option<Bytes>, Error> {
        let (length, sha256) = promised;
        let piece = match (key.strip_prefix(ROW_PREFIX), &self.0) {
            (Some(token), _) => get_row(db, row_key, token).await?,
            (None, Place::Objects { store, .. }) => get_object(store.as_ref(), key, length).await?,
            (None, Place::Rows) => None,
        };
        Ok(piece.filter(|piece| piece.len() as u64 == length && sha256_hex(piece) == sha256))
    }
}

/// Rows or objects, and how large they may be.
impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.0 {
            Place::Rows => "Rows",
            Place::Objects { .. } => "Objects",
        };
        f.debug_struct(place).field("bytes_max", &self.bytes_max()).finish_non_exhaustive()
    }
}

async fn put_row(db: &Db, row_key: &str, token: &str, piece: &[u8], expires_at: i64) -> Result<(), Error> {
    let row = BodyRow {
        idempotency_key: row_key.to_owned(),
        token: token.to_owned(),
        body: piece.to_vec(),
        expires_at: Some(expires_at),
    };
    match db.put(&row).await {
        Err(error) if is_passing(&error) => db.put(&row).await.map(drop),
        answer => answer.map(drop),
    }
    .map_err(|error| Error::Table(error.erase()))
}

fn is_passing(error: &tabletheory::Error<BodyRow>) -> bool {
    matches!(error, tabletheory::Error::Store(StoreError::Unavailable(_)))
        || error.is_throttled()
        || error.is_ambiguous()
}

async fn get_row(db: &Db, row_key: &str, token: &str) -> Result<Option<Bytes>, Error> {
    let row = db.get(BodyRow::key(row_key, token)).consistent().await;
    match row {
        Ok(row) => Ok(row.map(|row| Bytes::from(row.body))),
        // A row that cannot be read as one is no answer.
        Err(tabletheory::Error::Model { .. }) => Ok(None),
        Err(error) => Err(Error::Table(error.erase())),
    }
}

async fn get_object(store: &dyn ObjectStore, key: &str, length: u64) -> Result<Option<Bytes>, Error> {
    let Ok(location) = Path::parse(key) else { return Ok(None) };
    let found = match store.get(&location).await {
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        found => found.map_err(|source| Error::Objects { operation: "get", source })?,
    };
    if found.meta.size != length {
        return Ok(None);
    }
    found.bytes().await.map(Some).map_err(|source| Error::Objects { operation: "get", source })
}
