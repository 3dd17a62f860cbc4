//! What is known of requests, for people who look: without keys of clients, tokens, headers and bodies. And the way to forget
//! one, so that it can be done again.

use tabletheory::field::Field;
use tabletheory::model::{FromItem, ModelError, Schema};
use tabletheory_core::{Item, Timestamp};

use crate::error::Error;
use crate::machine::Idempotency;
use crate::moment;
use crate::record::{BodyRow, IdempotencyRecord};
use crate::rule;
use crate::standing::{attempt, integer, text};

/// All that is read of a record: what was asked and answered stays where it is.
const ATTRIBUTES: &[&str] = &[
    "IdempotencyKey",
    "FunctionName",
    "TenantID",
    "Status",
    "Final",
    "StatusCode",
    "Timestamp",
    "CreatedAt",
    "CompletedAt",
    "LockedUntil",
    "ExpiresAt",
    "Attempt",
    "ResponseKey",
];

/// How far a request has come.
///
/// ```
/// assert_eq!(idempotent::Progress::Running.as_str(), "running");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Somebody works on it.
    Running,
    /// Somebody worked on it, and is silent.
    Orphaned,
    /// It is answered.
    Completed,
    /// It failed, and may be tried again.
    Failed,
    /// It failed for good.
    FailedForGood,
    /// Its time is over, and it means nothing any more.
    Over,
    /// The record is not understood.
    Unreadable,
}

impl Progress {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Orphaned => "orphaned",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::FailedForGood => "failed-for-good",
            Self::Over => "over",
            Self::Unreadable => "unreadable",
        }
    }

    fn of(row: &Item, now: Timestamp) -> Self {
        if integer(row, "ExpiresAt").is_some_and(|expires_at| expires_at <= now.seconds()) {
            return Self::Over;
        }
        match text(row, "Status") {
            Some("COMPLETED") => Self::Completed,
            Some("FAILED") if row.contains("Final") => Self::FailedForGood,
            Some("FAILED") => Self::Failed,
            Some("PROCESSING" | "PENDING") => match text(row, "LockedUntil") {
                None => Self::Orphaned,
                Some(until) => match moment::is_over(until, now) {
                    None => Self::Unreadable,
                    Some(true) => Self::Orphaned,
                    Some(false) => Self::Running,
                },
            },
            _ => Self::Unreadable,
        }
    }
}

/// A request, as far as people may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The key of its record: a hash of scope and key, unless the machine is set otherwise.
    pub id: String,
    /// What it is for.
    pub function: Option<String>,
    /// Whose it is.
    pub tenant: Option<String>,
    /// How far it has come.
    pub progress: Progress,
    /// The status of its answer.
    pub status: Option<u16>,
    /// When it was first asked.
    pub created: Option<Timestamp>,
    /// When the last attempt began.
    pub began: Option<Timestamp>,
    /// When its answer was there.
    pub completed: Option<Timestamp>,
    /// Until when nobody else may work on it.
    pub locked_until: Option<Timestamp>,
    /// When its record means nothing any more.
    pub expires: Option<Timestamp>,
    /// How often it was begun; 0 where another service did not count.
    pub attempt: u64,
}

/// A part of the requests, in no order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entries {
    /// The requests.
    pub entries: Vec<Entry>,
    /// With this the next part is asked for; none if this is the last.
    pub cursor: Option<String>,
}

/// What forgetting a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Forgot {
    /// It is forgotten: the next who asks does it again.
    Forgotten,
    /// There was none.
    NoRecord,
    /// Somebody works on it, or it is not understood, and it was not to be forced. Nothing was changed.
    Running,
}

/// A record as it lies there.
struct Seen(Item);

impl FromItem for Seen {
    const ATTRIBUTES: Option<&'static [&'static str]> = Some(ATTRIBUTES);

    fn schema(_item: &Item) -> Option<Schema> {
        None
    }

    fn from_item(item: Item) -> Result<Self, ModelError> {
        Ok(Self(item))
    }
}

