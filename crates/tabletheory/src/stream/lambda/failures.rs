//! The answer that tells Lambda which records of a batch have to come again.

use serde::{Deserialize, Serialize};

/// The records that a function could not handle. It is the function's answer; the event source mapping must have
/// `ReportBatchItemFailures` turned on to be read.
///
/// Lambda goes back to the first of them in the stream: that record **and all that follow it** come again, handled or not.
/// A function that handles records one after the other may therefore stop at the first that fails, and report only it.
/// An answer without failures is a success.
///
/// ```
/// use tabletheory::stream::BatchFailures;
///
/// let mut failures = BatchFailures::default();
/// assert!(failures.is_empty());
/// failures.add("4421584500000000017450439092");
/// assert_eq!(
///     serde_json::to_string(&failures)?,
///     r#"{"batchItemFailures":[{"itemIdentifier":"4421584500000000017450439092"}]}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BatchFailures {
    #[serde(rename = "batchItemFailures")]
    failures: Vec<Failure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Failure {
    #[serde(rename = "itemIdentifier")]
    sequence: String,
}

impl BatchFailures {
    /// Reports the record with this sequence number.
    ///
    /// ```
    /// # use tabletheory::stream::BatchFailures;
    /// let mut failures = BatchFailures::default();
    /// failures.add("17");
    /// assert_eq!(failures.sequences().collect::<Vec<_>>(), ["17"]);
    /// ```
    pub fn add(&mut self, sequence: impl Into<String>) {
        self.failures.push(Failure { sequence: sequence.into() });
    }

    /// Whether the whole batch was handled.
    ///
    /// ```
    /// assert!(tabletheory::stream::BatchFailures::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    /// The sequence numbers of the reported records, in the order in which they were reported.
    ///
    /// ```
    /// # use tabletheory::stream::BatchFailures;
    /// let failures: BatchFailures = ["17", "19"].into_iter().collect();
    /// assert_eq!(failures.sequences().last(), Some("19"));
    /// ```
    pub fn sequences(&self) -> impl ExactSizeIterator<Item = &str> {
        self.failures.iter().map(|failure| failure.sequence.as_str())
    }
}

impl<S: Into<String>> FromIterator<S> for BatchFailures {
    fn from_iter<I: IntoIterator<Item = S>>(sequences: I) -> Self {
        let failures = sequences.into_iter().map(|sequence| Failure { sequence: sequence.into() });
        Self { failures: failures.collect() }
    }
}
