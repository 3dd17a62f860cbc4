//! What can go wrong between us and the place where bodies lie, by what the caller will do about it.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// Bodies could not be put, read, listed or deleted. That a body is gone or altered is not an error but a miss.
///
/// ```
/// use bytes::Bytes;
/// use facetheory::body::{Bodies, BodyError, BodyKey, BodySettings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), BodyError> {
/// let small = BodySettings { body_bytes_max: 3, ..BodySettings::default() };
/// let bodies = Bodies::memory().with_settings(small)?;
/// let refused = bodies.put(&BodyKey::new("CACHE#1", "token"), Bytes::from("long")).await;
/// assert!(matches!(refused, Err(BodyError::TooLarge { len: 4, max: 3 })));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The folder or the bucket does not exist: somebody has to make it.
    #[error("cannot {operation} bodies: their folder or bucket is not there")]
    NoPlace {
        /// What was tried.
        operation: BodyOperation,
        /// What the object store said.
        source: Arc<object_store::Error>,
    },
    /// Credentials, permissions or a read-only disk forbid it: somebody has to allow it.
    #[error("cannot {operation} bodies: it is not permitted")]
    Refused {
        /// What was tried.
        operation: BodyOperation,
        /// What the object store said.
        source: Arc<object_store::Error>,
    },
    /// There is no room left: sweep, or make room.
    #[error("cannot {operation} bodies: there is no room left")]
    Full {
        /// What was tried.
        operation: BodyOperation,
        /// What the object store said.
        source: Arc<object_store::Error>,
    },
    /// It did not answer, or not sensibly, also after retries: later it may.
    #[error("cannot {operation} bodies: their store does not work")]
    Unavailable {
        /// What was tried.
        operation: BodyOperation,
        /// What the object store said.
        source: Arc<object_store::Error>,
    },
    /// The body is longer than settings allow.
    #[error("a body of {len} bytes is longer than the {max} that settings allow")]
    TooLarge {
        /// Its length in bytes.
        len: u64,
        /// The longest that is allowed.
        max: u64,
    },
    /// A setting makes no sense.
    #[error("the setting `{setting}` must be {must_be}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What it must be.
        must_be: &'static str,
    },
}

/// What was tried with bodies.
///
/// ```
/// assert_eq!(facetheory::body::BodyOperation::Put.to_string(), "put");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyOperation {
    /// Opening the place.
    Open,
    /// Writing one.
    Put,
    /// Reading one.
    Get,
    /// Listing them.
    List,
    /// Deleting one.
    Delete,
}

impl fmt::Display for BodyOperation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Open => "open",
            Self::Put => "put",
            Self::Get => "get",
            Self::List => "list",
            Self::Delete => "delete",
        })
    }
}

impl BodyError {
    /// The error of an object store, by its meaning.
    pub(super) fn of_store(operation: BodyOperation, error: object_store::Error) -> Self {
        let kind = io_kind(&error);
        let source = Arc::new(error);
        match (&*source, kind) {
            (
                object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. },
                _,
            )
            | (_, Some(ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)) => {
                Self::Refused { operation, source }
            }
            (_, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)) => {
                Self::Full { operation, source }
            }
            (object_store::Error::NotFound { .. }, _)
            | (_, Some(ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::AlreadyExists)) => {
                Self::NoPlace { operation, source }
            }
            _ => Self::Unavailable { operation, source },
        }
    }

    /// The error of a file system, by its meaning.
    pub(super) fn of_file(operation: BodyOperation, error: io::Error) -> Self {
        Self::of_store(operation, object_store::Error::Generic { store: "folder", source: Box::new(error) })
    }
}

/// The kind of the file system's error at the bottom of this one, if there is one.
fn io_kind(error: &object_store::Error) -> Option<ErrorKind> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: ErrorKind, expected: &str) {
        let error = BodyError::of_file(BodyOperation::Put, io::Error::from(kind));
        assert!(error.to_string().ends_with(expected), "{kind}: {error}");
        assert!(error.source().is_some());
    }

    #[test]
    fn an_error_of_the_file_system_says_what_to_do() {
        check(ErrorKind::StorageFull, "no room left");
        check(ErrorKind::QuotaExceeded, "no room left");
        check(ErrorKind::PermissionDenied, "not permitted");
        check(ErrorKind::ReadOnlyFilesystem, "not permitted");
        check(ErrorKind::NotFound, "is not there");
        check(ErrorKind::NotADirectory, "is not there");
        check(ErrorKind::Other, "does not work");
    }

    #[test]
    fn an_error_of_a_service_says_what_to_do() {
        let cases = [
            (object_store::Error::NotFound { path: "p".into(), source: "x".into() }, "is not there"),
            (object_store::Error::PermissionDenied { path: "p".into(), source: "x".into() }, "not permitted"),
            (object_store::Error::Unauthenticated { path: "p".into(), source: "x".into() }, "not permitted"),
            (object_store::Error::Generic { store: "S3", source: "x".into() }, "does not work"),
        ];
        for (error, expected) in cases {
            let error = BodyError::of_store(BodyOperation::Put, error);
            assert!(error.to_string().ends_with(expected), "{error}");
        }
    }
}
