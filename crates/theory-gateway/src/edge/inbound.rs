//! The body of a request: bounded in size, in the pauses between its pieces, and in slowness altogether.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep};

use crate::answer::Broken;
use crate::refusal::Refusal;
use crate::settings::EdgeLimits;

/// How long a body may be as slow as it likes.
const GRACE: Duration = Duration::from_secs(10);

/// The body of a request.
pub struct Inbound {
    kind: Kind,
    bytes_left: u64,
    wait: Duration,
    rate_min: u64,
    /// There once the body was waited for.
    pause: Option<Pause>,
}

enum Kind {
    Incoming(Incoming),
    Whole(Option<Bytes>),
    /// It broke off, and nothing of it is given any more.
    Broken,
}

/// Why a body broke off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InboundFault {
    /// It is larger than allowed.
    #[error("the request's body is larger than allowed")]
    TooLarge,
    /// It paused for too long, or brought too little for too long.
    #[error("the request's body is too slow")]
    TooSlow,
    /// The connection broke, or the framing did.
    #[error("the request's body ended early or is not framed as announced")]
    Broken,
}

impl InboundFault {
    /// What the client is told. The connection ends with it, for the rest of the body could be taken for a request.
    #[must_use]
    pub const fn refusal(self) -> Refusal {
        match self {
            Self::TooLarge => Refusal::last(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
            Self::TooSlow => Refusal::last(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive"),
            Self::Broken => Refusal::last(StatusCode::BAD_REQUEST, "the body is not framed as announced"),
        }
    }

    /// Which fault an error of a body is, if it comes from here, perhaps inside others.
    #[must_use]
    pub fn of(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(fault) = error.downcast_ref::<Self>() {
                return Some(*fault);
            }
            next = error.source();
        }
        None
    }
}

struct Pause {
    end: Pin<Box<Sleep>>,
    /// When the pause began that is going on, if one is.
    since: Option<Instant>,
    /// All pauses before it together, and what came after each.
    waited: Duration,
    bytes: u64,
}

impl Inbound {
    pub(super) fn new(incoming: Incoming, limits: &EdgeLimits) -> Self {
        Self {
            kind: Kind::Incoming(incoming),
            bytes_left: limits.body_bytes_max,
            wait: limits.body_wait,
            rate_min: limits.body_rate_min,
            pause: None,
        }
    }

    /// No body.
    #[must_use]
    pub const fn empty() -> Self {
        Self { kind: Kind::Whole(None), bytes_left: 0, wait: Duration::ZERO, rate_min: 0, pause: None }
    }

    /// A body that is there already.
    #[must_use]
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self { kind: Kind::Whole((!bytes.is_empty()).then_some(bytes)), ..Self::empty() }
    }

    fn judge(&mut self, frame: &Frame<Bytes>) -> Result<(), InboundFault> {
        let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(InboundFault::TooLarge)?;
        if let Some(pause) = &mut self.pause {
            pause.bytes += bytes;
            if let Some(since) = pause.since.take() {
                pause.waited += since.elapsed();
                let is_slow = pause.bytes < self.rate_min.saturating_mul(pause.waited.as_secs());
                if pause.waited > GRACE && is_slow {
                    return Err(InboundFault::TooSlow);
                }
            }
        }
        Ok(())
    }

    /// Waits for the end of a pause that began now or earlier.
    fn poll_pause(&mut self, context: &mut Context<'_>) -> Poll<InboundFault> {
        let wait = self.wait;
        let pause = self.pause.get_or_insert_with(|| Pause {
            end: Box::pin(sleep(wait)),
            since: None,
            waited: Duration::ZERO,
            bytes: 0,
        });
        if pause.since.is_none() {
            let now = Instant::now();
            pause.since = Some(now);
            pause.end.as_mut().reset(now + wait);
        }
        ready!(pause.end.as_mut().poll(context));
        Poll::Ready(InboundFault::TooSlow)
    }
}

impl http_body::Body for Inbound {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let inbound = self.get_mut();
        let polled = match &mut inbound.kind {
            Kind::Incoming(incoming) => Pin::new(incoming).poll_frame(context),
            Kind::Whole(bytes) => return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Broken => return Poll::Ready(None),
        };
        let fault = match polled {
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some(Ok(frame))) => match inbound.judge(&frame) {
                Ok(()) => return Poll::Ready(Some(Ok(frame))),
                Err(fault) => fault,
            },
            Poll::Ready(Some(Err(error))) => {
                tracing::debug!(%error, "a request's body broke off");
                InboundFault::Broken
            }
            Poll::Pending => ready!(inbound.poll_pause(context)),
        };
        // Letting go of the rest makes hyper end the connection, or the stream.
        inbound.kind = Kind::Broken;
        Poll::Ready(Some(Err(fault.into())))
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Incoming(incoming) => incoming.is_end_stream(),
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Broken => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Incoming(incoming) => incoming.size_hint(),
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Kind::Broken => SizeHint::new(),
        }
    }
}

/// Says how long it is and nothing of what it contains.
impl fmt::Debug for Inbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbound").field("size", &http_body::Body::size_hint(self)).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
