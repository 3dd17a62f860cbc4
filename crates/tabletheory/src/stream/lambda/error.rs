//! Why a text is not an event. Events hold items and errors are logged: no text here repeats what an event holds.

/// Why a text is not the event of a stream.
///
/// ```
/// use tabletheory::stream::{LambdaError, LambdaEvent, LambdaFlaw};
///
/// let error = LambdaEvent::parse(r#"{"Records": [{"eventID": "1", "eventName": "INSERT"}]}"#).unwrap_err();
/// assert_eq!(error, LambdaError::Record { record: 0, flaw: LambdaFlaw::Missing { member: "dynamodb" } });
/// assert_eq!(error.to_string(), "record 0 of the event: `dynamodb` is missing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LambdaError {
    /// It is longer than [`EVENT_BYTES_MAX`](super::EVENT_BYTES_MAX).
    #[error("the event has {bytes} bytes, more than any event of Lambda")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// It is not JSON, or not of the shape of an event, or holds a value that no attribute can have.
    #[error("the event cannot be read at line {line}, column {column}")]
    Json {
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
    },
    /// One of its records is not the record of a stream.
    #[error("record {record} of the event: {flaw}")]
    Record {
        /// Which one, from zero.
        record: usize,
        /// What is wrong with it.
        flaw: LambdaFlaw,
    },
}

/// What is wrong with a record of an event.
///
/// ```
/// use tabletheory::stream::LambdaFlaw;
///
/// assert_eq!(LambdaFlaw::Unknown { member: "eventName" }.to_string(), "`eventName` has a value that is not known");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LambdaFlaw {
    /// A member is not there; the event may come from another service.
    #[error("`{member}` is missing")]
    Missing {
        /// The member.
        member: &'static str,
    },
    /// A member has none of the values that it can have.
    #[error("`{member}` has a value that is not known")]
    Unknown {
        /// The member.
        member: &'static str,
    },
    /// It comes from another stream than the records before it.
    #[error("it comes from another stream than the records before it")]
    OtherStream,
}
