//! What a Lambda function on a stream is called with, and what it answers: [`LambdaEvent`] and [`BatchFailures`].

mod error;
mod failures;
mod moment;
mod shape;

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use tabletheory_core::store::op::StreamRecord;

pub use error::{LambdaError, LambdaFlaw};
pub use failures::BatchFailures;
pub use shape::EVENT_RECORDS_MAX;

/// The longest text that is read as an event. Lambda itself calls with six megabytes at most.
///
/// ```
/// use tabletheory::stream::{EVENT_BYTES_MAX, LambdaError, LambdaEvent};
///
/// let blanks = " ".repeat(EVENT_BYTES_MAX + 1);
/// assert_eq!(LambdaEvent::parse(&blanks), Err(LambdaError::TooLong { bytes: EVENT_BYTES_MAX + 1 }));
/// ```
pub const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The records that Lambda calls a function with.
///
/// It is read from the event's JSON, with [`parse`](Self::parse) or by serde, for which it can be the argument of a handler.
/// Members that are not known are passed over. What a test does not say is filled in where there is one truth: a
/// missing size is counted, a missing time is 1970.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::stream::{BatchFailures, Decoder, LambdaEvent};
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "app")]
/// struct Visit {
///     #[model(pk)]
///     id: String,
///     count: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let event = LambdaEvent::parse(r#"{"Records": [{
///     "eventID": "c4ca4238", "eventName": "INSERT", "eventSource": "aws:dynamodb", "awsRegion": "eu-central-1",
///     "dynamodb": {
///         "ApproximateCreationDateTime": 1700000000.0,
///         "Keys": {"id": {"S": "a"}},
///         "NewImage": {"id": {"S": "a"}, "count": {"N": "1"}},
///         "SequenceNumber": "4421584500000000017450439091", "SizeBytes": 12, "StreamViewType": "NEW_AND_OLD_IMAGES"
///     },
///     "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2023-11-14T22:13:20.000"
/// }]}"#)?;
/// let mut failures = BatchFailures::default();
/// for record in Decoder::<Visit>::new().decode_all(&event.records).await {
///     match record {
///         Ok(record) => assert_eq!(record.new_image(), Some(&Visit { id: "a".into(), count: 1 })),
///         Err(error) => failures.add(error.sequence),
///     }
/// }
/// assert_eq!(serde_json::to_string(&failures)?, r#"{"batchItemFailures":[]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct LambdaEvent {
    /// The stream that they come from, if the event says so.
    pub stream: Option<String>,
    /// The records, in order.
    pub records: Vec<StreamRecord>,
}

impl LambdaEvent {
    /// Reads the JSON of an event.
    ///
    /// ```
    /// use tabletheory::stream::{LambdaError, LambdaEvent};
    ///
    /// assert_eq!(LambdaEvent::parse(r#"{"Records": []}"#), Ok(LambdaEvent::default()));
    /// assert_eq!(LambdaEvent::parse("{\n  ]"), Err(LambdaError::Json { line: 2, column: 3 }));
    /// ```
    ///
    /// # Errors
    /// [`LambdaError`], which tells where and never what the text holds.
    pub fn parse(text: &str) -> Result<Self, LambdaError> {
        if text.len() > EVENT_BYTES_MAX {
            return Err(LambdaError::TooLong { bytes: text.len() });
        }
        let event: shape::Event = serde_json::from_str(text)
            .map_err(|error| LambdaError::Json { line: error.line(), column: error.column() })?;
        Self::assemble(event)
    }

    fn assemble(event: shape::Event) -> Result<Self, LambdaError> {
        let mut assembled = Self::default();
        for (at, record) in event.records.into_iter().enumerate() {
            let in_record = |flaw| LambdaError::Record { record: at, flaw };
            if assembled.stream.is_none() {
                assembled.stream.clone_from(&record.event_source_arn);
            } else if record.event_source_arn.is_some() && record.event_source_arn != assembled.stream {
                return Err(in_record(LambdaFlaw::OtherStream));
            }
            assembled.records.push(record.into_record().map_err(in_record)?);
        }
        Ok(assembled)
    }
}

impl<'de> Deserialize<'de> for LambdaEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A deserializer's own error may repeat what it met where it expected an event.
        let event = shape::Event::deserialize(deserializer)
            .map_err(|_| D::Error::custom("this is not the event of a DynamoDB stream"))?;
        Self::assemble(event).map_err(D::Error::custom)
    }
}

impl fmt::Debug for LambdaEvent {
    /// How many records there are, and not what they hold.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LambdaEvent")
            .field("stream", &self.stream)
            .field("records", &self.records.len())
            .finish()
    }
}
