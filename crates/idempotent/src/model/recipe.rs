//! What is sent, in few words: each recipe makes one request, always the same.

/// Seconds since the model began.
pub(super) type Moment = u8;

/// An attempt of a worker.
pub(super) type Attempt = u8;

/// A request, by what makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Recipe {
    Claim { attempt: Attempt, now: Moment, hash: u8 },
    Extend { attempt: Attempt, now: Moment },
    Complete { attempt: Attempt, now: Moment },
    Fail { attempt: Attempt, now: Moment },
    Release { attempt: Attempt },
}

impl Recipe {
    pub(super) fn attempt(self) -> Attempt {
        match self {
            Self::Claim { attempt, .. }
            | Self::Extend { attempt, .. }
            | Self::Complete { attempt, .. }
            | Self::Fail { attempt, .. }
            | Self::Release { attempt } => attempt,
        }
    }
}
