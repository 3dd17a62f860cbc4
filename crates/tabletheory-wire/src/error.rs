//! Refusals as the service writes them: an HTTP status, the exception's full name in `__type`, and the message. The name of
//! the message's field is a matter of history: `message` for most exceptions, `Message` for some.

#[cfg(test)]
mod tests;

use http::StatusCode;
use serde::{Serialize, Serializer};
use tabletheory_core::error::CancellationReason;
use tabletheory_core::{Item, StoreError};

/// The exceptions of DynamoDB's own model.
const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810";
/// Those that only streams have.
const STREAMS: &str = "com.amazonaws.dynamodb.streams.v20120810";
/// What the framework around the service refuses before the service sees it.
const SERVICE: &str = "com.amazon.coral.service";
/// The framework's exception for broken rules.
const VALIDATE: &str = "com.amazon.coral.validate";
/// The framework's exception for callers that are too fast.
const AVAILABILITY: &str = "com.amazon.coral.availability";

/// The status and the body of an answer that refuses.
///
/// ```
/// use http::StatusCode;
/// use tabletheory_core::StoreError;
///
/// let (status, body) = tabletheory_wire::error::encode(&StoreError::ConditionalCheckFailed { item: None });
/// assert_eq!(status, StatusCode::BAD_REQUEST);
/// let name = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
/// let expected = format!(r#"{{"__type":"{name}","message":"The conditional request failed"}}"#);
/// assert_eq!(body, expected.as_bytes());
/// ```
#[must_use]
pub fn encode(error: &StoreError) -> (StatusCode, Vec<u8>) {
    let (namespace, key) = dialect(error);
    let text = error.to_string();
    let mut envelope = Envelope::new(Type { namespace, code: error.code() }, key, &text);
    match error {
        StoreError::ConditionalCheckFailed { item } => envelope.item = item.as_deref(),
        StoreError::TransactionCanceled { reasons } => envelope.reasons = Some(Reasons(reasons)),
        _ => {}
    }
    let status = match error {
        StoreError::Internal(_) | StoreError::DeadlineExceeded { sent: true } => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        StoreError::Unavailable(_) | StoreError::DeadlineExceeded { sent: false } => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        _ => StatusCode::BAD_REQUEST,
    };
    (status, envelope.body())
}

/// The body of a refusal that comes before the store: the caller did not say who they are, or the request did not arrive
/// whole. `code` is a name such as `MissingAuthenticationTokenException`.
pub(crate) fn refused(code: &str, message: &str) -> Vec<u8> {
    let kind = Type { namespace: SERVICE, code };
    Envelope::new(kind, MessageKey::Lower, message).body()
}

/// How the message's field is called.
#[derive(Clone, Copy)]
enum MessageKey {
    Lower,
    Upper,
}

/// Where the exception is defined, and how it calls its message.
fn dialect(error: &StoreError) -> (&'static str, MessageKey) {
    match error {
        StoreError::Validation(_) => (VALIDATE, MessageKey::Lower),
        StoreError::Throttling(_) => (AVAILABILITY, MessageKey::Lower),
        StoreError::AccessDenied(_)
        | StoreError::Serialization(_)
        | StoreError::UnknownOperation(_)
        | StoreError::Unavailable(_)
        | StoreError::DeadlineExceeded { .. } => (SERVICE, MessageKey::Upper),
        StoreError::TrimmedDataAccess(_) | StoreError::ExpiredIterator(_) => (STREAMS, MessageKey::Lower),
        StoreError::TransactionCanceled { .. }
        | StoreError::TransactionInProgress(_)
        | StoreError::IdempotentParameterMismatch(_) => (DYNAMODB, MessageKey::Upper),
        _ => (DYNAMODB, MessageKey::Lower),
    }
}

/// A refusal. An empty message is left out, as the service does when it cannot even read the request.
#[derive(Serialize)]
struct Envelope<'a> {
    #[serde(rename = "__type")]
    kind: Type<'a>,
    #[serde(rename = "CancellationReasons", skip_serializing_if = "Option::is_none")]
    reasons: Option<Reasons<'a>>,
    #[serde(rename = "Item", skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
    #[serde(rename = "Message", skip_serializing_if = "str::is_empty")]
    upper: &'a str,
    #[serde(rename = "message", skip_serializing_if = "str::is_empty")]
    lower: &'a str,
}

impl<'a> Envelope<'a> {
    fn new(kind: Type<'a>, key: MessageKey, message: &'a str) -> Self {
        let (upper, lower) = match key {
            MessageKey::Upper => (message, ""),
            MessageKey::Lower => ("", message),
        };
        Self { kind, reasons: None, item: None, upper, lower }
    }

    fn body(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a refusal has string keys")
    }
}

/// The full name of an exception.
struct Type<'a> {
    namespace: &'static str,
    code: &'a str,
}

impl Serialize for Type<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}#{}", self.namespace, self.code))
    }
}

/// Why a transaction was cancelled, operation by operation.
struct Reasons<'a>(&'a [CancellationReason]);

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Reason<'a> {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

impl Serialize for Reasons<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|reason| Reason {
            code: reason.code.name(),
            item: reason.item.as_deref(),
            message: reason.message.as_deref(),
        }))
    }
}
