//! Questions to a gateway, one connection each, and their answers as JSON.

use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use super::lines::Lines;
use super::place::{Place, Token};
use super::query::with_query;
use super::refusal;
use crate::http::Client;

/// The largest answer that is read.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// A gateway that is asked.
#[derive(Debug)]
pub(crate) struct Gateway {
    place: Place,
    /// Scheme, host, port, and what stands before every path.
    base: String,
    token: Option<Token>,
    client: Client,
}

impl Gateway {
    /// The gateway at this place. Nothing is sent yet.
    pub(crate) fn at(place: &Place) -> anyhow::Result<Self> {
        let uri: Uri = place.admin.parse().with_context(|| {
            format!("--admin {:?} is no address; it is such as http://127.0.0.1:9090", place.admin)
        })?;
        let scheme = match (uri.scheme(), uri.authority()) {
            (Some(scheme), Some(_)) if matches!(scheme.as_str(), "http" | "https") => scheme,
            _ => bail!(
                "--admin {:?} is no address of a listener; it is such as http://127.0.0.1:9090",
                place.admin
            ),
        };
        if uri.query().is_some() {
            bail!(
                "--admin {:?} has a query; it is only scheme, host and port, such as http://127.0.0.1:9090",
                place.admin
            );
        }
        Ok(Self {
            base: place.admin.trim_end_matches('/').to_owned(),
            client: Client::new(scheme)?,
            token: place.token()?,
            place: place.clone(),
        })
    }

    /// Asks for something. Parameters without a value are left out.
    pub(crate) async fn get(&self, path: &str, query: &[(&str, Option<&str>)]) -> anyhow::Result<Value> {
        self.ask(Method::GET, path, query, None).await
    }

    /// Has something done.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, path, &[], Some(body)).await
    }

    /// Has something removed.
    pub(crate) async fn delete(&self, path: &str, query: &[(&str, Option<&str>)]) -> anyhow::Result<Value> {
        self.ask(Method::DELETE, path, query, None).await
    }

    /// Has something done that tells of itself line by line.
    pub(crate) async fn lines(&self, path: &str, body: &Value) -> anyhow::Result<Lines> {
        let response = self.send(Method::POST, path, &[], Some(body)).await?;
        Ok(Lines::new(self.place.clone(), format!("POST {path}"), response.into_body()))
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, Option<&str>)],
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let what = format!("{method} {path}");
        let response = self.send(method, path, query, body).await?;
        let body = self.whole(&what, response).await?;
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body).map_err(|_| refusal::strange(&self.place, &what, "no JSON", &body))
    }

    /// Sends a request; what comes back is a success whose body has not been read.
    async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, Option<&str>)],
        body: Option<&Value>,
    ) -> anyhow::Result<Response<Incoming>> {
        let what = format!("{method} {path}");
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{}", self.base, with_query(path, query)))
            .header(ACCEPT, "application/json");
        if let Some(token) = &self.token {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", token.text))
                .context("the token fits no header")?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(Full::new(Bytes::from(body))).context("the request cannot be written")?;
        let response = self
            .client
            .send(request, self.place.patience())
            .await
            .map_err(|silence| refusal::silence(&self.place, silence))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_problem = kind.starts_with("application/problem+json");
        let body = self.whole(&what, response).await?;
        Err(refusal::refused(&self.place, self.token.as_ref(), &what, status, is_problem, &body))
    }

    async fn whole(&self, what: &str, response: Response<Incoming>) -> anyhow::Result<Bytes> {
        let read = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect();
        match tokio::time::timeout(self.place.patience(), read).await {
            Err(_) => Err(refusal::slow(&self.place, self.place.patience())),
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) => bail!("the answer of {} to {what} broke off: {error}", self.place.admin),
        }
    }
}
