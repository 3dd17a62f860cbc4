//! [`Idempotency`]: where the records are, and how the machine is set. What it does stands in `claim`, `attempt` and `process`.

use std::fmt;
use std::sync::Arc;

use tabletheory::Db;
use tabletheory_core::{Seconds, Timestamp};

use crate::body::Bodies;
use crate::cache::Known;
use crate::error::Error;
use crate::keep::Keep;
use crate::moment;
use crate::orphan::Orphans;
use crate::record::{BodyRow, IdempotencyRecord, IndexedRecord};
use crate::response::KeptHeaders;
use crate::settings::Settings;

/// The machine that lets requests happen once. Clones share the cache.
///
/// ```
/// use idempotent::{Claim, Completion, Idempotency, IdempotencyKey, Intent, Response, Scope};
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let requests = Idempotency::new(Db::memory());
/// requests.create_table().await?;
///
/// let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
/// let intent = Intent::of_bytes(scope, IdempotencyKey::parse("8e03978e")?, br#"{"item":7}"#);
///
/// let Claim::Granted(attempt) = requests.claim(&intent).await? else { panic!("nobody else is here") };
/// assert!(matches!(requests.claim(&intent).await?, Claim::Running { .. }));
/// let answer = Response::new(201, "{\"id\":1}").expect("a status");
/// assert!(matches!(attempt.complete(&answer).await?, Completion::Completed));
///
/// let Claim::Replay(replay) = requests.claim(&intent).await? else { panic!("it is done") };
/// assert_eq!(replay.response, answer);
/// # Ok::<(), idempotent::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Idempotency {
    pub(crate) db: Db,
    pub(crate) settings: Settings,
    pub(crate) orphans: Orphans,
    pub(crate) bodies: Bodies,
    pub(crate) keep: Keep,
    pub(crate) headers: KeptHeaders,
    pub(crate) known: Option<Arc<Known>>,
}

impl Idempotency {
    /// The records in the table that the environment names (`IDEMPOTENCY_TABLE_NAME`), or in `idempotency`.
    #[must_use]
    pub fn new(db: Db) -> Self {
        let settings = Settings::default();
        let known = Known::new(settings.cache_entries, settings.cache_bytes).map(Arc::new);
        Self {
            db,
            settings,
            orphans: Orphans::default(),
            bodies: Bodies::default(),
            keep: Keep::default(),
            headers: KeptHeaders::default(),
            known,
        }
    }

    /// The records in this table, whatever the environment says.
    ///
    /// ```
    /// use idempotent::Idempotency;
    /// use tabletheory::Db;
    ///
    /// let requests = Idempotency::in_table(Db::memory(), "requests");
    /// assert_eq!(requests.table_name(), "requests");
    /// ```
    #[must_use]
    pub fn in_table(db: Db, table: &str) -> Self {
        let db = db.with_table::<IdempotencyRecord>(table).with_table::<IndexedRecord>(table);
        Self::new(db.with_table::<BodyRow>(table))
    }

    /// With other settings, and a cache of their size.
    ///
    /// # Errors
    /// If they cannot be kept: [`Settings::check`].
    pub fn with_settings(mut self, settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        self.known = Known::new(settings.cache_entries, settings.cache_bytes).map(Arc::new);
        self.settings = settings;
        Ok(self)
    }

    /// With another way to treat requests whose attempt has gone silent.
    #[must_use]
    pub fn with_orphans(mut self, orphans: Orphans) -> Self {
        self.orphans = orphans;
        self
    }

    /// With large answers elsewhere.
    #[must_use]
    pub fn with_bodies(mut self, bodies: Bodies) -> Self {
        self.bodies = bodies;
        self
    }

    /// With another rule which answers are kept, for [`Attempt::finish`](crate::Attempt::finish).
    #[must_use]
    pub fn with_keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// With another list of headers that are kept.
    #[must_use]
    pub fn with_headers(mut self, headers: KeptHeaders) -> Self {
        self.headers = headers;
        self
    }

    /// How it is set.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Which answers are kept.
    #[must_use]
    pub fn keep(&self) -> &Keep {
        &self.keep
    }

    /// The database it is in.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The name of the table.
    #[must_use]
    pub fn table_name(&self) -> String {
        self.db.table::<IdempotencyRecord>().name().to_owned()
    }

    /// Makes the table if there is none, without indexes, with its time to live on `ExpiresAt`.
    ///
    /// # Errors
    /// If there is a table of another shape, or the store does not answer.
    pub async fn create_table(&self) -> Result<(), Error> {
        self.db.table::<IdempotencyRecord>().ensure().await?;
        Ok(())
    }

    /// Makes the table with the seed's four global indexes, each of which costs a write for every write:
    /// [`IndexedRecord`].
    ///
    /// # Errors
    /// As for [`create_table`](Self::create_table).
    pub async fn create_table_with_indexes(&self) -> Result<(), Error> {
        self.db.table::<IdempotencyRecord>().and::<IndexedRecord>().ensure().await?;
        Ok(())
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.db.clock().now()
    }

    /// A token that nobody has seen before.
    pub(crate) fn draw_token(&self) -> String {
        format!("{:032x}", self.db.entropy().bits())
    }

    /// When a record that is written now is over, in seconds since 1970. It is never over while it is locked.
    pub(crate) fn expires_at(&self, now: Timestamp, term: Seconds) -> i64 {
        let kept = Seconds(self.settings.keep_for.0.max(term.0.saturating_mul(2)));
        moment::ceil_seconds(now + kept)
    }
}

/// Without the database: stores for tests remember items.
impl fmt::Debug for Idempotency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idempotency")
            .field("table", &self.table_name())
            .field("settings", &self.settings)
            .field("orphans", &self.orphans)
            .field("bodies", &self.bodies)
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}
