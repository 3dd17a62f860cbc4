//! What can go wrong with the application behind a site, and what a client is told about it: a status and no more.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use crate::edge::InboundFault;
use crate::refusal::Refusal;

/// What lies below an error, kept for the logs.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// What can go wrong with the application behind a site.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OriginError {
    /// The settings name no application that could be asked.
    #[error("the origin {uri} cannot be used: {why}")]
    Settings {
        /// What the settings say.
        uri: http::Uri,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No connection could be made. The application has seen nothing.
    #[error("no connection to the origin")]
    Unreachable(#[source] Cause),
    /// It took too long.
    #[error("the origin took longer than {waited:?} {step}")]
    TimedOut {
        /// What was waited for.
        step: Step,
        /// How long.
        waited: Duration,
    },
    /// It failed too often in a row and is left alone; nothing was sent. What is kept may be served in the meantime.
    #[error("the origin failed too often and is left alone for {remaining:?}")]
    LeftAlone {
        /// For how much longer.
        remaining: Duration,
    },
    /// It has as many requests as it may get at once, and none ended in time; nothing was sent.
    #[error("the origin has as many requests as it may get at once")]
    Overloaded,
    /// Its answer was not HTTP, contradicted itself, or broke off.
    #[error("the answer of the origin is broken")]
    Broken(#[source] Cause),
    /// Its answer is larger than what may be kept.
    #[error("the answer of the origin is larger than {bytes_max} bytes")]
    TooLarge {
        /// How much may be kept.
        bytes_max: usize,
    },
    /// Its answer has no end that one could see: a stream of events, or one that ends with its connection.
    #[error("nobody can tell where the answer of the origin ends")]
    Endless,
    /// The body of the request broke off before the origin had it. That is the client's doing, not the origin's.
    #[error("the body of the request broke off")]
    Asker(#[source] Cause),
}

/// What was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A connection.
    Connect,
    /// The head of an answer.
    Head,
    /// The next piece of an answer.
    Body,
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connect => "to take a connection",
            Self::Head => "to begin an answer",
            Self::Body => "between two pieces of an answer",
        })
    }
}

impl OriginError {
    /// An answer that contradicts HTTP in this way.
    pub(super) fn malformed(why: &'static str) -> Self {
        Self::Broken(Arc::new(Malformed(why)))
    }

    pub(super) fn broken(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Broken(Arc::new(cause))
    }

    /// Whether it says something about the origin's health, and not about the request or about us.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::TimedOut { .. } | Self::Broken(_))
    }

    /// What a client is told.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        match self {
            Self::Settings { .. } => {
                Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the gateway is not set up for this site")
            }
            Self::Unreachable(_) => {
                Refusal::new(StatusCode::BAD_GATEWAY, "the application cannot be reached; ask again later")
            }
            Self::TimedOut { .. } => {
                Refusal::new(StatusCode::GATEWAY_TIMEOUT, "the application took too long; ask again later")
            }
            Self::LeftAlone { remaining } => {
                // A client that comes back a moment too early would only be refused again.
                let seconds = remaining.as_secs() + 1;
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the application is not well; ask again later")
                    .retry_after(seconds)
            }
            Self::Overloaded => {
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the application is busy; ask again later")
                    .retry_after(1)
            }
            Self::Broken(_) | Self::TooLarge { .. } | Self::Endless => {
                Refusal::new(StatusCode::BAD_GATEWAY, "the application gave no usable answer")
            }
            Self::Asker(cause) => InboundFault::of(&**cause).unwrap_or(InboundFault::Broken).refusal(),
        }
    }
}

impl From<&OriginError> for Refusal {
    fn from(error: &OriginError) -> Self {
        error.refusal()
    }
}

impl From<OriginError> for Refusal {
    fn from(error: OriginError) -> Self {
        error.refusal()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Malformed(&'static str);
