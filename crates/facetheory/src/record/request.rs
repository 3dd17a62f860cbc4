//! `REQ#`: one intent to regenerate a page, so that its repetitions do the work once.

use std::fmt;

use tabletheory::{Attribute, Model};

/// How far an intent has come.
#[derive(Attribute, Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestStatus {
    /// Somebody works on it, or has died working on it.
    #[attribute(attr = "STARTED")]
    Started,
    /// It is done, and its result is known.
    #[attribute(attr = "COMPLETED")]
    Completed,
    /// It failed, and may be tried again.
    #[attribute(attr = "FAILED")]
    Failed,
}

/// An intent to regenerate a page.
///
/// ```
/// use facetheory::record::{Request, RequestStatus};
/// use tabletheory::Model;
///
/// let item = Request::started("CACHE#1", "r-1", "f00d").to_item()?;
/// assert_eq!(item.get("sk").and_then(|sk| sk.as_s()), Some("REQ#r-1"));
/// assert_eq!(item.get("status").and_then(|status| status.as_s()), Some("STARTED"));
/// assert_eq!(Request::from_item(item)?.status, RequestStatus::Started);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Model, Clone, PartialEq, Eq)]
#[model(
    table = "facetheory-cache",
    table_env("FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"),
    rename_all = "snake_case",
    sk = "REQ#{key}"
)]
pub struct Request {
    /// The page's partition.
    #[model(pk)]
    pub pk: String,
    /// The idempotency key.
    #[model(key_only)]
    pub key: String,
    /// The hash of the inputs that matter. The same key with another hash is refused.
    pub request_hash: String,
    /// How far it has come.
    pub status: RequestStatus,
    /// Where its result is.
    #[model(attr = "result_s3_key")]
    pub result_s3_key: Option<String>,
    /// Seconds since 1970 after which the table may forget the row.
    #[model(ttl)]
    pub ttl: Option<i64>,

    /// The token of who works on it.
    pub owner: Option<String>,
    /// Seconds since 1970 at which another may take it over.
    pub locked_until: Option<i64>,
    /// How often it was begun.
    pub attempt: Option<u64>,
    /// Why it failed, in a word.
    pub error: Option<String>,
}

impl Request {
    /// An intent that begins.
    #[must_use]
    pub fn started(pk: impl Into<String>, key: impl Into<String>, request_hash: impl Into<String>) -> Self {
        Self {
            pk: pk.into(),
            key: key.into(),
            request_hash: request_hash.into(),
            status: RequestStatus::Started,
            result_s3_key: None,
            ttl: None,
            owner: None,
            locked_until: None,
            attempt: None,
            error: None,
        }
    }
}

/// Without the idempotency key and the owner's token.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("pk", &self.pk)
            .field("status", &self.status)
            .field("locked_until", &self.locked_until)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
