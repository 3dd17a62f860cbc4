//! The rows: one record for each key, and beside it the answers that are too large for it. Names and types of the attributes
//! are those of the seed, so that other services read them.

mod body;
mod header;
mod indexed;
mod status;

use std::fmt;

use tabletheory::Model;

pub use body::BodyRow;
pub use header::KeptHeader;
pub use indexed::IndexedRecord;
pub use status::Status;

/// What is known of a request. Where an attribute has nothing to say it is missing.
///
/// ```
/// use idempotent::record::{IdempotencyRecord, Status};
/// use tabletheory::Model;
///
/// let item = IdempotencyRecord::new("k", Status::Processing).to_item()?;
/// assert_eq!(item.get("IdempotencyKey").and_then(|key| key.as_s()), Some("k"));
/// assert_eq!(item.get("SK").and_then(|sk| sk.as_s()), Some("IDEMPOTENCY"));
/// assert_eq!(item.get("Status").and_then(|status| status.as_s()), Some("PROCESSING"));
/// assert_eq!(item.len(), 3);
/// assert_eq!(IdempotencyRecord::from_item(item)?.status, Status::Processing);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Model, Clone, PartialEq)]
#[model(
    table = "idempotency",
    table_env("IDEMPOTENCY_TABLE_NAME"),
    rename_all = "PascalCase",
    sk = "IDEMPOTENCY",
    sk_attr = "SK"
)]
pub struct IdempotencyRecord {
    /// The hash of scope and key, or the key itself.
    #[model(pk)]
    pub idempotency_key: String,
    /// What the request is for.
    pub function_name: Option<String>,
    /// Whose it is.
    #[model(attr = "TenantID")]
    pub tenant_id: Option<String>,
    /// How far it has come.
    pub status: Status,
    /// When the last attempt began. Moments are RFC 3339 texts in whole seconds.
    pub timestamp: Option<String>,
    /// The fingerprint.
    pub request_hash: Option<String>,
    /// What was asked for, if that is written down.
    pub request_body: Option<String>,
    /// The body of the answer, if it is a short text.
    pub response: Option<String>,
    /// The status of the answer.
    pub status_code: Option<u16>,
    /// The token of who works on it, or has done it.
    pub lock_token: Option<String>,
    /// Until when nobody else may work on it.
    pub locked_until: Option<String>,
    /// Seconds since 1970 at which the record means nothing any more.
    #[model(ttl)]
    pub expires_at: Option<i64>,
    /// When the row was made.
    pub created_at: Option<String>,
    /// When it was changed.
    pub updated_at: Option<String>,
    /// When the answer was there.
    pub completed_at: Option<String>,

    /// Ours alone, as all that follow: how often the request was begun.
    pub attempt: Option<u64>,
    /// Whether it has failed for good.
    #[model(attr = "Final")]
    pub failed_for_good: Option<bool>,
    /// The headers of the answer that are kept.
    #[model(omit_empty)]
    pub response_headers: Vec<KeptHeader>,
    /// The body of the answer, if it is short and no text.
    #[model(binary, omit_empty)]
    pub response_bytes: Vec<u8>,
    /// Where the answer is, if it is long: the sort key of a row beside this one, or the key of an object.
    pub response_key: Option<String>,
    /// How long it is there. Without a place, it was too long to be kept.
    pub response_length: Option<u64>,
    /// Its SHA-256.
    #[model(attr = "ResponseSha256")]
    pub response_sha256: Option<String>,
}

impl IdempotencyRecord {
    /// A record that says nothing but this.
    #[must_use]
    pub fn new(idempotency_key: impl Into<String>, status: Status) -> Self {
        Self {
            idempotency_key: idempotency_key.into(),
            function_name: None,
            tenant_id: None,
            status,
            timestamp: None,
            request_hash: None,
            request_body: None,
            response: None,
            status_code: None,
            lock_token: None,
            locked_until: None,
            expires_at: None,
            created_at: None,
            updated_at: None,
            completed_at: None,
            attempt: None,
            failed_for_good: None,
            response_headers: Vec::new(),
            response_bytes: Vec::new(),
            response_key: None,
            response_length: None,
            response_sha256: None,
        }
    }
}

/// Without key, token, bodies and headers.
impl fmt::Debug for IdempotencyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdempotencyRecord")
            .field("status", &self.status)
            .field("status_code", &self.status_code)
            .field("locked_until", &self.locked_until)
            .field("expires_at", &self.expires_at)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
