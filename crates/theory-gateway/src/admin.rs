//! What operators reach: an API, the dashboard over it, and numbers for Prometheus, on a listener of its own. Whatever changes
//! something needs the token, and nothing here is reachable through the sites.

mod asset;
mod backstage;
mod change;
mod components;
mod door;
mod events;
mod exclusive;
mod exposition;
mod figures;
mod limits;
mod metrics;
mod numbers;
mod overview;
mod pages;
mod problem;
mod process;
mod query;
mod requests;
mod serve;
mod view;
mod warm;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Duration, timeout};

pub(crate) use backstage::{Backstage, Doing, Kept, Place, SiteStatus, Unresolved};
pub(crate) use components::{Components, Whereabouts};
pub(crate) use serve::serve;

#[cfg(feature = "otlp")]
pub(crate) use metrics::tell;
#[cfg(feature = "otlp")]
pub(crate) use numbers::{EXPONENTS, Kind, Numbers, bucket_end};

use crate::answer::{Body, Broken};
use crate::settings::Secret;
use door::Door;
use exclusive::Exclusive;
use figures::Figures;
use problem::{Problem, answer, told};
use query::json;

/// How long a body may take to come.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// What operators reach.
#[derive(Debug)]
pub(crate) struct Admin {
    parts: Arc<Components>,
    door: Door,
    figures: Figures,
    /// Whether those who only watch are to end.
    ending: watch::Sender<bool>,
}

impl Admin {
    /// What operators who show the token reach at `listen`, of a gateway made of these parts.
    pub(crate) fn new(listen: SocketAddr, token: Secret, parts: Components) -> Arc<Self> {
        let door = Door::new(listen, token, Arc::clone(parts.clock()));
        Arc::new(Self {
            parts: Arc::new(parts),
            door,
            figures: Figures::default(),
            ending: watch::Sender::new(false),
        })
    }

