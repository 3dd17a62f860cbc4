//! The body of an answer on its way out: the line knows from it when the answer has left, and when its client has to take
//! something first.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Frame, SizeHint};

use super::line::Begun;
use crate::answer::{Body, Broken};

/// The body of an answer on its way out.
#[derive(Debug)]
pub(super) struct Sent {
    body: Body,
    /// There until the last piece takes it along.
    begun: Option<Begun>,
}

/// A piece of an answer. The request is over when the last one has left.
#[derive(Debug)]
pub(super) struct Piece {
    bytes: Bytes,
    _begun: Option<Begun>,
}

impl Sent {
    pub(super) fn new(body: Body, begun: Begun) -> Self {
        Self { body, begun: Some(begun) }
    }

    fn piece(&mut self, bytes: Bytes) -> Piece {
        // The client has to take this before there is more, or before it is over.
        if let Some(begun) = &mut self.begun {
            begun.set_owed(true);
        }
        let is_last = http_body::Body::is_end_stream(&self.body);
        Piece { bytes, _begun: if is_last { self.begun.take() } else { None } }
    }
}

impl http_body::Body for Sent {
    type Data = Piece;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, Broken>>> {
        let sent = self.get_mut();
        if let Some(begun) = &mut sent.begun {
            begun.set_owed(false);
        }
        let polled = Pin::new(&mut sent.body).poll_frame(context);
        polled.map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(|bytes| sent.piece(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}
