//! The body of an answer on its way out: the line knows from it when the answer is over, and when its client has to take
//! something first.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::line::Begun;
use crate::answer::{Body, Broken};

/// The body of an answer on its way out.
#[derive(Debug)]
pub(super) struct Sent {
    body: Body,
    begun: Begun,
}

impl Sent {
    pub(super) fn new(body: Body, begun: Begun) -> Self {
        Self { body, begun }
    }
}

impl http_body::Body for Sent {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let sent = self.get_mut();
        let polled = Pin::new(&mut sent.body).poll_frame(context);
        sent.begun.set_owed(matches!(polled, Poll::Ready(Some(Ok(_)))) && !sent.body.is_end_stream());
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
