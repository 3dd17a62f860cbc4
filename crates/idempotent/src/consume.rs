//! Consumers of queues and streams, which deliver at least once: each event is handled once, and a batch is answered with the
//! events that have to come again. Nothing here knows AWS; identifiers are texts.

use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tabletheory::stream::BatchFailures;
use tabletheory_core::Seconds;
use tokio::time::Instant;

use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::intent::Intent;
use crate::key::IdempotencyKey;
use crate::machine::Idempotency;
use crate::outcome::Failure;
use crate::process::{ProcessError, Processed};
use crate::scope::Scope;
use crate::through::Run;

/// What a lock must leave of the time that a function has, so that its end is written down before the function is stopped.
const RESERVE: Duration = Duration::from_secs(1);
/// No lock is longer.
const TERM_MAX: Duration = Duration::from_secs(86_400);

/// One consumer: the events of one queue or stream, handled by one function.
///
/// An event is known by its identifier alone: an SQS message has its message id, a record of a DynamoDB stream its sequence
/// number. Both stay the same however often the event is delivered. What it says is not compared, because the service
/// promises that too.
///
/// ```
/// use idempotent::{Consumer, Idempotency, Processed};
/// use tabletheory::Db;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let events = Idempotency::new(Db::memory());
/// events.create_table().await?;
/// let mail = Consumer::new(events, "send-mail");
/// let send = || async { Ok::<_, std::io::Error>(()) };
/// assert_eq!(mail.once("059f36b4-87a3", send).await?, Processed::Done(()));
/// assert_eq!(mail.once("059f36b4-87a3", send).await?, Processed::Replayed(()));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Consumer {
    machine: Idempotency,
    function: String,
    /// When its function is stopped.
    stopped_at: Option<Instant>,
}

impl Consumer {
    /// The consumer of this name. Two consumers of one queue have two names, or one of them handles each event.
    #[must_use]
    pub fn new(machine: Idempotency, function: impl Into<String>) -> Self {
        Self { machine, function: function.into(), stopped_at: None }
    }

    /// The same in a function that is stopped after this time, as Lambda does. The lock of each event is as long as the time
    /// that is left when the event's turn comes, less a second, in whole seconds; there is no heartbeat. A handler that still
    /// runs when a sixth of that is left is dropped, as [`Attempt::guard`](crate::Attempt::guard) does. So an event whose
    /// function was stopped is free when it comes again. With less than two seconds left nothing is begun.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use idempotent::{Consumer, Idempotency};
    /// use tabletheory::Db;
    ///
    /// let mail = Consumer::new(Idempotency::new(Db::memory()), "send-mail");
    /// assert!(mail.clone().within(Duration::from_secs(30)).is_ok());
    /// assert!(mail.within(Duration::from_millis(900)).is_err());
    /// ```
    ///
    /// # Errors
    /// If less than two seconds are left, which is no time to begin.
    pub fn within(mut self, remaining: Duration) -> Result<Self, Error> {
        if term(remaining).is_none() {
            return Err(Error::Setting { setting: "remaining", must_be: "two seconds or more" });
        }
        self.stopped_at = Some(Instant::now() + remaining.min(TERM_MAX + RESERVE));
        Ok(self)
    }

    /// Handles an event unless it was handled before, and gives the handler's value, or the one it gave then.
    ///
    /// # Errors
    /// [`ProcessError`]: the event has to come again, unless it failed for good.
    pub async fn once<T, E, F>(
        &self,
        event_id: &str,
        handler: impl FnOnce() -> F,
    ) -> Result<Processed<T>, ProcessError<E>>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, E>>,
    {
        let key = IdempotencyKey::parse(event_id).map_err(Error::from)?;
        let scope = Scope::function(self.function.as_str());
        let fingerprint = Fingerprint::of_bytes(&scope, key.as_str().as_bytes());
        let intent = Intent::new(scope, key, fingerprint);
        let run = match self.stopped_at {
            None => Run::Guarded,
            Some(stopped_at) => {
                let remaining = stopped_at.saturating_duration_since(Instant::now());
                Run::Within(term(remaining).ok_or(ProcessError::NoTime)?)
            }
        };
        self.machine.run(&intent, run, handler, |_| Failure::Retryable).await
    }

