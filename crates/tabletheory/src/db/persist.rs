//! Sending what may be sent again until it is answered: reads, and transactions that carry a token.

use std::time::Duration;

use tabletheory_core::limits::CLIENT_REQUEST_TOKEN_SECONDS;
use tabletheory_core::{Operation, StoreError, StoreExt};
use tokio::time::Instant;

use super::Db;

/// A token is remembered for ten minutes. What is sent within five and answered within the next five meets its own first
/// success as one; later it could happen twice.
const SENT_WITHIN: Duration = Duration::from_secs(CLIENT_REQUEST_TOKEN_SECONDS.unsigned_abs() / 2);

/// Sends the same request, byte for byte, until it is answered with something that will not pass, or the attempts are used
/// up.
///
/// # Errors
/// The last one. If an answer was lost before, that one, because whether the request was performed is unknown.
pub(super) async fn persist<O: Operation + Clone>(db: &Db, operation: O) -> Result<O::Output, Unanswered> {
    let mut attempts = db.attempts();
    let begun = Instant::now();
    let mut lost: Option<StoreError> = None;
    loop {
        let error = match db.store().send(operation.clone()).await {
            Ok(output) => return Ok(output),
            Err(error) if error.is_retryable() => error,
            // A store that cancels knows by the token that the lost one was not done.
            Err(error @ StoreError::TransactionCanceled { .. }) => {
                return Err(Unanswered { error, after_a_lost_answer: lost.is_some() });
            }
            Err(error) => return Err(Unanswered::new(error, lost)),
        };
        if error.is_ambiguous() && lost.is_none() {
            lost = Some(error.clone());
        }
        if !attempts.again().await || (lost.is_some() && begun.elapsed() > SENT_WITHIN) {
            return Err(Unanswered::new(error, lost));
        }
    }
}

/// What was not done, or not known to be done.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) error: StoreError,
    /// Whether an earlier sending was not answered, and may still be on its way.
    pub(super) after_a_lost_answer: bool,
}

impl Unanswered {
    fn new(last: StoreError, lost: Option<StoreError>) -> Self {
        let after_a_lost_answer = lost.is_some();
        Self { error: lost.unwrap_or(last), after_a_lost_answer }
    }
}