    /// Ends the streams of those who only watch, which would not end by themselves.
    fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Answers an operator.
    pub(crate) async fn answer<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Into<Broken>,
    {
        let (head, body) = request.into_parts();
        let answered = match self.door.check_host(&head) {
            Ok(()) => self.answer_at(&head, body).await,
            Err(problem) => Err(problem),
        };
        let mut response = answered.unwrap_or_else(Response::from);
        let headers = response.headers_mut();
        for (name, value) in [
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
            (X_FRAME_OPTIONS, "DENY"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }

    async fn answer_at<B>(&self, head: &Parts, body: B) -> Result<Response<Body>, Problem>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Into<Broken>,
    {
        let path = head.uri.path();
        if path.starts_with("/api/") {
            self.door.check_token(&head.headers)?;
            return self.api(head, body).await;
        }
        let is_read = matches!(head.method, Method::GET | Method::HEAD);
        if let Some(asset) = asset::asset(path) {
            return if is_read { Ok(asset) } else { Err(Problem::wrong_method("GET")) };
        }
        const TEXT: &str = "text/plain; charset=utf-8";
        match path {
            "/healthz" | "/readyz" | "/metrics" if !is_read => Err(Problem::wrong_method("GET")),
            "/healthz" => Ok(answer(StatusCode::OK, TEXT, "ok\n")),
            "/readyz" => match self.parts.backstage.ready().await {
                Ok(()) => Ok(answer(StatusCode::OK, TEXT, "ready\n")),
                Err(why) => {
                    tracing::debug!(why, "not ready: the store does not answer");
                    let is_told = self.door.is_loopback();
                    let text = if is_told { format!("not ready: {why}\n") } else { "not ready\n".to_owned() };
                    Ok(answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, text))
                }
            },
            "/metrics" => {
                if !self.door.is_loopback() {
                    self.door.check_token(&head.headers)?;
                }
                Ok(answer(
                    StatusCode::OK,
                    "text/plain; version=0.0.4; charset=utf-8",
                    metrics::metrics(&self.parts),
                ))
            }
            _ => Err(Problem::missing("there is nothing here; the dashboard is at /, the API below /api/")),
        }
    }

    async fn api<B>(&self, head: &Parts, body: B) -> Result<Response<Body>, Problem>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Into<Broken>,
    {
        let (parts, query) = (&self.parts, head.uri.query());
        // The methods of an address, so that a wrong one is told from a wrong address.
        let methods = match head.uri.path() {
            "/api/pages/revalidate"
            | "/api/pages/purge"
            | "/api/pages/rollback"
            | "/api/pages/warm"
            | "/api/limits/reset" => "POST",
            "/api/requests" => "GET, DELETE",
            _ => "GET",
        };
        let value = match (head.method.as_str(), head.uri.path()) {
            ("GET", "/api/overview") => overview::overview(parts, &self.figures, query).await?,
            ("GET", "/api/pages") => pages::list(parts, query).await?,
            ("GET", "/api/pages/show") => pages::show(parts, query).await?,
            ("GET", "/api/pages/versions") => pages::versions(parts, query).await?,
            ("POST", "/api/pages/revalidate") => {
                let wanted = read(body).await?;
                self.whole(|parts| async move { change::revalidate(&parts, wanted).await }).await?
            }
            ("POST", "/api/pages/purge") => {
                let wanted = read(body).await?;
                self.whole(|parts| async move { change::purge(&parts, wanted).await }).await?
            }
            ("POST", "/api/pages/rollback") => {
                let wanted = read(body).await?;
                self.whole(|parts| async move { change::rollback(&parts, wanted).await }).await?
            }
            ("POST", "/api/pages/warm") => {
                let lines = warm::warm(parts, read(body).await?).await?;
                return Ok(stream("application/x-ndjson", Exclusive::new(lines)));
            }
            ("GET", "/api/leases") => pages::leases(parts, query).await?,
            ("GET", "/api/requests") => requests::list(parts, query).await?,
            ("GET", "/api/requests/show") => requests::show(parts, query).await?,
            ("DELETE", "/api/requests") => requests::forget(parts, query).await?,
            ("GET", "/api/limits/top") => limits::top(parts, query)?,
            ("GET", "/api/limits/show") => limits::show(parts, query).await?,
            ("POST", "/api/limits/reset") => limits::reset(parts, read(body).await?).await?,
            ("GET", "/api/events") => events::list(parts, query)?,
            ("GET", "/api/live") => {
                return Ok(stream(
                    "text/event-stream",
                    Exclusive::new(events::live(parts, self.ending.subscribe())),
                ));
            }
            (_, path) if is_known(path) => return Err(Problem::wrong_method(methods)),
            _ => return Err(Problem::missing("the API has no such address")),
        };
        Ok(told(&value))
    }

    /// A change that was begun comes to its end, also when its caller has gone. What this process knows of the pages is forgotten
    /// then; were it forgotten before the rows are changed, the next visitor would bring it back.
    async fn whole<W>(&self, change: impl FnOnce(Arc<Components>) -> W) -> Result<Value, Problem>
    where
        W: Future<Output = Result<Value, Problem>> + Send + 'static,
    {
        let broken = || Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the change broke off; see the log");
        self.parts.tasks.finish(change(Arc::clone(&self.parts))).await.unwrap_or_else(|| Err(broken()))
    }
}

/// The addresses of the API.
fn is_known(path: &str) -> bool {
    matches!(
        path.strip_prefix("/api/"),
        Some(
            "overview"
                | "pages"
                | "pages/show"
                | "pages/versions"
                | "pages/revalidate"
                | "pages/purge"
                | "pages/rollback"
                | "pages/warm"
                | "leases"
                | "requests"
                | "requests/show"
                | "limits/top"
                | "limits/show"
                | "limits/reset"
                | "events"
                | "live"
        )
    )
}

async fn read<T: serde::de::DeserializeOwned, B>(body: B) -> Result<T, Problem>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Broken>,
{
    match timeout(BODY_WAIT, json(body)).await {
        Ok(read) => read,
        Err(_) => Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")),
    }
}

fn stream(kind: &'static str, body: Exclusive) -> Response<Body> {
    let mut response = Response::new(Body::stream(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests;
