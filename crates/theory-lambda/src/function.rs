//! A function: who answers requests, who renders pages that a queue asks for, who sweeps by the hour, who archives the records of a
//! stream; and one invocation, from its event to its answer.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use facetheory::body::BodySweep;
use facetheory::{Isr, Regenerated};
use futures_util::StreamExt;
use futures_util::stream;
use http::header::{HeaderValue, RETRY_AFTER};
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use lambda_http::request::LambdaRequest;
use lambda_runtime::{Context, Diagnostic, LambdaEvent};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tabletheory::deadline::Deadline;
use tabletheory_core::Timestamp;
use theory_archive::Archive;
use tower_service::Service;

use crate::answer::{self, TooLong};
use crate::application::{self, Application, Unanswered};
use crate::archive::archive;
use crate::error::{BoxError, told};
use crate::event::request::{self, Form};
use crate::event::{Event, Message};
use crate::message::RegenerationMessage;
use crate::page::{Pages, RegenerateError};
use crate::process::Process;
use crate::refusal::{BROKEN, OUT_OF_TIME, TOO_LONG, whole};
use crate::time::{Bounds, Invocation, before};

/// So many pages of a batch are rendered at once.
const RENDERS_AT_ONCE: usize = 10;

/// A function of Lambda. One can answer requests, read the queue of regenerations and archive a stream, each if it is told how; what
/// an invocation is for is read from its event.
///
/// ```
/// use axum::Router;
/// use axum::routing::get;
/// use theory_lambda::Function;
///
/// let function = Function::http(Router::new().route("/", get(|| async { "hello" })));
/// assert_eq!(format!("{function:?}"), "Function { http: true, regenerations: false, sweeps: false, archive: false }");
/// ```
#[derive(Clone, Default)]
pub struct Function {
    http: Option<Arc<dyn Application>>,
    regenerations: Option<Pages>,
    sweeps: Option<Isr>,
    archive: Option<Archive>,
}

/// The messages of a batch that are to come again.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Failures {
    batch_item_failures: Vec<Failed>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Failed {
    item_identifier: String,
}

impl Function {
    /// A function that answers requests: of REST and HTTP APIs, Function URLs and Application Load Balancers. Any `tower` service will
    /// do, as an `axum::Router` or a [`Pages`] with layers around it. What fails or panics is answered with status 500.
    #[must_use]
    pub fn http<S, B>(service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self { http: Some(application::of(service)), ..Self::default() }
    }

    /// A function that archives what time to live removes from a table. Lambda has to be told that it reports single failures
    /// (`ReportBatchItemFailures`).
    #[must_use]
    pub fn archiving(archive: Archive) -> Self {
        Self { archive: Some(archive), ..Self::default() }
    }

    /// With pages that are rendered because messages of a queue ask for them. Lambda has to be told that it reports single failures
    /// (`ReportBatchItemFailures`): messages that cannot be done come again, and end with the queue's dead letters.
    #[must_use]
    pub fn regenerations(mut self, pages: Pages) -> Self {
        self.regenerations = Some(pages);
        self
    }

    /// With a sweep of these pages whenever a schedule of EventBridge says so: old versions go, and bodies that no row names. Nothing
    /// else removes bodies, because a page may be old and served every day. A sweep reads the whole table, so give it a role of its
    /// own; one that its time does not suffice for fails, and what it removed until then is removed.
    #[must_use]
    pub fn sweeping(mut self, isr: Isr) -> Self {
        self.sweeps = Some(isr);
        self
    }

    /// One invocation: from its event to its answer, and the line that tells what was counted.
    pub(crate) async fn invoked(
        &self,
        process: &Process,
        event: LambdaEvent<Box<RawValue>>,
    ) -> Result<Box<RawValue>, Diagnostic> {
        let LambdaEvent { payload, context } = event;
        let end = Timestamp::from_millis(i64::try_from(context.deadline).unwrap_or(i64::MAX));
        let bounds = process.time().begin(end, process.buffer(), process.clock());
        let answer = self.answer(process, &payload, &context, bounds).await;
        process.time().end();
        let line = process.figures().line(process.name(), &context.request_id, process.clock().now());
        if let Some(line) = line {
            // Nobody is told if the log is gone.
            let _ = writeln!(std::io::stdout().lock(), "{line}");
        }
        answer
    }

    async fn answer(
        &self,
        process: &Process,
        payload: &RawValue,
        context: &Context,
        bounds: Bounds,
    ) -> Result<Box<RawValue>, Diagnostic> {
        let event = Event::read(payload).map_err(|error| diagnostic("Event.Unreadable", &error))?;
        let lacks = |what: &str| Diagnostic {
            error_type: "Function.Misconfigured".to_owned(),
            error_message: format!("this function was called with {what}, and has nobody for that"),
        };
        match (event, self) {
            (Event::Request(event), Self { http: Some(http), .. }) => {
                Ok(respond(&**http, *event, process, context, bounds).await)
            }
            (Event::Messages(messages), Self { regenerations: Some(pages), .. }) => {
                Ok(written(&regenerate(pages, messages, bounds).await))
            }
            (Event::Records(event), Self { archive: Some(to), .. }) => {
                Ok(written(&archive(to, &event, process).await))
            }
            (Event::Schedule, Self { sweeps: Some(isr), .. }) => sweep(isr, bounds).await,
            // A batch without records says not whose it is, and is done.
            (Event::Records(event), _) if event.records.is_empty() => Ok(written(&Failures::default())),
            (Event::Request(_), _) => Err(lacks("a request")),
            (Event::Messages(_), _) => Err(lacks("messages of a queue")),
            (Event::Records(_), _) => Err(lacks("records of a stream")),
            (Event::Schedule, _) => Err(lacks("the hour of a schedule")),
        }
    }
}

