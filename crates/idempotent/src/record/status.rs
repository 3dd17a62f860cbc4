//! How far a request has come.

use tabletheory::Attribute;

/// How far a request has come.
///
/// ```
/// use idempotent::record::Status;
/// use tabletheory::Attribute;
///
/// assert_eq!(Status::Completed.to_value()?.as_s(), Some("COMPLETED"));
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[derive(Attribute, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// As [`Processing`](Self::Processing); other services write it, and we never do.
    #[attribute(attr = "PENDING")]
    Pending,
    /// Somebody works on it, or has died working on it.
    #[attribute(attr = "PROCESSING")]
    Processing,
    /// It is done, and its answer is known.
    #[attribute(attr = "COMPLETED")]
    Completed,
    /// It failed: for good if the record says so, and otherwise it may be tried again.
    #[attribute(attr = "FAILED")]
    Failed,
}
