//! A page as it is answered: its metadata, with status and headers ready.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tabletheory_core::{Seconds, Timestamp};

use crate::body::Stored;
use crate::record::{KeptHeader, Meta};
use crate::render::Rendered;

/// A page without its body.
///
/// ```
/// use facetheory::{Page, record::Meta};
/// # use tabletheory::Model;
/// # use tabletheory_core::{Item, Value};
/// # let row = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META")), ("s3_key", Value::s("b/1"))]);
/// # let meta = Meta::from_item(row)?;
/// // A row of a store that keeps no headers.
/// assert_eq!(Page::of(meta).headers()["content-type"], "text/html; charset=utf-8");
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Page {
    meta: Option<Meta>,
    stored: Option<Stored>,
    generated: Timestamp,
    status: StatusCode,
    headers: HeaderMap,
    note: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Page {
    /// The page that metadata describe. A status or a header that is none, which only a hostile row has, is left out.
    #[must_use]
    pub fn of(meta: Meta) -> Self {
        let status = StatusCode::from_u16(meta.status()).unwrap_or(StatusCode::OK);
        let mut headers = HeaderMap::with_capacity(meta.headers.len());
        for KeptHeader { name, value } in &meta.headers {
            if let (Ok(name), Ok(value)) =
                (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
            {
                headers.append(name, value);
            }
        }
        if meta.headers.is_empty() {
            // Stores that keep no headers keep pages of HTML.
            headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        }
        let stored = stored(&meta);
        Self { stored, generated: meta.generated(), meta: Some(meta), status, headers, note: OnceLock::new() }
    }

    /// An answer that is not kept, with all its headers.
    pub(crate) fn passed(rendered: &Rendered, generated: Timestamp) -> Self {
        Self {
            meta: None,
            stored: None,
            generated,
            status: rendered.status,
            headers: rendered.headers.clone(),
            note: OnceLock::new(),
        }
    }

    /// What the table says about it; nothing, if it is not kept.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// What its body must be; nothing, if another store did not write it down.
    pub(crate) fn stored(&self) -> Option<&Stored> {
        self.stored.as_ref()
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers that were kept with it.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// What whoever serves it has made of it, made when first asked for: it lasts as long as this value, which many visitors
    /// share, so what is the same for all of them is made once. There is one note; `None` if it is of another type.
    ///
    /// ```
    /// # use facetheory::{Page, record::Meta};
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Item, Value};
    /// # let row = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META")), ("s3_key", Value::s("b/1"))]);
    /// let page = Page::of(Meta::from_item(row)?);
    /// assert_eq!(page.note(|page| page.headers().len()), Some(&1));
    /// assert_eq!(page.note(|_| String::new()), None, "the first note stays");
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn note<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Option<&T> {
        self.note.get_or_init(|| Arc::new(make(self))).downcast_ref()
    }

    /// How old it is.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Seconds {
        Seconds(now.millis().saturating_sub(self.generated.millis()).max(0) / 1000)
    }
}

fn stored(meta: &Meta) -> Option<Stored> {
    Some(Stored { sha256: meta.body_sha256.as_deref()?.parse().ok()?, len: meta.body_len? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Version;

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
        let page = Page::of(version.shown(None));
        assert_eq!(page.headers().len(), 1);
        assert_eq!(page.status(), StatusCode::OK);
    }
}
