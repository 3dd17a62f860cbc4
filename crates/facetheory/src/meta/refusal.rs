//! Which operation of a transaction was refused, by its place. Conflicts and throttling are no refusals.

use tabletheory::Error;
use tabletheory::error::{Refusal, TransactionFailure};
use tabletheory_core::error::CancellationCode;

/// The refusals, if the transaction was not done because a condition was false.
pub(super) fn refusals(error: &Error) -> Option<&TransactionFailure> {
    match error {
        Error::TransactionFailed(failure) if error.is_condition_failed() => Some(failure),
        _ => None,
    }
}

/// Whether the condition at this place was false.
pub(super) fn is_refused(failure: &TransactionFailure, place: usize) -> bool {
    failure.refusals().get(place).is_some_and(is_false)
}

/// Whether the condition of an operation on a row of this model was false.
pub(super) fn is_model_refused(failure: &TransactionFailure, model: &str) -> bool {
    failure.refusals().iter().any(|refusal| refusal.model == model && is_false(refusal))
}

fn is_false(refusal: &Refusal) -> bool {
    refusal.code == CancellationCode::ConditionalCheckFailed
}
