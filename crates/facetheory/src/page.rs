//! A page as it is answered: its status and headers, and what is known of where its body is and how fresh it is. Hundreds of
//! thousands of them wait in memory for their next visitor, so of their rows they hold what visits ask for, and by what one publish is
//! told from another.

mod packed;

use http::{HeaderMap, StatusCode};
use tabletheory_core::{Seconds, Timestamp};

use crate::body::Stored;
use crate::freshness::Lifetime;
use crate::record::Meta;
use crate::render::Rendered;

use packed::PackedHeaders;

/// A page without its body.
///
/// ```
/// use facetheory::{Page, record::Meta};
/// # use tabletheory::Model;
/// # use tabletheory_core::{Item, Value};
/// # let row = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META")), ("s3_key", Value::s("b/1"))]);
/// # let meta = Meta::from_item(row)?;
/// // A row of a store that keeps no headers.
/// let page = Page::of(&meta);
/// assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
/// assert_eq!(page.kept().map(|kept| &*kept.pointer), Some("b/1"));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Page {
    kept: Option<Kept>,
    generated: Timestamp,
    status: StatusCode,
    headers: PackedHeaders,
}

/// What the table says about a page, as far as visits ask for it.
///
/// ```
/// use facetheory::{Page, record::Meta};
/// # use tabletheory::Model;
/// # use tabletheory_core::{Item, Value};
/// # let row = Item::from([
/// #     ("pk", Value::s("CACHE#1")), ("sk", Value::s("META")), ("s3_key", Value::s("b/1")), ("generation", Value::from(7_i64))]);
/// # let meta = Meta::from_item(row)?;
/// // Another store wrote the row: what the body must be is not known.
/// let page = Page::of(&meta);
/// let kept = page.kept().expect("it has a body");
/// assert_eq!((&*kept.pointer, kept.generation, kept.stored.is_none()), ("b/1", Some(7), true));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// Where its body is.
    pub pointer: Box<str>,
    /// What its body must be; nothing, if another store did not write it down.
    pub stored: Option<Stored>,
    /// What decides how fresh it is.
    pub lifetime: Lifetime,
    /// It grows with each publish.
    pub generation: Option<u64>,
    /// It counts the changes of the row.
    pub version: Option<u64>,
    /// The number of the site's last purge before it was rendered.
    pub site_epoch: Option<u64>,
}

impl Page {
    /// The page that metadata describe. A status or a header that is none, which only a hostile row has, is left out.
    #[must_use]
    pub fn of(meta: &Meta) -> Self {
        // Stores that keep no headers keep pages of HTML.
        const OF_HTML: (&[u8], &[u8]) = (b"content-type", b"text/html; charset=utf-8");
        let headers = if meta.headers.is_empty() {
            PackedHeaders::pack([OF_HTML])
        } else {
            let lines = meta.headers.iter().map(|header| (header.name.as_bytes(), header.value.as_bytes()));
            PackedHeaders::pack(lines)
        };
        let kept = meta.lifetime().map(|lifetime| Kept {
            pointer: meta.s3_key.as_str().into(),
            stored: stored(meta),
            lifetime,
            generation: meta.generation,
            version: meta.version,
            site_epoch: meta.site_epoch,
        });
        let status = StatusCode::from_u16(meta.status()).unwrap_or(StatusCode::OK);
        Self { kept, generated: meta.generated(), status, headers }
    }

    /// An answer that is not kept, with all its headers.
    pub(crate) fn passed(rendered: &Rendered, generated: Timestamp) -> Self {
        let lines = rendered.headers.iter().map(|(name, value)| (name.as_ref(), value.as_bytes()));
        Self { kept: None, generated, status: rendered.status, headers: PackedHeaders::pack(lines) }
    }

    /// What the table says about it; nothing, if it is not kept.
    #[must_use]
    pub fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers that were kept with it, as a new map each time. Whether a value was marked as sensitive is not kept.
    #[must_use]
    pub fn headers(&self) -> HeaderMap {
        self.headers.unpack()
    }

    /// How old it is.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Seconds {
        Seconds(now.millis().saturating_sub(self.generated.millis()).max(0) / 1000)
    }

    /// The bytes that lie outside of this value.
    pub(crate) fn bytes_beside(&self) -> usize {
        self.headers.bytes() + self.kept.as_ref().map_or(0, |kept| kept.pointer.len())
    }
}

fn stored(meta: &Meta) -> Option<Stored> {
    Some(Stored { sha256: meta.body_sha256.as_deref()?.parse().ok()?, len: meta.body_len? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{KeptHeader, Version};

    #[test]
    fn a_header_that_would_split_the_answer_is_left_out() {
        let header = |name: &str, value: &str| KeptHeader { name: name.into(), value: value.into() };
        let headers =
            vec![header("link", "<a>"), header("x", "1\r\nset-cookie: a=1"), header("bad name", "1")];
        let version = Version {
            pk: "CACHE#1".into(),
            id: "1".into(),
            s3_key: "b/1".into(),
            generated_at: 0,
            revalidate_seconds: 60,
            etag: None,
            ttl: None,
            generated_at_ms: None,
            generation: None,
            publisher_token: None,
            status: Some(7),
            headers,
            tags: Vec::new(),
            body_sha256: None,
            body_len: None,
            page: None,
        };
        let page = Page::of(&version.shown(None));
        assert_eq!(page.headers().len(), 1);
        assert_eq!(page.status(), StatusCode::OK);
    }
}
