//! `VER#`: a page as it was rendered once, for history and for the way back.

use tabletheory::Model;

use super::header::KeptHeader;
use super::meta::Meta;

/// A version of a page.
///
/// ```
/// use facetheory::record::{Meta, Version};
/// # use tabletheory::Model;
/// # use tabletheory_core::{Item, Value};
/// # let row = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META")), ("s3_key", Value::s("b/1"))]);
/// # let meta = Meta::from_item(row)?;
/// let version = Version::of(&meta, "0001-ab");
/// assert_eq!(version.shown(None).s3_key, meta.s3_key);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Model, Debug, Clone, PartialEq, Eq)]
#[model(
    table = "facetheory-cache",
    table_env("FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"),
    rename_all = "snake_case",
    sk = "VER#{id}"
)]
pub struct Version {
    /// The page's partition.
    #[model(pk)]
    pub pk: String,
    /// Its name: greater for later generations.
    #[model(key_only)]
    pub id: String,
    /// Where the body is in the object store.
    #[model(attr = "s3_key")]
    pub s3_key: String,
    /// Seconds since 1970 at which the origin was asked.
    pub generated_at: i64,
    /// For how many seconds the page was fresh.
    #[model(default)]
    pub revalidate_seconds: i64,
    /// The entity tag.
    pub etag: Option<String>,
    /// Seconds since 1970 after which the table may forget the row. Not set while the page can be brought back.
    #[model(ttl)]
    pub ttl: Option<i64>,

    /// `generated_at` to the millisecond.
    pub generated_at_ms: Option<i64>,
    /// The generation that was published with it.
    pub generation: Option<u64>,
    /// The lease token under which it was published.
    pub publisher_token: Option<String>,
    /// The status of the response.
    pub status: Option<u16>,
    /// The headers that are replayed.
    #[model(omit_empty)]
    pub headers: Vec<KeptHeader>,
    /// What it can be purged by.
    #[model(omit_empty)]
    pub tags: Vec<String>,
    /// The SHA-256 of the body, as 64 digits.
    pub body_sha256: Option<String>,
    /// The length of the body in bytes.
    pub body_len: Option<u64>,
    /// The page's address for people.
    pub page: Option<String>,
}

impl Version {
    /// The version that a publish of `meta` leaves behind.
    #[must_use]
    pub fn of(meta: &Meta, id: impl Into<String>) -> Self {
        Self {
            pk: meta.pk.clone(),
            id: id.into(),
            s3_key: meta.s3_key.clone(),
            generated_at: meta.generated_at,
            revalidate_seconds: meta.revalidate_seconds,
            etag: meta.etag.clone(),
            ttl: None,
            generated_at_ms: meta.generated_at_ms,
            generation: meta.generation,
            publisher_token: meta.publisher_token.clone(),
            status: meta.status,
            headers: meta.headers.clone(),
            tags: meta.tags.clone(),
            body_sha256: meta.body_sha256.clone(),
            body_len: meta.body_len,
            page: meta.page.clone(),
        }
    }

    /// Its sort key.
    #[must_use]
    pub fn sort_key(&self) -> String {
        format!("VER#{}", self.id)
    }

    /// The metadata of a page that shows this version; what is not the version's own comes from the row as it is.
    #[must_use]
    pub fn shown(&self, current: Option<&Meta>) -> Meta {
        Meta {
            pk: self.pk.clone(),
            s3_key: self.s3_key.clone(),
            generated_at: self.generated_at,
            revalidate_seconds: self.revalidate_seconds,
            etag: self.etag.clone(),
            ttl: current.and_then(|meta| meta.ttl),
            generated_at_ms: self.generated_at_ms,
            generation: current.map_or(self.generation, |meta| meta.generation),
            publisher_token: self.publisher_token.clone(),
            status: self.status,
            headers: self.headers.clone(),
            tags: self.tags.clone(),
            body_sha256: self.body_sha256.clone(),
            body_len: self.body_len,
            current_sk: Some(self.sort_key()),
            version: current.and_then(|meta| meta.version),
            site_epoch: current.and_then(|meta| meta.site_epoch),
            stale_since_ms: None,
            gone: false,
            page: self.page.clone().or_else(|| current.and_then(|meta| meta.page.clone())),
        }
    }
}
