//! What becomes of a request whose attempt has gone silent: its lock is over, and nobody knows how far it came.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::intent::Intent;
use crate::response::Response;

/// What is done with an orphan, which is a request whose lock is over and whose answer is not there.
///
/// ```
/// use idempotent::{Orphans, Recovery};
///
/// let ask = Orphans::recover(|orphan| async move {
///     assert!(orphan.attempt >= 1);
///     Recovery::NotDone
/// });
/// assert_eq!(format!("{ask:?} {:?}", Orphans::default()), "Recover Reexecute");
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Orphans {
    /// It is done again: right where the handler is harmless to repeat, or completes in its own transaction.
    #[default]
    Reexecute,
    /// It is not done again until its record is over: right where twice is worse than never. Somebody has to look. A claim
    /// that the network delivers once more, after it was given back, makes such an orphan too.
    Refuse,
    /// Somebody is asked what became of it.
    Recover(Recover),
}

/// Finds out what became of an orphan. Only the one who has claimed the record asks, so there is one question at a time.
///
/// ```
/// use idempotent::{Orphans, Recovery, Response};
///
/// let answer = Response::new(201, "done")?;
/// assert!(matches!(Orphans::recover(move |_| std::future::ready(Recovery::Done(answer.clone()))), Orphans::Recover(_)));
/// # Ok::<(), http::status::InvalidStatusCode>(())
/// ```
#[derive(Clone)]
pub struct Recover(Arc<dyn Fn(Orphan) -> RecoveryFuture + Send + Sync>);

type RecoveryFuture = Pin<Box<dyn Future<Output = Recovery> + Send>>;

/// The request that is asked about.
///
/// ```
/// # use idempotent::{IdempotencyKey, Intent, Orphan, Scope};
/// let intent = Intent::of_bytes(Scope::function("charge"), IdempotencyKey::parse("m-1")?, b"{}");
/// assert_eq!(Orphan { intent, attempt: 1 }.attempt, 1);
/// # Ok::<(), idempotent::KeyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Orphan {
    /// What was to be done.
    pub intent: Intent,
    /// The number of the attempt that has gone silent.
    pub attempt: u64,
}

/// What became of an orphan.
///
/// ```
/// assert!(!matches!(idempotent::Recovery::Unknown, idempotent::Recovery::NotDone));
/// ```
#[derive(Debug, Clone)]
pub enum Recovery {
    /// It was done, and this is its answer.
    Done(Response),
    /// It was not done, and never will be by that attempt. It may be done now.
    NotDone,
    /// Nobody knows. It is not done, and the next repetition asks again.
    Unknown,
}

impl Orphans {
    /// Asks this function.
    pub fn recover<F>(ask: impl Fn(Orphan) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Recovery> + Send + 'static,
    {
        Self::Recover(Recover(Arc::new(move |orphan| Box::pin(ask(orphan)))))
    }
}

impl Recover {
    pub(crate) fn ask(&self, orphan: Orphan) -> RecoveryFuture {
        (self.0)(orphan)
    }
}

impl fmt::Debug for Orphans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reexecute => "Reexecute",
            Self::Refuse => "Refuse",
            Self::Recover(_) => "Recover",
        })
    }
}

impl fmt::Debug for Recover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recover")
    }
}
