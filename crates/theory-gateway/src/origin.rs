//! The application behind a site: where it is, how much it is asked at once, how long it is waited for, and whether it is well. It is asked
//! over HTTP/1.1; redirects are answers like others, and a request is repeated only when the application cannot have acted on it.

mod address;
mod body;
mod connect;
pub(crate) mod counted;
mod error;
mod forwarded;
mod framing;
mod health;
mod hops;
mod line;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, VIA};
use http::uri::PathAndQuery;
use http::{Method, Request, Response, StatusCode, Uri, Version};
use http_body::Body;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::upgrade::Upgraded;
use rustls::ClientConfig;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

pub use body::OriginBody;
pub use error::{Cause, OriginError, Step};
pub use forwarded::{Caller, authority, tell};
pub use health::Health;

use crate::answer::Broken;
use crate::settings::OriginSettings;
use body::Held;
use connect::Connector;
use health::Record;
use line::{Idle, Line};
use upload::Upload;

/// How the gateway calls itself to applications (RFC 9110, 7.6.3).
const NAME: HeaderValue = HeaderValue::from_static("1.1 theory");

/// The application behind a site.
#[derive(Debug)]
pub struct Origin {
    settings: OriginSettings,
    host: HeaderValue,
    connector: Connector,
    idle: Arc<Idle>,
    places: Arc<Semaphore>,
    record: Record,
}

/// What came of asking for another protocol.
pub(crate) enum Turned {
    /// The application agreed; the connection is the other protocol's from here on.
    Over(Response<()>, Upgraded),
    /// It answered as to any request.
    Not(Response<OriginBody>),
}

impl Origin {
    /// The application of these settings. Nothing is connected yet.
    ///
    /// # Errors
    /// The address is none that could be asked, or needs TLS and this machine trusts nobody.
    pub fn new(settings: &OriginSettings) -> Result<Arc<Self>, OriginError> {
        Self::build(settings, None)
    }

    /// The same, where the certificates that are believed are not the machine's choice.
    ///
    /// # Errors
    /// As [`Origin::new`].
    pub fn with_tls(settings: &OriginSettings, tls: Arc<ClientConfig>) -> Result<Arc<Self>, OriginError> {
        Self::build(settings, Some(tls))
    }

    fn build(settings: &OriginSettings, tls: Option<Arc<ClientConfig>>) -> Result<Arc<Self>, OriginError> {
        let connector = Connector::new(settings, tls)?;
        let refused = |why| OriginError::Settings { uri: settings.uri.clone(), why };
        let authority = settings.uri.authority().expect("the connector found a host").as_str();
        let own = authority.rsplit_once('@').map_or(authority, |(_, own)| own);
        let host = HeaderValue::from_str(settings.host.as_deref().unwrap_or(own))
            .map_err(|_| refused("its host cannot be said in a header"))?;
        Ok(Arc::new(Self {
            host,
            connector,
            idle: Arc::default(),
            places: Arc::new(Semaphore::new(settings.requests_max.clamp(1, Semaphore::MAX_PERMITS))),
            record: Record::new(settings.failures_max, settings.pause),
            settings: settings.clone(),
        }))
    }

