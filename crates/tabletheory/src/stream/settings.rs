//! How a stream is read: plain data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tabletheory_core::limits::STREAM_RECORDS_MAX;

/// How a [`Reader`](super::Reader) asks and waits.
///
/// ```
/// use tabletheory::stream::ReadSettings;
///
/// let settings = ReadSettings { records_max: 100, ..ReadSettings::default() };
/// assert_eq!(settings.pause.as_secs(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadSettings {
    /// The most records of a batch, between 1 and 1000.
    pub records_max: u32,
    /// How long to wait before asking again when nothing has happened. DynamoDB answers five times a second for each shard
    /// and counts every question.
    pub pause: Duration,
    /// How often in a row the store may throttle or not answer before [`next`](super::Reader::next) gives its error.
    pub attempts: u32,
    /// The longest wait between two of those attempts.
    pub backoff_max: Duration,
    /// How many answers in a row without a record [`next_until`](super::Reader::next_until) takes for the end of a shard that is
    /// still open. A stream does not tell its end, and DynamoDB may give empty answers before it; the engine never does.
    pub tip_answers: u32,
}

impl Default for ReadSettings {
    fn default() -> Self {
        Self {
            records_max: STREAM_RECORDS_MAX,
            pause: Duration::from_secs(1),
            attempts: 8,
            backoff_max: Duration::from_secs(20),
            tip_answers: 15,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_is_written_wrong_is_an_error() {
        let read = |text| serde_json::from_str::<ReadSettings>(text);
        assert_eq!(
            read(r#"{"attempts": 3}"#).unwrap(),
            ReadSettings { attempts: 3, ..ReadSettings::default() }
        );
        assert!(read(r#"{"atempts": 3}"#).is_err());
    }
}
