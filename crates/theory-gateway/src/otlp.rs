//! Figures, told to a collector of OpenTelemetry every so often and once more at the end: OTLP over HTTP, in protobuf. One task, one
//! request at a time, nothing kept between two: figures are totals, so what one request does not bring the next one does. A collector
//! that is slow or gone costs nobody anything, and a line in the log when that begins and when it ends.

mod message;
mod resource;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message as _;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::admin::{Components, tell};
use crate::origin::{Origin, OriginError};
use crate::settings::{OriginSettings, OtlpSettings};
use message::Message;

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");
const AGENT: HeaderValue = HeaderValue::from_static(concat!("theory/", env!("CARGO_PKG_VERSION")));
/// How long a collector may take, as long as the specification says.
const WAIT: Duration = Duration::from_secs(10);
/// How long it may take at the end, when somebody waits for that.
const LAST_WAIT: Duration = Duration::from_secs(2);
/// The largest answer that is read.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// What a collector says about what it did not take is told up to here.
const WHY_CHARS_MAX: usize = 200;

/// A task that tells a collector. It ends with this.
#[derive(Debug)]
pub(crate) struct Exporting {
    end: oneshot::Sender<()>,
    task: JoinSet<()>,
}

impl Exporting {
    /// Begins, at once with what there is.
    ///
    /// # Errors
    /// If the collector's address is none that could be asked, or needs TLS and this machine trusts nobody.
    pub(crate) fn start(settings: &OtlpSettings, parts: Components) -> Result<Self, OriginError> {
        let exporter = Exporter::new(settings, parts)?;
        let (end, ended) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(exporter.run(settings.every, ended));
        Ok(Self { end, task })
    }

    /// Tells the last figures, and ends.
    pub(crate) async fn end(self) {
        let Self { end, mut task } = self;
        // A task that is gone needs to hear nothing.
        let _ = end.send(());
        while task.join_next().await.is_some() {}
    }
}

/// What came of telling a collector the last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Well,
    Failing,
}

impl State {
    /// What it is after another attempt, and whether that is news.
    fn after(self, is_told: bool) -> (Self, bool) {
        let state = if is_told { Self::Well } else { Self::Failing };
        (state, state != self)
    }
}

struct Exporter {
    collector: Arc<Origin>,
    address: Uri,
    headers: HeaderMap,
    resource: Resource,
    parts: Components,
    state: State,
}

impl Exporter {
    fn new(settings: &OtlpSettings, parts: Components) -> Result<Self, OriginError> {
        let mut place = settings.metrics.clone().into_parts();
        place.path_and_query = Some("/".parse().expect("this is a path"));
        let place = Uri::from_parts(place).expect("its scheme, its host and a path");
        // It is asked by the clock, and not again and again, so there is no reason to leave it alone for a while.
        let mut patience = OriginSettings { failures_max: u32::MAX, ..OriginSettings::new(place) };
        (patience.head_wait, patience.body_wait) = (WAIT, WAIT);
        let (collector, address) = (Origin::new(&patience)?, settings.metrics.clone());
        let resource = resource::of(settings, parts.version);
        let mut headers: HeaderMap = settings.headers.iter().cloned().collect();
        headers.extend([(CONTENT_TYPE, PROTOBUF), (USER_AGENT, AGENT)]);
        Ok(Self { collector, address, headers, resource, parts, state: State::Unknown })
    }

    async fn run(mut self, every: Duration, mut ended: oneshot::Receiver<()>) {
        let mut ticks = interval(every);
        // A collector that was slow is not told twice in a row.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // Whoever is gone has nothing more to be told.
                _ = &mut ended => break,
                () = async { ticks.tick().await; self.export(WAIT).await } => {}
            }
        }
        self.export(LAST_WAIT).await;
    }

    /// Tells what there is now, and learns what came of it.
    async fn export(&mut self, wait: Duration) {
        let told = timeout(wait, self.send()).await;
        self.learn(told.unwrap_or_else(|_| Err(format!("it did not answer within {wait:?}"))));
    }

    async fn send(&self) -> Result<(), String> {
        let body = Bytes::from(self.message());
        match self.post(body.clone()).await {
            // A collector may close a connection at the moment in which it is used again. Totals can be told twice.
            Err(OriginError::Broken(_)) => self.post(body).await,
            answer => answer,
        }
        .map_err(|error| told(&error))?
        .taken()
    }

    async fn post(&self, body: Bytes) -> Result<Answer, OriginError> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.address.clone();
        request.headers_mut().clone_from(&self.headers);
        let (head, body) = self.collector.send(request).await?.into_parts();
        // Whether the figures were taken is said before the body is read; what it says besides is not worth an error.
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        Ok(Answer { status: head.status, body: body.map(|body| body.to_bytes()).unwrap_or_default() })
    }

    /// Everything that is counted, as a collector reads it.
    fn message(&self) -> Vec<u8> {
        let (started, now) = (self.parts.telemetry.started(), self.parts.now());
        let mut message = Message::between(started, now);
        tell(&self.parts, &mut message);
        message.of(self.resource.clone(), self.parts.version).encode_to_vec()
    }

    /// A line for each change, and none for what goes on as it was.
    fn learn(&mut self, told: Result<(), String>) {
        let (state, is_news) = self.state.after(told.is_ok());
        self.state = state;
        let collector = &self.address;
        match told {
            Ok(()) if is_news => tracing::info!(%collector, "figures reach the collector"),
            Err(why) if is_news => {
                tracing::warn!(%collector, why, "figures do not reach the collector; this is said once, and when they do");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// What a collector answered.
struct Answer {
    status: StatusCode,
    body: Bytes,
}

impl Answer {
    /// Whether it took everything.
    fn taken(&self) -> Result<(), String> {
        if !self.status.is_success() {
            return Err(format!("it answered {}", self.status));
        }
        let answer = ExportMetricsServiceResponse::decode(&*self.body).unwrap_or_default();
        match answer.partial_success {
            Some(left) if left.rejected_data_points > 0 => {
                let why: String = left.error_message.chars().take(WHY_CHARS_MAX).collect();
                Err(format!("it left out {} figures: {why:?}", left.rejected_data_points))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// What went wrong, with what it came from.
fn told(error: &OriginError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("address", &self.address).finish_non_exhaustive()
    }
}
