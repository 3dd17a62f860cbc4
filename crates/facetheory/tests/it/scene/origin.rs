//! The origin of a scene: for each path what it answers now, how slowly, and whether it fails.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use facetheory::render::{Render, RenderError, Rendered, Renderer, Rendering};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use parking_lot::Mutex;
use tabletheory_core::Seconds;

use super::tally::Tally;
use super::words::{Given, duration};

/// What is answered for a path.
#[derive(Debug, Clone)]
struct Answer {
    /// May contain `{n}` (the number of the render), `{tenant}`, `{query}`, `{method}`.
    body: String,
    status: StatusCode,
    headers: HeaderMap,
    tags: Vec<String>,
    revalidate: Option<Seconds>,
    takes: Duration,
    fails: bool,
}

/// Answers as it is told. What is told while a render is under way counts for the next.
#[derive(Debug)]
pub(crate) struct Origin {
    answers: Mutex<HashMap<String, Answer>>,
    renders: AtomicU64,
    tally: Tally,
}

impl Origin {
    pub(crate) fn new(tally: Tally) -> Self {
        Self { answers: Mutex::default(), renders: AtomicU64::new(0), tally }
    }

    /// `origin /news "v1" status=404 slow=5s header="link: </a>" tag=x revalidate=60 fail`
    pub(super) fn tell(&self, given: &Given) {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("text/html; charset=utf-8"));
        for header in given.all("header") {
            let (name, value) = header.split_once(':').expect("name: value");
            headers.append(HeaderName::try_from(name).unwrap(), HeaderValue::try_from(value.trim()).unwrap());
        }
        let answer = Answer {
            body: given.text.clone().unwrap_or_default(),
            status: given.option("status").map_or(StatusCode::OK, |status| status.parse().unwrap()),
            headers,
            tags: given.all("tag").map(str::to_owned).collect(),
            revalidate: given.option("revalidate").map(|seconds| Seconds(seconds.parse().unwrap())),
            takes: match given.option("slow") {
                Some(span) => duration(span),
                None if given.has("slow") => Duration::from_secs(5),
                None => Duration::ZERO,
            },
            fails: given.has("fail"),
        };
        self.answers.lock().insert(given.at(1).to_owned(), answer);
    }

    /// An origin with one page, which takes so long.
    pub(crate) fn of(tally: &Tally, path: &str, body: &str, takes: Duration) -> Self {
        let origin = Self::new(tally.clone());
        let plain = vec!["origin".to_owned(), path.to_owned()];
        let slow = ("slow".to_owned(), format!("{}ms", takes.as_millis()), false);
        origin.tell(&Given { plain, text: Some(body.to_owned()), pairs: vec![slow], ..Given::default() });
        origin
    }
}

impl Renderer for Origin {
    fn render(&self, render: Render) -> Rendering<'_> {
        Box::pin(async move {
            self.tally.count("renders");
            let number = self.renders.fetch_add(1, Ordering::Relaxed) + 1;
            let path = String::from_utf8_lossy(render.key.page_path().unwrap_or(b"/")).into_owned();
            let answer = self.answers.lock().get(&path).cloned();
            let Some(answer) = answer else { return Err(RenderError::new("the scene has no such page")) };
            if answer.takes > Duration::ZERO {
                tokio::time::sleep(answer.takes).await;
            }
            if answer.fails {
                return Err(RenderError::new("the origin closed the connection"));
            }
            let query = render.key.page_query();
            let query: Vec<String> = query
                .map(|(name, value)| {
                    format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
                })
                .collect();
            let body = answer
                .body
                .replace("{n}", &number.to_string())
                .replace("{tenant}", render.key.page_tenant().map_or("nobody", |tenant| tenant.as_str()))
                .replace("{method}", render.method.as_str())
                .replace("{query}", &query.join("&"));
            let rendered = Rendered::new(answer.status, answer.headers, body);
            Ok(Rendered { tags: answer.tags, revalidate: answer.revalidate, ..rendered })
        })
    }
}
