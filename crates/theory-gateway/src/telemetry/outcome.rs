//! What became of a request, in one word: the label of metrics, the colour of plots.

use std::fmt;

use facetheory::State;

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Answered from what is kept, fresh.
    Hit,
    /// Answered from what is kept, its time over.
    Stale,
    /// Asked of the application, and kept.
    Miss,
    /// Another visitor's render was waited for.
    WaitHit,
    /// Answered from what is kept although its time is over, because the application failed.
    StaleError,
    /// Asked of the application for a page, and not kept.
    Uncached,
    /// Passed to the application.
    Passed,
    /// An idempotent request, answered with what was answered before.
    Replayed,
    /// Refused because somebody asked too often.
    Limited,
    /// Refused by the gateway: the request was none it answers.
    Refused,
    /// The application failed and nothing kept could stand in.
    Failed,
}

impl Outcome {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Hit,
        Self::Stale,
        Self::Miss,
        Self::WaitHit,
        Self::StaleError,
        Self::Uncached,
        Self::Passed,
        Self::Replayed,
        Self::Limited,
        Self::Refused,
        Self::Failed,
    ];

    /// The word for it.
    ///
    /// ```
    /// use theory_gateway::telemetry::Outcome;
    ///
    /// assert_eq!(Outcome::from(facetheory::State::WaitHit).as_str(), "wait-hit");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Stale => "stale",
            Self::Miss => "miss",
            Self::WaitHit => "wait-hit",
            Self::StaleError => "stale-error",
            Self::Uncached => "uncached",
            Self::Passed => "passed",
            Self::Replayed => "replayed",
            Self::Limited => "limited",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Whether it was answered without asking the application.
    #[must_use]
    pub fn is_from_cache(self) -> bool {
        matches!(self, Self::Hit | Self::Stale | Self::StaleError | Self::WaitHit)
    }

    /// Whether the cache had a say: the hit ratio is a part of these.
    #[must_use]
    pub fn is_of_cache(self) -> bool {
        self.is_from_cache() || matches!(self, Self::Miss | Self::Uncached)
    }
}

impl From<State> for Outcome {
    fn from(state: State) -> Self {
        match state {
            State::Hit => Self::Hit,
            State::Stale => Self::Stale,
            State::Miss => Self::Miss,
            State::WaitHit => Self::WaitHit,
            State::StaleError => Self::StaleError,
            State::Uncached => Self::Uncached,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_all_is_the_order_of_their_numbers() {
        for (place, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, place);
        }
    }
}
