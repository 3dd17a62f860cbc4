//! What came of a batch of records.

use tabletheory::stream::BatchFailures;

use crate::error::Failure;

/// What came of the records of a batch, up to the first that failed.
///
/// ```
/// use theory_archive::Outcome;
///
/// let outcome = Outcome { archived: 3, ..Outcome::default() };
/// assert!(outcome.failures().is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Outcome {
    /// Removals that were written now.
    pub archived: u64,
    /// Removals that were there already: their record came again.
    pub present: u64,
    /// Records of something else than time to live removing an item.
    pub passed: u64,
    /// Removals that went to the dead letters.
    pub dead: u64,
    /// The first record that could not be archived for now. It and all that follow it have to come again.
    pub failure: Option<Failure>,
}

/// What came of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Archived,
    Present,
    Passed,
    Dead,
}

impl Outcome {
    /// The answer for Lambda: the sequence number of the record that failed, because Lambda goes back to it and calls again with
    /// it and all that follow it.
    ///
    /// ```
    /// use theory_archive::{Error, Failure, Outcome};
    ///
    /// let source = Error::NoOldImage { sequence: "17".into() };
    /// let failure = Some(Failure { sequence: "17".into(), event_id: "e1".into(), source });
    /// let outcome = Outcome { failure, ..Outcome::default() };
    /// assert_eq!(outcome.failures().sequences().collect::<Vec<_>>(), ["17"]);
    /// ```
    #[must_use]
    pub fn failures(&self) -> BatchFailures {
        self.failure.iter().map(|failure| failure.sequence.as_str()).collect()
    }

    pub(crate) fn count(&mut self, kept: Kept) {
        let counter = match kept {
            Kept::Archived => &mut self.archived,
            Kept::Present => &mut self.present,
            Kept::Passed => &mut self.passed,
            Kept::Dead => &mut self.dead,
        };
        *counter += 1;
    }
}
