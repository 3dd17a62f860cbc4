//! Why an engine cannot be opened or go on, and how that is told to callers who only know the service's errors.

use std::path::PathBuf;

use tabletheory_core::StoreError;

use crate::codec::Damaged;
use crate::kv::KvError;

/// Why an engine cannot be opened or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The storage below failed; the message names the file.
    #[error(transparent)]
    Storage(#[from] KvError),
    /// A row of the catalog cannot be read.
    #[error("the catalog is damaged: {what} cannot be read; restore the folder from a copy")]
    Catalog {
        /// What could not be read.
        what: String,
    },
    /// The folder was written in another format.
    #[error(
        "the folder has format {found}, this version reads {known}; open it with the version that wrote it"
    )]
    Format {
        /// The folder's format.
        found: String,
        /// The format this version reads.
        known: String,
    },
    /// A write or an fsync failed, now or earlier: the last writes may be lost when the power goes.
    #[error("the last writes may not have reached the disk: {source}")]
    Unsettled {
        /// What failed.
        source: StoreError,
    },
    /// A thread could not be started.
    #[error("cannot start the engine's {name} thread for {path}: {source}")]
    Thread {
        /// Which thread.
        name: &'static str,
        /// The engine's folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// What a caller of the service is told: the store failed, and why.
pub(crate) fn internal(error: impl std::fmt::Display) -> StoreError {
    StoreError::Internal(format!("the embedded store failed: {error}"))
}

/// What a caller is told whose work met a broken invariant.
pub(crate) fn panicked(message: &str) -> StoreError {
    internal(format_args!("a write panicked: {message}"))
}

impl From<KvError> for StoreError {
    fn from(error: KvError) -> Self {
        internal(error)
    }
}

impl From<Damaged> for StoreError {
    fn from(error: Damaged) -> Self {
        internal(error)
    }
}

impl From<EngineError> for StoreError {
    fn from(error: EngineError) -> Self {
        internal(error)
    }
}
