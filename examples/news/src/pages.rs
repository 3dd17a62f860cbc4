//! The pages: how they are rendered, and how they are answered from the cache. Nothing else here knows that there is one.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Response};
use facetheory::meta::Group;
use facetheory::render::{Render, RenderError, Rendered, Renderer};
use facetheory::{Isr, PageKey, Policy, Purge, Served, Visit};
use http::header::{AGE, ETAG, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use tabletheory::Db;
use tabletheory::core::Seconds;

use crate::html;
use crate::model::{Article, Record, is_slug};

/// How many articles the front page has.
const FRONT: usize = 20;

/// The site's articles, and its pages.
#[derive(Clone)]
pub(crate) struct Pages {
    pub(crate) db: Db,
    isr: Isr,
    renderer: Arc<dyn Renderer>,
}

impl Pages {
    pub(crate) fn new(db: Db, isr: Isr) -> Self {
        let articles = db.clone();
        // A page is made from its key alone, so it cannot depend on who asked for it.
        let renderer = move |render: Render| {
            let articles = articles.clone();
            async move { page(&articles, &render).await }
        };
        Self { db, isr, renderer: Arc::new(renderer) }
    }

    /// An article is another one: its page and the front page are gone, and the next reader waits for new ones.
    pub(crate) async fn edited(&self, slug: &str) -> Result<(), facetheory::Error> {
        self.isr.invalidate_group(None, Group::Tag(&tag(slug)), Purge::Gone).await?;
        self.isr.invalidate(&PageKey::path("/"), Purge::Gone).await?;
        Ok(())
    }

    /// Somebody commented: the page is stale, and readers get it as it is until the new one is there.
    pub(crate) async fn commented(&self, slug: &str) -> Result<(), facetheory::Error> {
        self.isr.invalidate(&PageKey::path(format!("/news/{slug}")), Purge::Stale).await?;
        Ok(())
    }

    async fn answer(&self, path: String) -> Response {
        let visit = Visit::to(PageKey::path(path)).policy(Policy::fresh_for(Seconds(60)));
        match self.isr.serve(&visit, &self.renderer).await {
            Ok(mut served) => {
                if let Some(work) = served.later.take() {
                    tokio::spawn(work.run());
                }
                response(&served)
            }
            Err(error) => {
                eprintln!("a page was not served: {error:#}");
                (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")]).into_response()
            }
        }
    }
}

/// `GET /`.
pub(crate) async fn front(State(pages): State<Pages>) -> Response {
    pages.answer("/".to_owned()).await
}

/// `GET /news/{slug}`.
pub(crate) async fn article(State(pages): State<Pages>, Path(slug): Path<String>) -> Response {
    if !is_slug(&slug) {
        // It is no page, so that nobody can fill the cache with names that cannot be.
        return (StatusCode::NOT_FOUND, Html(html::nothing())).into_response();
    }
    pages.answer(format!("/news/{slug}")).await
}

fn response(served: &Served) -> Response {
    let mut response = (served.page.status(), served.body.bytes().clone()).into_response();
    // What was kept with the page replaces what axum guessed of its body.
    let headers = response.headers_mut();
    headers.extend(served.page.headers());
    headers.insert(AGE, HeaderValue::from(served.age.0));
    headers.insert("x-facetheory-isr", HeaderValue::from_static(served.state.as_str()));
    if let Ok(etag) = HeaderValue::try_from(served.body.etag()) {
        headers.insert(ETAG, etag);
    }
    response
}

async fn page(db: &Db, render: &Render) -> Result<Rendered, RenderError> {
    let failed = |error: String| RenderError::new(error);
    let path = render.key.page_path().map(String::from_utf8_lossy).unwrap_or_default();
    let Some(slug) = path.strip_prefix("/news/") else {
        let articles = db.query(Article::newest()).desc().limit(FRONT).await;
        return Ok(Rendered::html(html::front(&articles.map_err(|error| failed(error.to_string()))?)));
    };
    let records = db.query(Article::partition(slug)).select::<Record>().await;
    let (mut article, mut comments) = (None, Vec::new());
    for record in records.map_err(|error| failed(error.to_string()))? {
        match record {
            Record::Article(found) => article = Some(found),
            Record::Comment(comment) => comments.push(comment),
        }
    }
    Ok(match article {
        Some(article) => Rendered::html(html::article(&article, &comments)).tagged(tag(slug)),
        // It is kept, too, for a short while, and goes when the article is published.
        None => {
            Rendered { status: StatusCode::NOT_FOUND, ..Rendered::html(html::nothing()).tagged(tag(slug)) }
        }
    })
}

/// What the page of an article can be purged by.
fn tag(slug: &str) -> String {
    format!("article:{slug}")
}
