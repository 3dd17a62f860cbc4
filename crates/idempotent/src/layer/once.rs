//! A request that happens once: claimed, performed, its answer written down. All of it in one task, which goes on when nobody
//! waits for it any more.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body::Body;
use tower_service::Service;

use super::body::{IdempotentBody, Read, read};
use super::door::{Door, OnStoreFailure};
use super::problem::Refusal;
use crate::attempt::Attempt;
use crate::claim::Claim;
use crate::complete::Ending;
use crate::error::Error;
use crate::guard::Guarded;
use crate::intent::Intent;
use crate::outcome::Completion;
use crate::replay::Replay;
use crate::response::Response as Answer;
use crate::through::Run;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const SECOND: Duration = Duration::from_secs(1);

pub(crate) type Sent<B, E> = Result<Response<IdempotentBody<B>>, E>;

/// What a handler has answered.
enum Work<B: Body, E> {
    /// An answer that counts, whether all of it, a part or nothing was read.
    Kept(Response<IdempotentBody<B>>),
    /// An answer that is kept, with this status, and whose body broke off.
    Broken(StatusCode),
    /// An answer that is not kept.
    Passing(Response<B>),
    /// An error of the service.
    Failed(E),
    Panicked,
}

/// A request on its way to the handler, if it is granted.
pub(crate) struct Errand<S, Q> {
    pub(crate) door: Arc<Door>,
    pub(crate) inner: S,
    pub(crate) request: Request<IdempotentBody<Q>>,
    pub(crate) intent: Intent,
    /// Whether another was seen to do it. Then nothing runs unprotected.
    pub(crate) is_seen: bool,
}

/// What became of an errand.
pub(crate) enum Turn<S, Q: Body, B: Body>
where
    S: Service<Request<IdempotentBody<Q>>>,
{
    Ended(Sent<B, S::Error>),
    /// Another does it. Whoever wants to wait can try again.
    Running(Refusal, Box<Errand<S, Q>>),
}

impl<S, Q> Errand<S, Q>
where
    S: Service<Request<IdempotentBody<Q>>>,
    Q: Body,
{
    /// Claims the request, and performs it if it is granted.
    pub(crate) async fn run<B>(self) -> Turn<S, Q, B>
    where
        S: Service<Request<IdempotentBody<Q>>, Response = Response<B>>,
        B: Body<Data = Bytes>,
    {
        let unprotected_runs = self.door.on_store_failure == OnStoreFailure::RunUnprotected && !self.is_seen;
        let refusal = match self.door.machine.claim_at_once(&self.intent).await {
            Ok(Claim::Granted(attempt)) => {
                return Turn::Ended(perform(&self.door, self.inner, self.request, attempt).await);
            }
            Ok(Claim::Replay(replay)) => return Turn::Ended(Ok(replayed(*replay))),
            Ok(Claim::Running { retry_after }) => {
                let again = Box::new(Self { is_seen: true, ..self });
                return Turn::Running(Refusal::Running(retry_after), again);
            }
            Ok(Claim::Mismatch) => Refusal::Mismatch,
            Ok(Claim::Orphaned { .. }) => Refusal::Orphaned,
            Ok(Claim::Failed) => Refusal::Failed,
            Err(error) if unprotected_runs && is_silence(&error) => {
                return Turn::Ended(unprotected(&self.door, self.inner, self.request).await);
            }
            Err(error) => refused(&error),
        };
        Turn::Ended(Ok(self.door.refuse(&refusal)))
    }
}

async fn perform<S, Q, B>(
    door: &Door,
    inner: S,
    mut request: Request<IdempotentBody<Q>>,
    attempt: Attempt,
) -> Sent<B, S::Error>
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>>,
    B: Body<Data = Bytes>,
{
    // Handlers may complete the attempt in a transaction of their own.
    request.extensions_mut().insert(attempt.clone());
    // The body is read while the lock is kept: a handler that answers piece by piece is still at work.
    let (worked, completed) = match attempt.through(Run::Guarded, work(door, inner, request)).await {
        Guarded::Done(done) => done,
        Guarded::Lost { error: None } => return Ok(door.refuse(&Refusal::Running(SECOND))),
        Guarded::Lost { error: Some(_) } => return Ok(door.refuse(&Refusal::Unavailable)),
    };
    Ok(match worked {
        Work::Kept(response) => match completed {
            Some(Ok(Completion::Lost(Some(replay)))) => replayed(*replay),
            Some(Ok(Completion::Lost(None))) => door.refuse(&Refusal::Running(SECOND)),
            // Without an answer from the store too: this is what happened, and a caller who knows it has no reason to ask
            // again.
            _ => response,
        },
        Work::Broken(status) => door.refuse(&Refusal::AnswerLost { status: status.as_u16() }),
        Work::Passing(response) => {
            release(&attempt).await;
            response.map(IdempotentBody::unread)
        }
        Work::Failed(error) => {
            release(&attempt).await;
            return Err(error);
        }
        Work::Panicked => {
            release(&attempt).await;
            door.refuse(&Refusal::Broken)
        }
    })
}

