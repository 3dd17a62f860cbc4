//! A request that happens once: claimed, performed, its answer written down. All of it in one task, which goes on when nobody
//! waits for it any more.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Request, Response};
use http_body::Body;
use tabletheory_core::StoreError;
use tower_service::Service;

use super::body::{IdempotentBody, Read, read};
use super::door::{Door, OnStoreFailure};
use super::problem::Refusal;
use crate::attempt::Attempt;
use crate::claim::Claim;
use crate::error::Error;
use crate::guard::Guarded;
use crate::intent::Intent;
use crate::outcome::Completion;
use crate::replay::Replay;
use crate::response::Response as Answer;

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
const SECOND: Duration = Duration::from_secs(1);

type Sent<B, E> = Result<Response<IdempotentBody<B>>, E>;

/// What a handler has answered.
enum Work<B: Body> {
    /// An answer that is kept, whole or as far as it may be read.
    Kept(Answer, Response<IdempotentBody<B>>),
    /// An answer that is not kept.
    Passing(Response<B>),
    /// An answer that is kept, and whose body broke off.
    Broken(Answer),
}

pub(crate) async fn once<S, Q, B>(
    door: Arc<Door>,
    inner: S,
    request: Request<IdempotentBody<Q>>,
    intent: Intent,
) -> Sent<B, S::Error>
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>>,
    B: Body<Data = Bytes>,
{
    let refusal = match door.machine.claim(&intent).await {
        Ok(Claim::Granted(attempt)) => return perform(&door, inner, request, attempt).await,
        Ok(Claim::Replay(replay)) => return Ok(replayed(*replay)),
        Ok(Claim::Running { retry_after }) => Refusal::Running(retry_after),
        Ok(Claim::Mismatch) => Refusal::Mismatch,
        Ok(Claim::Orphaned { .. }) => Refusal::Orphaned,
        Ok(Claim::Failed) => Refusal::Failed,
        Err(error) if is_outage(&error) && door.on_store_failure == OnStoreFailure::RunUnprotected => {
            return unprotected(&door, inner, request).await;
        }
        Err(error) => refused(&error),
    };
    Ok(door.refuse(&refusal))
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
    let work = AssertUnwindSafe(work(door, inner, request)).catch_unwind();
    let refusal = match attempt.guard(work).await {
        Guarded::Done(Ok(Ok(Work::Kept(answer, response)))) => {
            return Ok(completed(door, &attempt, &answer, response).await);
        }
        Guarded::Done(Ok(Ok(Work::Passing(response)))) => {
            release(&attempt).await;
            return Ok(response.map(IdempotentBody::unread));
        }
        Guarded::Done(Ok(Err(error))) => {
            release(&attempt).await;
            return Err(error);
        }
        Guarded::Done(Ok(Ok(Work::Broken(answer)))) => {
            // The handler has said that it is done. To forget that would mean to do it twice.
            let _ = attempt.complete_broken(&answer).await;
            Refusal::AnswerLost { status: answer.status.as_u16() }
        }
        Guarded::Done(Err(_)) => {
            release(&attempt).await;
            Refusal::Broken
        }
        Guarded::Lost { error: None } => Refusal::Running(SECOND),
        Guarded::Lost { error: Some(_) } => Refusal::Unavailable,
    };
    Ok(door.refuse(&refusal))
}

async fn work<S, Q, B>(
    door: &Door,
    mut inner: S,
    request: Request<IdempotentBody<Q>>,
) -> Result<Work<B>, S::Error>
where
    S: Service<Request<IdempotentBody<Q>>, Response = Response<B>>,
    B: Body<Data = Bytes>,
{
    let response = inner.call(request).await?;
    if !door.machine.keep().keeps(response.status().as_u16()) {
        return Ok(Work::Passing(response));
    }
    let (parts, body) = response.into_parts();
    // What is longer than can be kept is given to the machine as far as it was read: that is too long as well, and so it is
    // written down.
    let (status, headers) = (parts.status, parts.headers.clone());
    Ok(match read(body, door.machine.bodies.bytes_max()).await {
        Read::Whole(bytes, body) | Read::TooLong(bytes, body) => {
            Work::Kept(Answer { status, headers, body: bytes }, Response::from_parts(parts, body))
        }
        Read::Broken => Work::Broken(Answer { status, headers, body: Bytes::new() }),
    })
}

/// What the caller gets, once it is known what everybody else will get.
async fn completed<B>(
    door: &Door,
    attempt: &Attempt,
    answer: &Answer,
    response: Response<IdempotentBody<B>>,
) -> Response<IdempotentBody<B>> {
    match attempt.complete(answer).await {
        Ok(Completion::Lost(Some(replay))) => replayed(*replay),
        Ok(Completion::Lost(None)) => door.refuse(&Refusal::Running(SECOND)),
        // Without an answer from the store too: this is what happened, and a caller who knows it has no reason to ask again.
        Ok(_) | Err(_) => response,
    }
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

/// Whether the store may answer another time. A table that is missing will not: to go on without it would be no protection at all,
/// in silence.
fn is_outage(error: &Error) -> bool {
    match error {
        Error::Table(tabletheory::Error::Throttled(_)) => true,
        Error::Table(tabletheory::Error::Store(error)) => {
            error.is_retryable()
                || error.is_ambiguous()
                || matches!(error, StoreError::DeadlineExceeded { .. })
        }
        _ => false,
    }
}

fn refused(error: &Error) -> Refusal {
    match error {
        Error::ResponseLost { status } | Error::ResponseTooLarge { status, .. } => {
            Refusal::AnswerLost { status: *status }
        }
        Error::Contended => Refusal::Running(SECOND),
        Error::Objects { .. } => Refusal::Unavailable,
        error if is_outage(error) => Refusal::Unavailable,
        _ => Refusal::Misconfigured,
    }
}
