//! The service's exceptions: the same codes, the same messages, the old item where the service gives it.

use crate::item::Item;

/// Why an operation was refused, in the service's own language.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The request breaks a rule of the service. Sending it again fails again.
    #[error("{0}")]
    Validation(String),
    /// No such table, index or stream.
    #[error("{0}")]
    ResourceNotFound(String),
    /// The table exists already, or is being changed.
    #[error("{0}")]
    ResourceInUse(String),
    /// The condition was false.
    #[error("The conditional request failed")]
    ConditionalCheckFailed {
        /// The item as it is, when the request asked for it and the item exists.
        item: Option<Box<Item>>,
    },
    /// Nothing of the transaction was applied.
    #[error("{}", cancellation_message(reasons))]
    TransactionCanceled {
        /// One entry for each operation, in order.
        reasons: Vec<CancellationReason>,
    },
    /// Another transaction is working on the item.
    #[error("{0}")]
    TransactionConflict(String),
    /// The transaction with this token has not ended yet.
    #[error("{0}")]
    TransactionInProgress(String),
    /// The token was used within ten minutes for another request.
    #[error("{0}")]
    IdempotentParameterMismatch(String),
    /// A PartiQL INSERT met an item with the same key.
    #[error("{0}")]
    DuplicateItem(String),
    /// The table's throughput is used up.
    #[error("{0}")]
    ProvisionedThroughputExceeded(String),
    /// The account's request rate is used up.
    #[error("{0}")]
    RequestLimitExceeded(String),
    /// The service asks the caller to slow down.
    #[error("{0}")]
    Throttling(String),
    /// Too many tables, indexes or changes at once.
    #[error("{0}")]
    LimitExceeded(String),
    /// A partition with local indexes is larger than 10 GB.
    #[error("{0}")]
    ItemCollectionSizeLimitExceeded(String),
    /// The stream records were dropped after their day.
    #[error("{0}")]
    TrimmedDataAccess(String),
    /// The shard iterator is older than 15 minutes.
    #[error("{0}")]
    ExpiredIterator(String),
    /// The caller may not do this.
    #[error("{0}")]
    AccessDenied(String),
    /// The request's text could not be read.
    #[error("{0}")]
    Serialization(String),
    /// There is no such operation.
    #[error("{0}")]
    UnknownOperation(String),
    /// The store could not be reached, so nothing happened.
    #[error("{0}")]
    Unavailable(String),
    /// The caller's own deadline came before the answer. The service knows nothing of it.
    #[error("{}", deadline_message(*sent))]
    DeadlineExceeded {
        /// Whether the request was sent: a write may have happened then, or may happen yet. If not, nothing happened.
        sent: bool,
    },
    /// The store itself failed, or its answer was lost; whether a write happened is unknown.
    #[error("{0}")]
    Internal(String),
}

/// Why one operation of a transaction stood in its way, or that it did not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CancellationReason {
    /// What went wrong.
    pub code: CancellationCode,
    /// The words for it, if something went wrong.
    pub message: Option<String>,
    /// The item as it is, when the operation asked for it.
    pub item: Option<Box<Item>>,
}

/// The kinds of [`CancellationReason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum CancellationCode {
    /// This operation was fine.
    #[default]
    None,
    /// Its condition was false.
    ConditionalCheckFailed,
    /// Another transaction is working on its item.
    TransactionConflict,
    /// It breaks a rule that depends on the stored item.
    ValidationError,
    /// Its partition with local indexes is too large.
    ItemCollectionSizeLimitExceeded,
    /// The table's throughput is used up.
    ProvisionedThroughputExceeded,
    /// The account's request rate is used up.
    ThrottlingError,
    /// An INSERT met an item with the same key.
    DuplicateItem,
    /// The statement may not do this.
    AccessDenied,
}

impl CancellationCode {
    const ALL: [Self; 9] = [
        Self::None,
        Self::ConditionalCheckFailed,
        Self::TransactionConflict,
        Self::ValidationError,
        Self::ItemCollectionSizeLimitExceeded,
        Self::ProvisionedThroughputExceeded,
        Self::ThrottlingError,
        Self::DuplicateItem,
        Self::AccessDenied,
    ];

    /// The name the service uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::ConditionalCheckFailed => "ConditionalCheckFailed",
            Self::TransactionConflict => "TransactionConflict",
            Self::ValidationError => "ValidationError",
            Self::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            Self::ProvisionedThroughputExceeded => "ProvisionedThroughputExceeded",
            Self::ThrottlingError => "ThrottlingError",
            Self::DuplicateItem => "DuplicateItem",
            Self::AccessDenied => "AccessDenied",
        }
    }

    /// The code called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// Whether the same operation may be fine later.
    fn may_pass(self) -> bool {
        matches!(
            self,
            Self::None
                | Self::TransactionConflict
                | Self::ProvisionedThroughputExceeded
                | Self::ThrottlingError
        )
    }
}

