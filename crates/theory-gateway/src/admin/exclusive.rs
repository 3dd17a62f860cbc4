//! A stream as the body of an answer. Bodies must be shareable between threads and streams seldom are; a lock that is never
//! waited for makes them so, because only one ever asks.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use http_body::Frame;
use parking_lot::Mutex;

/// A stream as a body.
pub(super) struct Exclusive(Mutex<Pin<Box<dyn Stream<Item = Bytes> + Send>>>);

impl Exclusive {
    pub(super) fn new(stream: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(Mutex::new(Box::pin(stream)))
    }
}

impl http_body::Body for Exclusive {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let stream = self.0.get_mut().as_mut();
        stream.poll_next(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
