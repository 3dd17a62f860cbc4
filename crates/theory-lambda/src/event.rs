//! What Lambda calls a function with: a request of an API, a Function URL or a load balancer; messages of a queue; records of a
//! stream; the hour of a schedule. Whose they are is read from the event itself, so one function can serve several.

pub(crate) mod request;

use lambda_http::request::LambdaRequest;
use serde::Deserialize;
use serde_json::value::RawValue;
use tabletheory::stream::{self, LambdaError};

/// Who calls by a schedule.
const SCHEDULE: &str = "aws.events";

/// What Lambda calls a function with.
#[derive(Debug)]
pub(crate) enum Event {
    Request(Box<LambdaRequest>),
    Messages(Vec<Message>),
    Records(stream::LambdaEvent),
    /// It is time, as a schedule of EventBridge says.
    Schedule,
}

/// A message of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    pub(crate) message_id: String,
    #[serde(default)]
    pub(crate) body: String,
}

/// Why an event is none that is known here. It says nothing of what the event holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EventError {
    #[error(
        "the event is none of API Gateway, of a Function URL, of an Application Load Balancer, of SQS, of a DynamoDB stream or of a schedule"
    )]
    Unknown,
    #[error("the event has records of {0}, which this function does not know")]
    OtherSource(String),
    #[error("the event of a DynamoDB stream cannot be read")]
    Records(#[from] LambdaError),
}

/// Enough of an event to see whose it is.
#[derive(Deserialize)]
struct Peek {
    #[serde(default)]
    source: Option<String>,
    #[serde(rename = "Records", default)]
    records: Option<Vec<PeekedRecord>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PeekedRecord {
    #[serde(default)]
    event_source: String,
}

#[derive(Deserialize)]
struct Messages {
    #[serde(rename = "Records")]
    records: Vec<Message>,
}

impl Event {
    /// Reads an event.
    pub(crate) fn read(payload: &RawValue) -> Result<Self, EventError> {
        let text = payload.get();
        let peek: Peek = serde_json::from_str(text).map_err(|_| EventError::Unknown)?;
        let Some(records) = peek.records else {
            if peek.source.as_deref() == Some(SCHEDULE) {
                return Ok(Self::Schedule);
            }
            let request = serde_json::from_str(text).map_err(|_| EventError::Unknown)?;
            return Ok(Self::Request(Box::new(request)));
        };
        match records.first().map(|record| record.event_source.as_str()) {
            Some("aws:sqs") => {
                let messages: Messages = serde_json::from_str(text).map_err(|_| EventError::Unknown)?;
                Ok(Self::Messages(messages.records))
            }
            // A batch without records is done, whoever sent it.
            Some("aws:dynamodb") | None => Ok(Self::Records(stream::LambdaEvent::parse(text)?)),
            Some(other) => Err(EventError::OtherSource(other.chars().take(50).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Event, EventError> {
        Event::read(&RawValue::from_string(text.to_owned()).expect("JSON"))
    }

    #[test]
    fn an_event_says_whose_it_is() {
        let sqs = r#"{"Records": [{"eventSource": "aws:sqs", "messageId": "m-1", "body": "{}"}]}"#;
        let expected = Message { message_id: "m-1".into(), body: "{}".into() };
        assert!(matches!(read(sqs), Ok(Event::Messages(messages)) if messages == [expected]));
        assert!(matches!(read(r#"{"Records": []}"#), Ok(Event::Records(event)) if event.records.is_empty()));
        let alb = r#"{"httpMethod": "GET", "path": "/", "requestContext": {"elb": {}}, "body": null}"#;
        assert!(matches!(read(alb), Ok(Event::Request(_))));
        let hour =
            r#"{"version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}"#;
        assert!(matches!(read(hour), Ok(Event::Schedule)));
    }

    #[test]
    fn what_is_none_of_them_is_refused_without_repeating_it() {
        for text in
            ["null", "7", "[]", "{}", r#""secret""#, r#"{"Records": 7}"#, r#"{"Records": {"secret": 1}}"#]
        {
            let error = read(text).expect_err(text);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        let s3 = r#"{"Records": [{"eventSource": "aws:s3"}]}"#;
        assert_eq!(read(s3).unwrap_err(), EventError::OtherSource("aws:s3".into()));
        let half = r#"{"Records": [{"eventSource": "aws:sqs"}]}"#;
        assert_eq!(read(half).unwrap_err(), EventError::Unknown);
    }
}
