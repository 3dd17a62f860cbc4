//! A request that is being answered: whether its client has something of the answer to take, and takes it. With HTTP/2 it may be
//! ended without those beside it.

use std::sync::Arc;

use futures_util::future::AbortHandle;
use parking_lot::Mutex;

use super::line::Line;

/// The longest piece of an answer that goes beside others: nobody waits behind the whole of a long one.
pub(super) const PIECE_BYTES_MAX: usize = 64 * 1024;
/// What an answer may be given before it is the next one's turn: a piece that is being sent, and one behind it. A shorter one has had its
/// turn when it is gone.
const TURN_BYTES: u64 = 2 * PIECE_BYTES_MAX as u64;

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Begun {
    line: Arc<Line>,
    /// Ends this answer. None where the connection has no other.
    end: Option<AbortHandle>,
    /// What the client has to take.
    pieces: u32,
    taken_bytes: u64,
    /// What of it belongs to the turn that it has now.
    of_turn_bytes: u64,
    seen: Seen,
}

/// What the last look has seen.
#[derive(Debug, Default)]
struct Seen {
    taken_bytes: u64,
    /// What was taken of all answers of the line.
    of_line_bytes: u64,
    /// How many turns there had been when some of this one was last taken.
    turns: u32,
    /// How many looks in a row saw that the client does not take it.
    still: u32,
}

impl Begun {
    pub(super) fn new(line: Arc<Line>, end: Option<AbortHandle>) -> Self {
        Self { line, end, pieces: 0, taken_bytes: 0, of_turn_bytes: 0, seen: Seen::default() }
    }

    /// Whether there may be answers beside it.
    pub(super) fn is_apart(&self) -> bool {
        self.end.is_some()
    }

    /// For an answer of several pieces. One that is a single piece holds nothing but that, and ends with its line at the latest.
    pub(super) fn share(self) -> Arc<Mutex<Self>> {
        let (line, is_apart) = (Arc::clone(&self.line), self.is_apart());
        let begun = Arc::new(Mutex::new(self));
        if is_apart {
            line.watch(&begun);
        }
        begun
    }

    /// The client has a piece to take.
    pub(super) fn owe(&mut self) {
        if self.pieces == 0 {
            self.line.owe();
        }
        self.pieces += 1;
    }

    /// The client takes so much of a piece.
    pub(super) fn note_taken(&mut self, bytes: usize) {
        self.taken_bytes += bytes as u64;
        self.of_turn_bytes += bytes as u64;
        self.line.note_taken(bytes);
        if self.of_turn_bytes >= TURN_BYTES {
            self.end_turn();
        }
    }

    /// A piece is gone, taken or not.
    pub(super) fn settle(&mut self) {
        self.pieces -= 1;
        if self.pieces == 0 {
            self.line.settle();
            self.end_turn();
        }
    }

    /// It is the next one's turn.
    fn end_turn(&mut self) {
        self.of_turn_bytes = 0;
        if self.is_apart() {
            self.line.note_turn();
        }
    }

    /// Ends the answer if the client has taken nothing of it since so many looks ago. It may have to wait for its turn while the client
    /// takes some of the others: that is no fault of the client. It is over once there have been as many turns as there are answers,
    /// so that others cannot hide one for ever.
    pub(super) fn end_if_untaken(&mut self, looks: u32) {
        let (of_line_bytes, turns) = (self.line.taken_bytes(), self.line.turns());
        if self.pieces == 0 || self.taken_bytes > self.seen.taken_bytes {
            self.seen.still = 0;
            self.seen.turns = turns;
        } else if of_line_bytes > self.seen.of_line_bytes
            && turns.wrapping_sub(self.seen.turns) < self.line.owed()
        {
            self.seen.still = 0;
        } else {
            self.seen.still += 1;
        }
        self.seen.taken_bytes = self.taken_bytes;
        self.seen.of_line_bytes = of_line_bytes;
        if self.seen.still > looks
            && let Some(end) = &self.end
        {
            end.abort();
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.line.note_end();
    }
}