/// What the handler does, and what is to be written down of it: the handler has said that it is done, and to forget that would
/// mean to do it twice, whatever became of the body of its answer.
async fn work<S, Q, B>(
    door: &Door,
    mut inner: S,
    request: Request<IdempotentBody<Q>>,
) -> (Work<B, S::Error>, Option<Ending>)
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>>,
    B: Body<Data = Bytes>,
{
    let answered = async {
        let response = inner.call(request).await?;
        if !door.machine.keep().keeps(response.status().as_u16()) {
            return Ok((Work::Passing(response), None));
        }
        let (parts, body) = response.into_parts();
        let (status, headers) = (parts.status, parts.headers.clone());
        let is_endless = is_event_stream(&headers);
        let answer = |body| Answer { status, headers, body };
        if is_endless {
            // Nothing says that it ever ends. Whoever read it would give nobody so much as its head, and would keep the lock and
            // this task for as long as the other side likes, also when the client has left.
            let unread = Response::from_parts(parts, IdempotentBody::unread(body));
            return Ok((Work::Kept(unread), Some(Ending::TooLong(answer(Bytes::new())))));
        }
        Ok(match read(body, door.machine.bodies.bytes_max()).await {
            Read::Whole(bytes, body) => {
                (Work::Kept(Response::from_parts(parts, body)), Some(Ending::Whole(answer(bytes))))
            }
            Read::TooLong(bytes, body) => {
                (Work::Kept(Response::from_parts(parts, body)), Some(Ending::TooLong(answer(bytes))))
            }
            Read::Broken => (Work::Broken(status), Some(Ending::Broken(answer(Bytes::new())))),
        })
    };
    match AssertUnwindSafe(answered).catch_unwind().await {
        Ok(Ok(worked)) => worked,
        Ok(Err(error)) => (Work::Failed(error), None),
        Err(_) => (Work::Panicked, None),
    }
}

/// Whether an answer is a stream of events, which is open for as long as somebody listens.
fn is_event_stream(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else { return false };
    let kind = value.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
}

/// Gives the claim back. If the store does not take it, the lock will be over in time.
async fn release(attempt: &Attempt) {
    let _ = attempt.release().await;
}

async fn unprotected<S, Q, B>(
    door: &Door,
    mut inner: S,
    request: Request<IdempotentBody<Q>>,
) -> Sent<B, S::Error>
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>>,
{
    let work = AssertUnwindSafe(async { inner.call(request).await }).catch_unwind();
    match work.await {
        Ok(response) => Ok(response?.map(IdempotentBody::unread)),
        Err(_) => Ok(door.refuse(&Refusal::Broken)),
    }
}

fn replayed<B>(replay: Replay) -> Response<IdempotentBody<B>> {
    let Answer { status, headers, body } = replay.response;
    let mut response = Response::new(IdempotentBody::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// Whether the store said nothing of the request. A table that is missing will not say anything later either: to go on without
/// it would be no protection at all, in silence.
fn is_silence(error: &Error) -> bool {
    matches!(error, Error::Table(_)) && error.is_outage()
}

fn refused(error: &Error) -> Refusal {
    match error {
        Error::ResponseLost { status } | Error::ResponseTooLarge { status, .. } => {
            Refusal::AnswerLost { status: *status }
        }
        Error::Contended => Refusal::Running(SECOND),
        Error::Objects { .. } => Refusal::Unavailable,
        error if error.is_outage() => Refusal::Unavailable,
        _ => Refusal::Misconfigured,
    }
}