impl Entry {
    fn of(row: &Item, now: Timestamp) -> Self {
        let owned = |name| text(row, name).map(str::to_owned);
        let when = |name| text(row, name).and_then(moment::parse);
        Self {
            id: owned("IdempotencyKey").unwrap_or_default(),
            function: owned("FunctionName"),
            tenant: owned("TenantID"),
            progress: Progress::of(row, now),
            status: integer(row, "StatusCode").and_then(|status| u16::try_from(status).ok()),
            created: when("CreatedAt"),
            began: when("Timestamp"),
            completed: when("CompletedAt"),
            locked_until: when("LockedUntil"),
            expires: integer(row, "ExpiresAt").map(Timestamp::from_seconds),
            attempt: attempt(row),
        }
    }
}

impl Idempotency {
    /// The requests in the table, about `limit` at a time, in no order.
    ///
    /// ```
    /// use idempotent::{Forgot, Idempotency, IdempotencyKey, Intent, Progress, Scope};
    /// use tabletheory::Db;
    ///
    /// # futures_executor::block_on(async {
    /// let requests = Idempotency::new(Db::memory());
    /// requests.create_table().await?;
    /// let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
    /// let intent = Intent::of_bytes(scope, IdempotencyKey::parse("8e03978e")?, b"{}");
    /// let _running = requests.claim(&intent).await?;
    ///
    /// let entry = requests.list(100, None).await?.entries.remove(0);
    /// assert_eq!((entry.progress, entry.function.as_deref()), (Progress::Running, Some("POST /orders")));
    /// assert_eq!(requests.show(&entry.id).await?, Some(entry.clone()));
    /// assert_eq!(requests.forget(&entry.id, false).await?, Forgot::Running);
    /// assert_eq!(requests.forget(&entry.id, true).await?, Forgot::Forgotten);
    /// assert_eq!(requests.show(&entry.id).await?, None);
    /// # Ok::<(), idempotent::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the store does not answer, or the cursor is none of this table.
    pub async fn list(&self, limit: usize, cursor: Option<&str>) -> Result<Entries, Error> {
        let is_record = Field::<IdempotencyRecord, String>::new("SK").eq("IDEMPOTENCY");
        let scan = self.db.scan::<IdempotencyRecord>().filter(is_record).select::<Seen>();
        let page = scan.limit(limit.max(1)).page(cursor).await.map_err(tabletheory::Error::erase)?;
        let now = self.now();
        let entries = page.items.iter().map(|Seen(row)| Entry::of(row, now)).collect();
        Ok(Entries { entries, cursor: page.cursor })
    }

    /// The request whose record has this key.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn show(&self, id: &str) -> Result<Option<Entry>, Error> {
        if id.is_empty() {
            return Ok(None);
        }
        Ok(self.row(id).await?.map(|row| Entry::of(&row, self.now())))
    }

    /// Forgets the request whose record has this key, so that the next who asks does it again. One that somebody works on is
    /// left alone unless it is forced: then it may happen twice. Other processes that remember its answer give it until its time
    /// is over.
    ///
    /// # Errors
    /// If the store does not answer. Asking again does no harm.
    pub async fn forget(&self, id: &str, force: bool) -> Result<Forgot, Error> {
        let Some(row) = (if id.is_empty() { None } else { self.row(id).await? }) else {
            return Ok(Forgot::NoRecord);
        };
        let delete = self.db.delete(IdempotencyRecord::key(id));
        let condition = if force { rule::is_there() } else { rule::may_forget(self.now()) };
        match delete.when(condition).await {
            Ok(_) => {}
            Err(error) if error.is_condition_failed() => {
                return Ok(if self.row(id).await?.is_some() { Forgot::Running } else { Forgot::NoRecord });
            }
            Err(error) => return Err(error.erase().into()),
        }
        if let Some(known) = &self.known {
            known.forget(id);
        }
        // The answer beside it would go by itself in time; nothing names it any more.
        if let Some(token) = text(&row, "ResponseKey").and_then(|key| key.strip_prefix("BODY#")) {
            self.db.delete(BodyRow::key(id, token)).await.map_err(tabletheory::Error::erase)?;
        }
        Ok(Forgot::Forgotten)
    }
}