    /// Asks; gives the answer as soon as its head is there. Of the address only path and query count. `Host` is what the settings say,
    /// else what the request says, else the application's own; headers of connections are taken out in both directions.
    ///
    /// # Errors
    /// There is no answer, or none that can be believed; [`OriginError`] says why.
    pub async fn send<B>(&self, request: Request<B>) -> Result<Response<OriginBody>, OriginError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        let request = self.prepared(request);
        let method = request.method().clone();
        let (answer, line, place) = self.ask(request).await?;
        self.streamed(&method, answer, line, place)
    }

    /// Asks without a body; gives the whole answer.
    ///
    /// # Errors
    /// As [`Origin::send`]; and if the answer is larger than what may be kept, breaks off, or does not show where it ends.
    pub async fn fetch(&self, request: Request<()>) -> Result<Response<Bytes>, OriginError> {
        let answer = self.send(request.map(|()| Empty::<Bytes>::new())).await?;
        let (head, body) = answer.into_parts();
        if is_event_stream(&head.headers) {
            return Err(OriginError::Endless);
        }
        let body = body.whole(self.settings.kept_bytes_max).await?;
        Ok(Response::from_parts(head, body))
    }

    /// Asks for another protocol on the connection (`Upgrade`).
    pub(crate) async fn turn(
        &self,
        request: Request<()>,
        protocol: &HeaderValue,
    ) -> Result<Turned, OriginError> {
        let mut request = self.prepared(request.map(|()| Empty::<Bytes>::new()));
        hops::ask_for(request.headers_mut(), protocol);
        let method = request.method().clone();
        let (answer, line, place) = self.ask(request).await?;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            return self.streamed(&method, answer, line, place).map(Turned::Not);
        }
        if !hops::agrees_to(answer.headers(), protocol) {
            return Err(OriginError::malformed("another protocol than the one that was asked for"));
        }
        let (mut head, body) = answer.into_parts();
        hops::strip_answer(&mut head.headers);
        let answer = Response::from_parts(head.clone(), body);
        let upgraded = hyper::upgrade::on(answer).await.map_err(OriginError::broken)?;
        Ok(Turned::Over(Response::from_parts(head, ()), upgraded))
    }

    /// Whether it is well.
    #[must_use]
    pub fn health(&self) -> Health {
        self.record.health()
    }

    /// How long an answer may take in all that no client waits for: as long as each of its steps may, one after the other.
    pub(crate) fn wait_in_all(&self) -> Duration {
        let OriginSettings { connect_wait, head_wait, body_wait, .. } = self.settings;
        connect_wait.saturating_add(head_wait).saturating_add(body_wait)
    }

    /// One question whether it is well, if the settings say what to ask. The caller repeats it.
    pub async fn probe(&self) {
        let Some(path) = &self.settings.health_path else { return };
        let Ok(uri) = Uri::try_from(path.as_str()) else { return };
        let mut request = Request::new(Empty::<Bytes>::new());
        *request.uri_mut() = uri;
        // A question is no request of a client: it takes nobody's place, and it is asked while the application is left alone.
        let asked = self.answered(self.prepared(request));
        let answer = timeout(self.settings.health_every.max(self.settings.connect_wait), asked).await;
        let is_well = matches!(&answer, Ok(Ok((answer, _))) if is_well(answer.status()));
        if !is_well {
            tracing::warn!(origin = %self.settings.uri, "the origin is not well");
        }
        self.record.learn(is_well);
    }

    async fn ask(
        &self,
        request: Request<Upload>,
    ) -> Result<(Response<Incoming>, Line, OwnedSemaphorePermit), OriginError> {
        let leave = self.record.leave()?;
        let place = timeout(self.settings.connect_wait, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.map_err(|_| OriginError::Overloaded)?.expect("the semaphore is never closed");
        let answered = self.answered(request).await;
        match &answered {
            Ok((answer, _)) => leave.end(!is_unavailable(answer.status())),
            Err(error) if error.is_failure() => leave.end(false),
            Err(_) => drop(leave),
        }
        answered.map(|(answer, line)| (answer, line, place))
    }

    async fn answered(
        &self,
        mut request: Request<Upload>,
    ) -> Result<(Response<Incoming>, Line), OriginError> {
        let wait = self.settings.head_wait;
        if let Some(mut line) = self.idle.take().await {
            let again = repeatable(&request);
            match line.ask(request, wait).await {
                Ok(answer) => return Ok((answer, line)),
                // The connection was closed before anything was sent on it, so nobody can have acted on it.
                Err(lost) if lost.unsent.is_some() => {
                    request = lost.unsent.expect("it was just seen");
                }
                Err(lost) => match again {
                    // The application closed a connection while a request was on its way, and said nothing. It may have acted
                    // on it, which for these methods is no harm.
                    Some(again) if !lost.is_answered && matches!(lost.error, OriginError::Broken(_)) => {
                        request = again;
                    }
                    _ => return Err(lost.error),
                },
            }
        }
        let mut line = self.connector.connect().await?;
        let answer = line.ask(request, wait).await.map_err(|lost| lost.error)?;
        Ok((answer, line))
    }

    fn prepared<B>(&self, request: Request<B>) -> Request<Upload>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        let (mut head, body) = request.into_parts();
        head.version = Version::HTTP_11;
        head.extensions = http::Extensions::new();
        let path = head.uri.path_and_query().cloned();
        head.uri = Uri::from(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
        hops::strip_request(&mut head.headers);
        if self.settings.host.is_some() || !head.headers.contains_key(HOST) {
            head.headers.insert(HOST, self.host.clone());
        }
        head.headers.append(VIA, NAME);
        Request::from_parts(head, Upload::new(body))
    }

    fn streamed(
        &self,
        method: &Method,
        answer: Response<Incoming>,
        line: Line,
        place: OwnedSemaphorePermit,
    ) -> Result<Response<OriginBody>, OriginError> {
        if answer.status().is_informational() {
            return Err(OriginError::malformed("another protocol, which nobody asked for"));
        }
        let end = framing::end(method, &answer)?;
        let (mut head, incoming) = answer.into_parts();
        let trusted_for = line::trusted_for(&head.headers);
        hops::strip_answer(&mut head.headers);
        // Streams of events stay open for as long as somebody listens: they neither pause too long nor keep others waiting.
        let is_stream = is_event_stream(&head.headers);
        let wait = (!is_stream).then_some(self.settings.body_wait);
        let held =
            Held { line, idle: Arc::clone(&self.idle), trusted_for, place: (!is_stream).then_some(place) };
        Ok(Response::from_parts(head, OriginBody::new(incoming, end, wait, held)))
    }
}

/// A second one like it, if sending it twice does no harm: its method says so, and there is no body that is gone once it is sent.
fn repeatable(request: &Request<Upload>) -> Option<Request<Upload>> {
    if !request.method().is_idempotent() || !request.body().is_end_stream() {
        return None;
    }
    let mut again = Request::new(Upload::empty());
    again.method_mut().clone_from(request.method());
    again.uri_mut().clone_from(request.uri());
    again.headers_mut().clone_from(request.headers());
    Some(again)
}

/// Whether an answer is a stream of events, which is open for as long as somebody listens.
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    const KIND: &[u8] = b"text/event-stream";
    let Some(value) = headers.get(CONTENT_TYPE) else { return false };
    let kind = value.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(KIND)
}

/// The statuses by which something between us and the application, or it itself, says that it cannot answer at all.
fn is_unavailable(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT)
}

fn is_well(status: StatusCode) -> bool {
    status.is_success() || status.is_redirection()
}
