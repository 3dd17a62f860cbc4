//! What workers and the admin send: the arguments of a request, small enough to be part of a state. `server` makes the real
//! request of them, always the same of the same arguments, so that sending a recipe again is sending byte for byte.

/// A number that stands for a lease token, and for the body that is rendered under it.
pub(super) type Attempt = u8;

/// Seconds of the model's time, by some clock.
pub(super) type Moment = u8;

/// The arguments of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Recipe {
    /// Take the lease.
    Acquire(Term),
    /// Take the lease and begin the intent.
    Claim { term: Term, hash: u8 },
    /// Begin the intent, without the lease. Only the seed sends this.
    Begin { attempt: Attempt, hash: u8 },
    /// Make the lease longer.
    Refresh { attempt: Attempt, expires: Moment },
    /// Give the lease back.
    Release { attempt: Attempt },
    /// Give the lease back after a failure.
    Fail { attempt: Attempt, now: Moment },
    /// End the intent after a failure.
    FailRequest { attempt: Attempt, hash: u8 },
    /// Publish what was rendered.
    Publish(Publish),
    /// Purge the page.
    Purge { number: u8, now: Moment, has_meta: bool },
    /// Show the version that was published under an attempt again.
    Show { attempt: Attempt, generation: u64, seen: Option<u64>, body: Option<Attempt> },
    /// The table removes the lease, because its time to live is over.
    ForgetLock,
    /// The table removes the intent, because its time to live is over.
    ForgetRequest,
}

/// The arguments of an acquire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term {
    pub(super) attempt: Attempt,
    pub(super) now: Moment,
    pub(super) expires: Moment,
}

/// The arguments of a publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Publish {
    pub(super) attempt: Attempt,
    pub(super) now: Moment,
    pub(super) generated_at: Moment,
    pub(super) ground: Ground,
    pub(super) request: Option<u8>,
}

/// What a worker read between winning the lease and asking the origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ground {
    pub(super) epoch: Option<u8>,
    pub(super) generation: Option<u64>,
    pub(super) version: Option<u8>,
    /// Whose body META named.
    pub(super) body: Option<Attempt>,
}

impl Recipe {
    /// Under which attempt it is sent, if a worker sends it.
    pub(super) fn attempt(&self) -> Option<Attempt> {
        match *self {
            Self::Acquire(Term { attempt, .. })
            | Self::Claim { term: Term { attempt, .. }, .. }
            | Self::Begin { attempt, .. }
            | Self::Refresh { attempt, .. }
            | Self::Release { attempt }
            | Self::Fail { attempt, .. }
            | Self::FailRequest { attempt, .. }
            | Self::Publish(Publish { attempt, .. }) => Some(attempt),
            Self::Purge { .. } | Self::Show { .. } | Self::ForgetLock | Self::ForgetRequest => None,
        }
    }

    /// The bit by which the service remembers that it was done, if it is a transaction with a token.
    pub(super) fn token_bit(&self) -> Option<u32> {
        match *self {
            Self::Publish(Publish { attempt, .. }) => Some(1 << attempt),
            Self::Claim { term: Term { attempt, .. }, .. } => Some(1 << (attempt + 8)),
            // Another reading of the rows makes another request, and another token.
            Self::Purge { number, has_meta, .. } => Some(1 << (16 + number * 2 + u8::from(has_meta))),
            _ => None,
        }
    }
}
