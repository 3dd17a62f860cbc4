//! What makes pages, and which of its answers may be kept.

mod asked;
mod judge;

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use tabletheory_core::Seconds;

use crate::key::PageKey;

pub use crate::failure::RenderError;
pub(crate) use asked::ask;
pub(crate) use judge::is_for_all;
pub use judge::{Refusal, Verdict, judge};

/// A page on its way.
pub type Rendering<'r> = Pin<Box<dyn Future<Output = Result<Rendered, RenderError>> + Send + 'r>>;

/// Makes pages: an HTTP origin, a template engine, a function.
///
/// The answer must depend on the key alone. What is not in the key is not there to depend on. A render that is not awaited
/// to its end is dropped; it must bear that.
///
/// ```
/// use facetheory::render::{Render, Rendered, Renderer};
///
/// let renderer = |render: Render| async move {
///     let path = render.key.page_path().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
///     Ok(Rendered::html(format!("<h1>{path}</h1>")))
/// };
/// # fn takes(_: impl Renderer) {}
/// takes(renderer);
/// ```
pub trait Renderer: Send + Sync {
    /// Renders a page.
    fn render(&self, render: Render) -> Rendering<'_>;
}

impl<F, A> Renderer for F
where
    F: Fn(Render) -> A + Send + Sync,
    A: Future<Output = Result<Rendered, RenderError>> + Send + 'static,
{
    fn render(&self, render: Render) -> Rendering<'_> {
        Box::pin(self(render))
    }
}

/// What is to be rendered.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Render {
    /// The page.
    pub key: PageKey,
    /// The method. Only answers to `GET` and `HEAD` are kept.
    pub method: Method,
}

impl Render {
    pub(crate) fn new(key: &PageKey, method: Method) -> Self {
        Self { key: key.clone(), method }
    }
}

/// A rendered page.
///
/// ```
/// use facetheory::render::Rendered;
///
/// let page = Rendered::html("<p>new").tagged("news");
/// assert_eq!(page.status.as_u16(), 200);
/// assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
/// ```
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The status.
    pub status: StatusCode,
    /// The headers. Those worth keeping are kept.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// What the page can be purged by.
    pub tags: Vec<String>,
    /// For how long it is fresh, if the page knows better than the policy.
    pub revalidate: Option<Seconds>,
}

impl Rendered {
    /// An answer.
    #[must_use]
    pub fn new(status: StatusCode, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self { status, headers, body: body.into(), tags: Vec::new(), revalidate: None }
    }

    /// A page of HTML.
    #[must_use]
    pub fn html(body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::new();
        let html = http::HeaderValue::from_static("text/html; charset=utf-8");
        headers.insert(http::header::CONTENT_TYPE, html);
        Self::new(StatusCode::OK, headers, body)
    }

    /// With something it can be purged by.
    #[must_use]
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// How old it was when it came, as the origin's caches say.
    #[must_use]
    pub fn age(&self) -> Seconds {
        let age = self.headers.get(http::header::AGE).and_then(|age| age.to_str().ok());
        Seconds(age.and_then(|age| age.trim().parse().ok()).unwrap_or(0).max(0))
    }
}
