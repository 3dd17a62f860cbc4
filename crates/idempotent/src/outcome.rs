//! What the end of an attempt came to. Losing a race is an outcome and no error.

use crate::replay::Replay;

/// What completing came to.
///
/// ```
/// use idempotent::Completion;
///
/// assert!(!matches!(Completion::Unknown, Completion::Completed));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an answer that was not completed is not what others will get"]
pub enum Completion {
    /// The answer is written down, and everybody gets it.
    Completed,
    /// It is written down that the request is done, and with which status, but the answer was too large to be kept or could
    /// not be put where it belongs. Repetitions get an error that says so; the request does not run again.
    CompletedWithoutBody,
    /// The rule keeps no such answer, and the claim was given back: the next repetition runs again.
    NotKept,
    /// Another has claimed the record since. This is its answer, if it is done already; it is what everybody gets.
    Lost(Option<Box<Replay>>),
    /// The store's answers were lost. It is completed or will be done again, and nobody knows which.
    Unknown,
}

/// How an attempt failed.
///
/// ```
/// assert_ne!(idempotent::Failure::Retryable, idempotent::Failure::Final);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The next repetition may try again.
    Retryable,
    /// Repetitions are told that it failed, until the record is over.
    Final,
}

/// What giving a claim back came to. In all cases the request is not ours any more.
///
/// ```
/// assert_ne!(idempotent::Release::Released, idempotent::Release::NotOurs);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// It was ours, and is free.
    Released,
    /// It was not ours any more, or was completed, and nothing was changed. If an answer of the store was lost, it may have
    /// been released before.
    NotOurs,
}
