//! The body of an answer on its way from the application. It ends only where the head said it would; anything else is an error, so that
//! nobody takes a part for the whole. A connection whose answer ended well is kept for the next request.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};

use super::error::{OriginError, Step};
use super::framing::End;
use super::line::{Idle, Line};

/// The body of an answer on its way.
#[derive(Debug)]
pub struct OriginBody {
    incoming: Incoming,
    end: End,
    pause: Option<Pause>,
    held: Option<Held>,
}

/// What an answer holds until it ends.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) line: Line,
    pub(super) idle: Arc<Idle>,
    pub(super) trusted_for: Duration,
    /// The place among the requests that the application gets at once.
    pub(super) place: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
struct Pause {
    wait: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
    is_running: bool,
}

impl OriginBody {
    /// `wait` is how long it may pause, if that is bounded.
    pub(super) fn new(incoming: Incoming, end: End, wait: Option<Duration>, held: Held) -> Self {
        let pause = wait.map(|wait| Pause { wait, sleep: None, is_running: false });
        Self { incoming, end, pause, held: Some(held) }
    }

    /// Whether one can see that it is complete. A body that ends with its connection may be a part of itself.
    #[must_use]
    pub fn has_visible_end(&self) -> bool {
        self.end != End::Close
    }

    /// All of it.
    ///
    /// # Errors
    /// It is too large, breaks off, takes too long, or its end cannot be seen.
    pub async fn whole(mut self, bytes_max: usize) -> Result<Bytes, OriginError> {
        if !self.has_visible_end() {
            return Err(OriginError::Endless);
        }
        let too_large = OriginError::TooLarge { bytes_max };
        if self.size_hint().lower() > bytes_max as u64 {
            return Err(too_large);
        }
        let mut first = Bytes::new();
        let mut all = BytesMut::new();
        while let Some(frame) = self.frame().await {
            let Ok(piece) = frame?.into_data() else { continue };
            if first.len() + all.len() + piece.len() > bytes_max {
                return Err(too_large);
            }
            // Most pages come in one piece, which then need not be copied.
            if first.is_empty() && all.is_empty() {
                first = piece;
            } else {
                all.extend_from_slice(&std::mem::take(&mut first));
                all.extend_from_slice(&piece);
            }
        }
        Ok(if all.is_empty() { first } else { all.freeze() })
    }

    fn settle(&mut self) {
        let Some(Held { line, idle, trusted_for, place }) = self.held.take() else { return };
        if self.has_visible_end() {
            idle.put(line, trusted_for);
        }
        // Whoever waited for the place finds the connection there.
        drop(place);
    }
}

impl Body for OriginBody {
    type Data = Bytes;
    type Error = OriginError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, OriginError>>> {
        let this = self.get_mut();
        loop {
            match Pin::new(&mut this.incoming).poll_frame(context) {
                // Trailers belong to the hop they came on, like the `Trailer` that announced them.
                Poll::Ready(Some(Ok(frame))) if frame.is_trailers() => {}
                Poll::Ready(Some(Ok(frame))) => {
                    if let Some(pause) = &mut this.pause {
                        pause.is_running = false;
                    }
                    return Poll::Ready(Some(Ok(frame)));
                }
                Poll::Ready(Some(Err(error))) => {
                    this.held = None;
                    return Poll::Ready(Some(Err(OriginError::broken(error))));
                }
                Poll::Ready(None) => {
                    this.settle();
                    return Poll::Ready(None);
                }
                Poll::Pending => {
                    let Some(pause) = &mut this.pause else { return Poll::Pending };
                    if pause.poll(context).is_pending() {
                        return Poll::Pending;
                    }
                    this.held = None;
                    let waited = pause.wait;
                    return Poll::Ready(Some(Err(OriginError::TimedOut { step: Step::Body, waited })));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

/// Whoever knows the length does not ask for the end, and drops the body after the last byte.
impl Drop for OriginBody {
    fn drop(&mut self) {
        if self.incoming.is_end_stream() {
            self.settle();
        }
    }
}

impl Pause {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let wait = self.wait;
        let timer = self.sleep.get_or_insert_with(|| Box::pin(sleep(wait)));
        if !self.is_running {
            timer.as_mut().reset(Instant::now() + wait);
            self.is_running = true;
        }
        timer.as_mut().poll(context)
    }
}