    /// Handles the messages of a queue, each once, and gives those that have to come again, as Lambda wants to be answered
    /// (`ReportBatchItemFailures`). A failure does not stop the others. A message that is delivered twice in one batch is
    /// handled once. Where order matters it is [`batch_in_order`](Self::batch_in_order).
    ///
    /// `id` names a message: its message id.
    ///
    /// ```
    /// use idempotent::{Consumer, Idempotency};
    /// use tabletheory::Db;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let events = Idempotency::new(Db::memory());
    /// # events.create_table().await?;
    /// let mail = Consumer::new(events, "send-mail");
    /// let messages = [("m-1", "ok"), ("m-2", "bad"), ("m-3", "ok")];
    /// let failures = mail
    ///     .batch(&messages, |message| message.0, |message| async move {
    ///         if message.1 == "ok" { Ok(()) } else { Err("no such address") }
    ///     })
    ///     .await;
    /// assert_eq!(failures.sequences().collect::<Vec<_>>(), ["m-2"]);
    /// # Ok(()) }
    /// ```
    pub async fn batch<'e, M, E, F>(
        &self,
        events: &'e [M],
        id: impl Fn(&'e M) -> &'e str,
        handler: impl Fn(&'e M) -> F,
    ) -> BatchFailures
    where
        F: Future<Output = Result<(), E>>,
    {
        self.each(events, id, handler, OnFailure::GoOn).await
    }

    /// Handles the records of a stream, or the messages of a FIFO queue, in their order, each once. After the first that fails
    /// none is begun, because what comes later must not happen earlier: it and all that follow have to come again.
    ///
    /// `id` names an event: the sequence number or the message id, and never the event id of a stream's record, which Lambda
    /// does not know.
    ///
    /// ```
    /// use idempotent::{Consumer, Idempotency};
    /// use tabletheory::Db;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let events = Idempotency::new(Db::memory());
    /// # events.create_table().await?;
    /// let ledger = Consumer::new(events, "ledger");
    /// let failures = ledger
    ///     .batch_in_order(&["1", "2", "3"], |sequence| sequence, |sequence| async move {
    ///         if *sequence == "2" { Err("busy") } else { Ok(()) }
    ///     })
    ///     .await;
    /// assert_eq!(failures.sequences().collect::<Vec<_>>(), ["2", "3"]);
    /// # Ok(()) }
    /// ```
    pub async fn batch_in_order<'e, M, E, F>(
        &self,
        events: &'e [M],
        id: impl Fn(&'e M) -> &'e str,
        handler: impl Fn(&'e M) -> F,
    ) -> BatchFailures
    where
        F: Future<Output = Result<(), E>>,
    {
        self.each(events, id, handler, OnFailure::Stop).await
    }

    async fn each<'e, M, E, F>(
        &self,
        events: &'e [M],
        id: impl Fn(&'e M) -> &'e str,
        handler: impl Fn(&'e M) -> F,
        on_failure: OnFailure,
    ) -> BatchFailures
    where
        F: Future<Output = Result<(), E>>,
    {
        let mut failures = BatchFailures::default();
        let mut seen = HashSet::new();
        for event in events {
            let event_id = id(event);
            if !seen.insert(event_id) {
                continue;
            }
            if on_failure == OnFailure::Stop && !failures.is_empty() {
                failures.add(event_id);
                continue;
            }
            let handled: Result<Processed<()>, ProcessError<E>> =
                self.once(event_id, || handler(event)).await;
            match handled {
                Ok(_) | Err(ProcessError::Failed) => {}
                Err(_) => failures.add(event_id),
            }
        }
        failures
    }
}

/// What becomes of the events after one that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnFailure {
    GoOn,
    Stop,
}

/// The term of a lock while this much time is left; `None` if that is no time to begin.
fn term(remaining: Duration) -> Option<Seconds> {
    let seconds = remaining.saturating_sub(RESERVE).min(TERM_MAX).as_secs();
    i64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(Seconds)
}