fn cancellation_message(reasons: &[CancellationReason]) -> String {
    let codes: Vec<&str> = reasons.iter().map(|reason| reason.code.name()).collect();
    format!(
        "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
        codes.join(", ")
    )
}

fn deadline_message(sent: bool) -> &'static str {
    if sent { "the deadline came before the answer" } else { "the deadline came before the request was sent" }
}

impl StoreError {
    /// A [`StoreError::Validation`] with this message.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::Validation(message.into())
    }

    /// The exception's name, such as `ValidationException`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Validation(_) => "ValidationException",
            Self::ResourceNotFound(_) => "ResourceNotFoundException",
            Self::ResourceInUse(_) => "ResourceInUseException",
            Self::ConditionalCheckFailed { .. } => "ConditionalCheckFailedException",
            Self::TransactionCanceled { .. } => "TransactionCanceledException",
            Self::TransactionConflict(_) => "TransactionConflictException",
            Self::TransactionInProgress(_) => "TransactionInProgressException",
            Self::IdempotentParameterMismatch(_) => "IdempotentParameterMismatchException",
            Self::DuplicateItem(_) => "DuplicateItemException",
            Self::ProvisionedThroughputExceeded(_) => "ProvisionedThroughputExceededException",
            Self::RequestLimitExceeded(_) => "RequestLimitExceeded",
            Self::Throttling(_) => "ThrottlingException",
            Self::LimitExceeded(_) => "LimitExceededException",
            Self::ItemCollectionSizeLimitExceeded(_) => "ItemCollectionSizeLimitExceededException",
            Self::TrimmedDataAccess(_) => "TrimmedDataAccessException",
            Self::ExpiredIterator(_) => "ExpiredIteratorException",
            Self::AccessDenied(_) => "AccessDeniedException",
            Self::Serialization(_) => "SerializationException",
            Self::UnknownOperation(_) => "UnknownOperationException",
            Self::Unavailable(_) => "ServiceUnavailable",
            Self::DeadlineExceeded { .. } => "DeadlineExceeded",
            Self::Internal(_) => "InternalServerError",
        }
    }

    /// Whether a write that was answered with this may have happened all the same. Every other refusal of a write means
    /// that nothing was written.
    ///
    /// ```
    /// use tabletheory_core::StoreError;
    ///
    /// assert!(StoreError::Internal("the answer was lost".into()).is_ambiguous());
    /// assert!(!StoreError::Unavailable("connection refused".into()).is_ambiguous());
    /// assert!(StoreError::DeadlineExceeded { sent: true }.is_ambiguous());
    /// assert!(!StoreError::DeadlineExceeded { sent: false }.is_ambiguous());
    /// ```
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::Internal(_) | Self::DeadlineExceeded { sent: true })
    }

    /// Whether the same request may succeed if it is sent again later. A write whose answer
    /// [is ambiguous](Self::is_ambiguous) may have happened: repeat it only if that does no harm. After a deadline there is no
    /// later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::TransactionConflict(_)
            | Self::TransactionInProgress(_)
            | Self::ProvisionedThroughputExceeded(_)
            | Self::RequestLimitExceeded(_)
            | Self::Throttling(_)
            | Self::Unavailable(_)
            | Self::Internal(_) => true,
            // Without reasons nobody knows whether a condition was false.
            Self::TransactionCanceled { reasons } => {
                !reasons.is_empty() && reasons.iter().all(|reason| reason.code.may_pass())
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(codes: &[CancellationCode], retryable: bool) {
        let reasons =
            codes.iter().map(|code| CancellationReason { code: *code, ..CancellationReason::default() });
        let error = StoreError::TransactionCanceled { reasons: reasons.collect() };
        assert_eq!(error.is_retryable(), retryable, "{codes:?}");
    }

    #[test]
    fn a_canceled_transaction_may_succeed_later_if_only_others_stood_in_its_way() {
        use CancellationCode::*;
        check(&[None, TransactionConflict], true);
        check(&[ProvisionedThroughputExceeded, ThrottlingError], true);
        check(&[TransactionConflict, ConditionalCheckFailed], false);
        check(&[None, ValidationError], false);
    }

    #[test]
    fn a_canceled_transaction_without_reasons_is_not_known_to_succeed_later() {
        check(&[], false);
    }
}
