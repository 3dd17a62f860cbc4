//! [`Idempotency::process`]: a function that happens once for each key, and whose value everybody gets.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::attempt::Attempt;
use crate::claim::Claim;
use crate::complete::Ending;
use crate::error::Error;
use crate::fingerprint::{Fingerprint, canonical_json};
use crate::guard::Guarded;
use crate::intent::Intent;
use crate::key::IdempotencyKey;
use crate::machine::Idempotency;
use crate::outcome::{Completion, Failure};
use crate::replay::Replay;
use crate::response::Response;
use crate::scope::Scope;
use crate::through::{Completed, Run};

/// What a processed request came to.
///
/// ```
/// use idempotent::Processed;
///
/// assert_eq!(Processed::Replayed(7).into_value(), 7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processed<T> {
    /// The handler ran now, and this is its value.
    Done(T),
    /// It ran before, and this is the value that it gave then.
    Replayed(T),
}

/// Why there is no value.
///
/// ```
/// use idempotent::ProcessError;
///
/// let error: ProcessError<std::fmt::Error> = ProcessError::Mismatch;
/// assert_eq!(error.to_string(), "the idempotency key was used for another request");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError<E> {
    /// The handler failed.
    #[error("the handler failed")]
    Handler(E),
    /// Another runs it.
    #[error("the same request is under way")]
    Running {
        /// When to ask again.
        retry_after: Duration,
    },
    /// The key was used for another request.
    #[error("the idempotency key was used for another request")]
    Mismatch,
    /// An earlier attempt went silent, and the request is not done again.
    #[error("an earlier attempt at the request went silent, and nobody knows what became of it")]
    Orphaned,
    /// It failed for good before.
    #[error("the request has failed for good")]
    Failed,
    /// The function is stopped too soon, so nothing was begun: [`Consumer::within`](crate::Consumer::within).
    #[error("too little time is left to begin")]
    NoTime,
    /// The lock was lost while the handler ran, and it was stopped where it stood.
    #[error("the lock of the request was lost, and the handler was stopped")]
    Lost,
    /// The handler has run, and whether its value was written down is unknown.
    #[error("whether the answer of the request was written down is unknown")]
    Unknown,
    /// Something was not done.
    #[error(transparent)]
    Machine(#[from] Error),
}

impl<T> Processed<T> {
    /// The value, whenever it was made.
    #[must_use]
    pub fn into_value(self) -> T {
        match self {
            Self::Done(value) | Self::Replayed(value) => value,
        }
    }
}

impl Idempotency {
    /// Runs `handler` unless it ran before for this key and function, and gives its value, or the one it gave then. The
    /// request is compared as canonical JSON. A handler that fails may be tried again by the next who comes.
    ///
    /// A panic of the handler gives the claim back before it goes on. A future that is dropped cannot do that: the request is
    /// blocked until its lock is over.
    ///
    /// ```
    /// use idempotent::{Idempotency, Processed};
    /// use tabletheory::Db;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let payments = Idempotency::new(Db::memory());
    /// payments.create_table().await?;
    /// let charge = || async { Ok::<_, std::io::Error>("receipt 7".to_owned()) };
    /// let first = payments.process("order-1", "charge", &("ada", 5), charge).await?;
    /// assert_eq!(first, Processed::Done("receipt 7".to_owned()));
    /// let again = payments.process("order-1", "charge", &("ada", 5), charge).await?;
    /// assert_eq!(again, Processed::Replayed("receipt 7".to_owned()));
    /// assert!(payments.process("order-1", "charge", &("ada", 6), charge).await.is_err());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ProcessError`].
    pub async fn process<T, E, F>(
        &self,
        key: &str,
        function: &str,
        request: &impl Serialize,
        handler: impl FnOnce() -> F,
    ) -> Result<Processed<T>, ProcessError<E>>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, E>>,
    {
        self.process_where(key, function, request, handler, |_| Failure::Retryable).await
    }

