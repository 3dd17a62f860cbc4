//! The body of an answer on its way out: the line knows from its pieces what the client has to take, when it takes some, and
//! when the answer has left.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;

use super::answers::{Begun, PIECE_BYTES_MAX};
use crate::answer::{Body, Broken};

/// The body of an answer on its way out.
#[derive(Debug)]
pub(super) struct Sent {
    body: Body,
    /// What is left of a frame that is longer than a piece may be.
    rest: Bytes,
    piece_bytes_max: usize,
    /// There until the last piece takes it along.
    held: Option<Held>,
}

/// A piece of an answer. The request is over when the last one has left.
#[derive(Debug)]
pub(super) struct Piece {
    bytes: Bytes,
    held: Option<Held>,
}

/// What pieces hold of their request. They are one as far as it is concerned: those behind wait for those before them.
#[derive(Debug)]
enum Held {
    /// By a piece that is all there is, which costs no allocation.
    Alone(Begun),
    Shared(Arc<Mutex<Begun>>),
}

impl Held {
    fn with(&mut self, act: impl FnOnce(&mut Begun)) {
        match self {
            Self::Alone(begun) => act(begun),
            Self::Shared(begun) => act(&mut begun.lock()),
        }
    }

    fn share(self) -> (Self, Self) {
        let begun = match self {
            Self::Alone(begun) => begun.share(),
            Self::Shared(begun) => begun,
        };
        (Self::Shared(Arc::clone(&begun)), Self::Shared(begun))
    }
}

impl Sent {
    pub(super) fn new(body: Body, begun: Begun) -> Self {
        let (piece_bytes_max, held) = match begun.is_apart() {
            true => (PIECE_BYTES_MAX, Held::Shared(begun.share())),
            false => (usize::MAX, Held::Alone(begun)),
        };
        Self { body, rest: Bytes::new(), piece_bytes_max, held: Some(held) }
    }

    fn piece(&mut self, mut bytes: Bytes) -> Piece {
        self.rest = bytes.split_off(bytes.len().min(self.piece_bytes_max));
        let is_last = http_body::Body::is_end_stream(self);
        let mut held = self.held.take();
        if let Some(held) = &mut held {
            held.with(Begun::owe);
        }
        if is_last {
            // What the application holds for it is free, however long the client takes for the piece.
            self.body = Body::empty();
        } else {
            (self.held, held) = held.map(Held::share).unzip();
        }
        Piece { bytes, held }
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
        if !sent.rest.is_empty() {
            let mut rest = std::mem::take(&mut sent.rest);
            if rest.len() <= sent.piece_bytes_max {
                // A copy, because the end of a long answer would keep all of it in memory.
                rest = Bytes::copy_from_slice(&rest);
            }
            return Poll::Ready(Some(Ok(Frame::data(sent.piece(rest)))));
        }
        let polled = Pin::new(&mut sent.body).poll_frame(context);
        polled.map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(|bytes| sent.piece(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, of_body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(of_body.lower().saturating_add(rest));
        if let Some(upper) = of_body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
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
        if let (Some(held), 1..) = (&mut self.held, count) {
            held.with(|begun| begun.note_taken(count));
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if let Some(held) = &mut self.held {
            held.with(Begun::settle);
        }
    }
}
