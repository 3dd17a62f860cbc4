//! The body of a request that came through a door: as it came, or read already.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use idempotent::IdempotentBody;

/// The body of a request that came through a door.
pub enum Entered<B> {
    /// As it came.
    Unread(Pin<Box<B>>),
    /// Of a request that happens once: read whole, or passed on unread.
    Read(IdempotentBody<B>),
}

impl<B: Body<Data = Bytes>> Body for Entered<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.get_mut() {
            Self::Unread(body) => body.as_mut().poll_frame(context),
            Self::Read(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Unread(body) => body.is_end_stream(),
            Self::Read(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Unread(body) => body.size_hint(),
            Self::Read(body) => body.size_hint(),
        }
    }
}

/// Without what is in it.
impl<B> fmt::Debug for Entered<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unread(_) => "Unread",
            Self::Read(_) => "Read",
        })
    }
}