    /// The same, where `judge` says of each error whether it may be tried again.
    ///
    /// ```
    /// use idempotent::{Failure, Idempotency, ProcessError};
    /// use tabletheory::Db;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let payments = Idempotency::new(Db::memory());
    /// # payments.create_table().await?;
    /// let refuse = || async { Err::<u64, _>("card stolen") };
    /// let for_good = |_: &&str| Failure::Final;
    /// let first = payments.process_where("order-1", "charge", &5, refuse, for_good).await;
    /// assert!(matches!(first, Err(ProcessError::Handler("card stolen"))));
    /// let again = payments.process_where("order-1", "charge", &5, refuse, for_good).await;
    /// assert!(matches!(again, Err(ProcessError::Failed)));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`ProcessError`].
    pub async fn process_where<T, E, F>(
        &self,
        key: &str,
        function: &str,
        request: &impl Serialize,
        handler: impl FnOnce() -> F,
        judge: impl FnOnce(&E) -> Failure,
    ) -> Result<Processed<T>, ProcessError<E>>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, E>>,
    {
        let intent = intent(key, function, request)?;
        self.run(&intent, Run::Guarded, handler, judge).await
    }

    /// Claims, runs and completes.
    pub(crate) async fn run<T, E, F>(
        &self,
        intent: &Intent,
        run: Run,
        handler: impl FnOnce() -> F,
        judge: impl FnOnce(&E) -> Failure,
    ) -> Result<Processed<T>, ProcessError<E>>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, E>>,
    {
        let term = match run {
            Run::Guarded => self.settings.lock_for,
            Run::Within(term) => term,
        };
        let attempt = match self.claim_for(intent, term).await? {
            Claim::Granted(attempt) => attempt,
            Claim::Replay(replay) => return Ok(Processed::Replayed(value(&replay)?)),
            Claim::Running { retry_after } => return Err(ProcessError::Running { retry_after }),
            Claim::Mismatch => return Err(ProcessError::Mismatch),
            Claim::Orphaned { .. } => return Err(ProcessError::Orphaned),
            Claim::Failed => return Err(ProcessError::Failed),
        };
        let (handled, completed) = match attempt.through(run, work(handler)).await {
            Guarded::Done(done) => done,
            Guarded::Lost { error } => return Err(error.map_or(ProcessError::Lost, ProcessError::Machine)),
        };
        match handled {
            Ok(Ok(value)) => conclude(&attempt, value, completed).await,
            Err(panic) => {
                // Whether it can be given back or not, the panic goes on.
                let _ = attempt.release().await;
                resume_unwind(panic)
            }
            Ok(Err(error)) => {
                // The handler's error matters more than whether it could be written down: then the lock is over in time.
                let _ = attempt.fail(judge(&error)).await;
                Err(ProcessError::Handler(error))
            }
        }
    }
}

/// What a handler came to, or its panic.
type Handled<T, E> = Result<Result<T, E>, Box<dyn Any + Send>>;

/// Runs a handler. A value that has no JSON has no ending.
async fn work<T, E, F>(handler: impl FnOnce() -> F) -> (Handled<T, E>, Option<Ending>)
where
    T: Serialize,
    F: Future<Output = Result<T, E>>,
{
    // The handler's own state is gone with it, and the record is ours to give back.
    let handled = AssertUnwindSafe(async { handler().await }).catch_unwind().await;
    let json = match &handled {
        Ok(Ok(value)) => serde_json::to_vec(value).ok(),
        _ => None,
    };
    let response =
        |json| Response { status: StatusCode::OK, headers: HeaderMap::new(), body: Bytes::from(json) };
    (handled, json.map(|json| Ending::Whole(response(json))))
}

/// What a value came to that was written down. What cannot be written as JSON is not done again either.
async fn conclude<T, E>(
    attempt: &Attempt,
    done: T,
    completed: Completed,
) -> Result<Processed<T>, ProcessError<E>>
where
    T: DeserializeOwned,
{
    let Some(completed) = completed else {
        attempt.fail(Failure::Final).await?;
        return Err(Error::NoJson.into());
    };
    match completed? {
        Completion::Completed | Completion::CompletedWithoutBody | Completion::NotKept => {
            Ok(Processed::Done(done))
        }
        Completion::Lost(Some(replay)) => Ok(Processed::Replayed(value(&replay)?)),
        Completion::Lost(None) => Err(ProcessError::Lost),
        Completion::Unknown => Err(ProcessError::Unknown),
    }
}

fn value<T: DeserializeOwned>(replay: &Replay) -> Result<T, Error> {
    serde_json::from_slice(&replay.response.body).map_err(|_| Error::NoJson)
}

/// The intent of a call of a function.
pub(crate) fn intent(key: &str, function: &str, request: &impl Serialize) -> Result<Intent, Error> {
    let key = IdempotencyKey::parse(key)?;
    let scope = Scope::function(function);
    let fingerprint = Fingerprint::of_json(&scope, request)?;
    let body = canonical_json(request)?;
    Ok(Intent::new(scope, key, fingerprint).with_body(body.as_bytes()))
}