/// Answers a request in time, in the form that its event wants.
async fn respond(
    application: &dyn Application,
    event: LambdaRequest,
    process: &Process,
    context: &Context,
    bounds: Bounds,
) -> Box<RawValue> {
    let (form, request) = request::read(event);
    let answer = match request {
        Err(refusal) => whole(refusal),
        Ok(mut request) => {
            let end = Timestamp::from_millis(i64::try_from(context.deadline).unwrap_or(i64::MAX));
            let deadline = Deadline::at(end).with_buffer(process.buffer());
            request.extensions_mut().insert(Invocation { id: context.request_id.as_str().into(), deadline });
            match before(Some(bounds.answer), application.ask(request)).await {
                Some(Ok(answer)) => answer,
                Some(Err(Unanswered::TooLong)) => whole(TOO_LONG),
                Some(Err(error)) => {
                    tracing::error!(request_id = context.request_id, %error, "a request was not answered");
                    whole(BROKEN)
                }
                None => {
                    tracing::error!(request_id = context.request_id, "a request was not answered in time");
                    whole(OUT_OF_TIME)
                }
            }
        }
    };
    process.figures().answered(&answer);
    fitting(form, with_patience(answer))
}

/// Whoever is told to come back is told when.
fn with_patience(mut answer: Response<Bytes>) -> Response<Bytes> {
    let is_later = matches!(answer.status(), StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT);
    if is_later && !answer.headers().contains_key(RETRY_AFTER) {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}

fn fitting(form: Form, answer: Response<Bytes>) -> Box<RawValue> {
    match answer::write(form, &answer) {
        Ok(written) => written,
        Err(TooLong) => {
            let bytes = answer.body().len();
            tracing::error!(bytes, "an answer is longer than a function may give");
            answer::write(form, &whole(TOO_LONG)).expect("a refusal is short")
        }
    }
}

/// Renders the pages that messages ask for, in the time that there is, and says which messages are to come again. One that was
/// delivered several times is done once for all of them.
async fn regenerate(pages: &Pages, messages: Vec<Message>, bounds: Bounds) -> Failures {
    let mut same: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Message { message_id, body } in messages {
        same.entry(body).or_default().push(message_id);
    }
    let works = same.into_iter().map(|(body, messages)| async move {
        match before(Some(bounds.calls), regenerate_one(pages, &body)).await {
            // Without an answer of its own the whole batch would come again, and what was done of it be asked for twice.
            None => {
                tracing::error!(?messages, "a message could not be done in time");
                messages
            }
            Some(Ok(Regenerated::Failed | Regenerated::NotStored | Regenerated::StoreFailed)) => messages,
            Some(Ok(_)) => Vec::new(),
            Some(Err(RegenerateError::UnderWay)) => {
                tracing::info!(?messages, "another renders the page, so the message comes again");
                messages
            }
            Some(Err(error)) => {
                tracing::error!(?messages, error = told(&error), "a message cannot be done");
                messages
            }
        }
    });
    let failed: Vec<_> = stream::iter(works).buffer_unordered(RENDERS_AT_ONCE).collect().await;
    let failed = failed.into_iter().flatten().map(|item_identifier| Failed { item_identifier });
    Failures { batch_item_failures: failed.collect() }
}

async fn regenerate_one(pages: &Pages, text: &str) -> Result<Regenerated, RegenerateError> {
    pages.regenerate(&RegenerationMessage::parse(text)?).await
}

/// Sweeps, and says what went.
async fn sweep(isr: &Isr, bounds: Bounds) -> Result<Box<RawValue>, Diagnostic> {
    match before(Some(bounds.answer), isr.sweep()).await {
        Some(Ok(swept)) => {
            let BodySweep { seen, deleted, deleted_bytes, failed, .. } = swept;
            tracing::info!(seen, deleted, deleted_bytes, failed, "swept");
            Ok(written(&serde_json::json!({ "seen": seen, "deleted": deleted, "failed": failed })))
        }
        Some(Err(error)) => Err(diagnostic("Sweep.Failed", &error)),
        None => Err(Diagnostic {
            error_type: "Sweep.OutOfTime".to_owned(),
            error_message: "the table or the bucket is too large to be swept in the time of this function; \
                            raise its timeout, or let a gateway sweep"
                .to_owned(),
        }),
    }
}

fn diagnostic(kind: &str, error: &(dyn std::error::Error + 'static)) -> Diagnostic {
    Diagnostic { error_type: kind.to_owned(), error_message: told(error) }
}

fn written(answer: &impl Serialize) -> Box<RawValue> {
    to_raw_value(answer).expect("texts can be written")
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("http", &self.http.is_some())
            .field("regenerations", &self.regenerations.is_some())
            .field("sweeps", &self.sweeps.is_some())
            .field("archive", &self.archive.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests;
