//! The body of a request on its way to the application: streamed, never collected. It remembers whose turn it is, so that the
//! application is not blamed for a client that sends slowly, nor for one that leaves.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use parking_lot::Mutex;

use super::error::{Cause, OriginError};
use crate::answer::Broken;

/// The body of a request on its way.
#[derive(Debug)]
pub(super) struct Upload {
    /// Nothing is not worth a box.
    body: Option<UnsyncBoxBody<Bytes, Broken>>,
    progress: Arc<Progress>,
}

/// How far it is.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pieces: AtomicU64,
    is_awaited: AtomicBool,
    failure: Mutex<Option<Cause>>,
}

impl Upload {
    pub(super) fn new<B>(body: B) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Broken>,
    {
        let body = (!body.is_end_stream()).then(|| body.map_err(Into::into).boxed_unsync());
        Self { body, progress: Arc::default() }
    }

    pub(super) fn empty() -> Self {
        Self { body: None, progress: Arc::default() }
    }

    pub(super) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }
}

impl Progress {
    /// How many pieces the application has taken.
    pub(super) fn pieces(&self) -> u64 {
        self.pieces.load(Ordering::Relaxed)
    }

    /// Whether the next piece has yet to come from the client.
    pub(super) fn is_awaited(&self) -> bool {
        self.is_awaited.load(Ordering::Relaxed)
    }

    /// Why the client's part broke off, if it did.
    pub(super) fn failure(&self) -> Option<Cause> {
        self.failure.lock().clone()
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = OriginError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, OriginError>>> {
        let Self { body, progress } = &mut *self;
        let Some(body) = body else { return Poll::Ready(None) };
        loop {
            progress.is_awaited.store(true, Ordering::Relaxed);
            let frame = ready!(Pin::new(&mut *body).poll_frame(context));
            progress.is_awaited.store(false, Ordering::Relaxed);
            progress.pieces.fetch_add(1, Ordering::Relaxed);
            match frame {
                // Trailers belong to the hop they came on: `Trailer` and `TE` were taken out as well.
                Some(Ok(frame)) if frame.is_trailers() => {}
                Some(Err(broken)) => {
                    let cause = Cause::from(broken);
                    *progress.failure.lock() = Some(Arc::clone(&cause));
                    return Poll::Ready(Some(Err(OriginError::Asker(cause))));
                }
                Some(Ok(frame)) => return Poll::Ready(Some(Ok(frame))),
                None => return Poll::Ready(None),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
