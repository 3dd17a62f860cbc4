//! `META`: what was rendered last, and where its body is.

use tabletheory::Model;
use tabletheory_core::{Seconds, Timestamp};

use super::header::KeptHeader;
use crate::freshness::Lifetime;

/// The metadata of a page. The first attributes are those of every store; the others are ours, and may be missing.
///
/// ```
/// use facetheory::record::Meta;
/// use tabletheory::Model;
/// use tabletheory_core::{Item, Value};
///
/// // A row of the TypeScript store.
/// let row = Item::from([
///     ("pk", Value::s("CACHE#/news")),
///     ("sk", Value::s("META")),
///     ("s3_key", Value::s("isr/1.html")),
///     ("generated_at", Value::n(1_704_067_200)),
///     ("revalidate_seconds", Value::n(60)),
/// ]);
/// let meta = Meta::from_item(row)?;
/// assert_eq!(meta.fresh_until().seconds(), 1_704_067_260);
/// assert_eq!(meta.status(), 200);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Model, Debug, Clone, PartialEq, Eq)]
#[model(
    table = "facetheory-cache",
    table_env("FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"),
    rename_all = "snake_case",
    sk = "META"
)]
pub struct Meta {
    /// The page's partition.
    #[model(pk)]
    pub pk: String,
    /// Where the body is in the object store. Empty if only `current_sk` says it.
    #[model(default, attr = "s3_key")]
    pub s3_key: String,
    /// Seconds since 1970 at which the origin was asked.
    #[model(default)]
    pub generated_at: i64,
    /// For how many seconds the page is fresh. A purge makes it 0, which every store's readers understand.
    #[model(default)]
    pub revalidate_seconds: i64,
    /// The page's entity tag.
    pub etag: Option<String>,
    /// Seconds since 1970 after which the table may forget the row. It answers no question.
    #[model(ttl)]
    pub ttl: Option<i64>,

    /// `generated_at` to the millisecond.
    pub generated_at_ms: Option<i64>,
    /// It grows with each publish and never goes back, whatever clocks do.
    pub generation: Option<u64>,
    /// The lease token under which it was published.
    pub publisher_token: Option<String>,
    /// The status of the response.
    pub status: Option<u16>,
    /// The headers that are replayed.
    #[model(omit_empty)]
    pub headers: Vec<KeptHeader>,
    /// What it can be purged by, besides its key.
    #[model(omit_empty)]
    pub tags: Vec<String>,
    /// The SHA-256 of the body, as 64 digits.
    pub body_sha256: Option<String>,
    /// The length of the body in bytes.
    pub body_len: Option<u64>,
    /// The sort key of the version it shows, where versions are kept.
    pub current_sk: Option<String>,
    /// It counts the changes of this row, for writers who guard it so.
    pub version: Option<u64>,
    /// The number of the site's last purge before it was rendered.
    pub site_epoch: Option<u64>,
    /// Milliseconds since 1970 at which its time was over, if it was purged: the purge, or earlier.
    pub stale_since_ms: Option<i64>,
    /// Whether it was purged so that it must not be served again.
    #[model(omit_empty)]
    pub gone: bool,
    /// Its address for people: host, path and query. It answers no question, and says nothing of headers and cookies.
    pub page: Option<String>,
}

impl Meta {
    /// When the origin was asked. The milliseconds count only if they belong to the second that every store writes.
    #[must_use]
    pub fn generated(&self) -> Timestamp {
        match self.generated_at_ms.map(Timestamp::from_millis) {
            Some(exact) if exact.seconds() == self.generated_at => exact,
            _ => Timestamp::from_seconds(self.generated_at),
        }
    }

    /// Until when it is fresh.
    #[must_use]
    pub fn fresh_until(&self) -> Timestamp {
        self.bare_lifetime().fresh_until()
    }

    /// What decides how fresh it is; nothing, if it names no body that could be served.
    #[must_use]
    pub fn lifetime(&self) -> Option<Lifetime> {
        self.has_body().then(|| self.bare_lifetime())
    }

    /// Whether it names a body or not.
    fn bare_lifetime(&self) -> Lifetime {
        Lifetime {
            generated: self.generated(),
            revalidate: Seconds(self.revalidate_seconds),
            purged_since: self.stale_since_ms.map(Timestamp::from_millis),
            gone: self.gone,
            status: self.status(),
        }
    }

    /// The status of the response; 200 where another store did not write it.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.unwrap_or(200)
    }

    /// Whether it names a body.
    #[must_use]
    pub fn has_body(&self) -> bool {
        !self.s3_key.is_empty()
    }
}
