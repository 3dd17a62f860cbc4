//! The answers of one connection on their way out: how many there are, and what of them their client has to take and takes. With
//! HTTP/2 one may be ended without those beside it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use futures_util::future::AbortHandle;
use parking_lot::Mutex;

/// The longest piece of an answer that goes beside others: nobody waits behind the whole of a long one.
pub(super) const PIECE_BYTES_MAX: usize = 64 * 1024;
/// What an answer may be given before it is the next one's turn: a piece that is being sent, and one behind it. A shorter one has had
/// its turn when it is gone.
const TURN_BYTES: u64 = 2 * PIECE_BYTES_MAX as u64;

/// What a client is to do next. As long as it is the same, the client has not moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaits {
    /// Send a request, after so many. Nothing else is one, such as a ping.
    Request { after: u32 },
    /// Take some of its answers, after so many requests and bytes.
    Taking { after: u32, taken_bytes: u64 },
}

/// The answers of one connection.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Requests that were begun. Wraps.
    requests: AtomicU32,
    /// Requests whose answers have not left to the last byte.
    answering: AtomicU32,
    /// Answers of which the client has pieces to take.
    owed: AtomicU32,
    /// What was taken of all answers.
    taken_bytes: AtomicU64,
    /// Turns that answers have had beside each other. Wraps.
    turns: AtomicU32,
    /// Those that can be ended without the others. What is over is let go of now and then.
    apart: Mutex<Vec<Weak<Mutex<Begun>>>>,
}

impl Answers {
    /// A request begins. It ends when what is returned is dropped. Where answers go beside each other, this one is ended by `end`.
    pub(super) fn begin(self: &Arc<Self>, end: Option<AbortHandle>) -> Begun {
        self.requests.fetch_add(1, Relaxed);
        self.answering.fetch_add(1, Relaxed);
        Begun {
            answers: Arc::clone(self),
            end,
            pieces: 0,
            taken_bytes: 0,
            of_turn_bytes: 0,
            seen: Seen::default(),
        }
    }

    /// What the client is to do next, if nobody on this side has anything to do.
    pub(super) fn awaits(&self) -> Option<Awaits> {
        let (after, answering) = (self.requests.load(Relaxed), self.answering.load(Relaxed));
        if answering == 0 {
            return Some(Awaits::Request { after });
        }
        let taken_bytes = self.taken_bytes.load(Relaxed);
        (self.owed.load(Relaxed) >= answering).then_some(Awaits::Taking { after, taken_bytes })
    }

    /// Ends answers of which the client has taken nothing since so many looks ago. Others on the same connection go on: it may be a
    /// proxy's, and they may be for somebody else.
    pub(super) fn end_untaken(&self, looks: u32) {
        let apart = self.apart.lock().iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
        apart.iter().for_each(|begun| begun.lock().end_if_untaken(looks));
    }

    fn watch(&self, begun: &Arc<Mutex<Begun>>) {
        let mut apart = self.apart.lock();
        if apart.len() == apart.capacity() {
            apart.retain(|begun| begun.strong_count() > 0);
        }
        apart.push(Arc::downgrade(begun));
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Begun {
    answers: Arc<Answers>,
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
    /// What was taken of all answers.
    of_all_bytes: u64,
    /// How many turns there had been when some of this one was last taken, and how many answers there were to have theirs.
    turns: u32,
    owed: u32,
    /// How many looks in a row saw that the client does not take it.
    still: u32,
}

impl Begun {
    /// Whether there may be answers beside it.
    pub(super) fn is_apart(&self) -> bool {
        self.end.is_some()
    }

    /// For an answer of several pieces, or one that can be ended. What hyper has handed on to the connection already, the last of its
    /// pieces, ends with the line.
    pub(super) fn share(mut self) -> Arc<Mutex<Self>> {
        self.seen.of_all_bytes = self.answers.taken_bytes.load(Relaxed);
        self.begin_waiting();
        let (answers, is_apart) = (Arc::clone(&self.answers), self.is_apart());
        let begun = Arc::new(Mutex::new(self));
        if is_apart {
            answers.watch(&begun);
        }
        begun
    }

    /// The client has a piece to take.
    pub(super) fn owe(&mut self) {
        if self.pieces == 0 {
            self.answers.owed.fetch_add(1, Relaxed);
        }
        self.pieces += 1;
    }

    /// The client takes so much of a piece.
    pub(super) fn note_taken(&mut self, bytes: usize) {
        self.taken_bytes += bytes as u64;
        self.of_turn_bytes += bytes as u64;
        // One task writes, so nothing is lost between the two.
        let taken_bytes = self.answers.taken_bytes.load(Relaxed) + bytes as u64;
        self.answers.taken_bytes.store(taken_bytes, Relaxed);
        if self.of_turn_bytes >= TURN_BYTES {
            self.end_turn();
        }
    }

    /// A piece is gone, taken or not.
    pub(super) fn settle(&mut self) {
        self.pieces -= 1;
        if self.pieces == 0 {
            self.answers.owed.fetch_sub(1, Relaxed);
            self.end_turn();
        }
    }

    /// It is the next one's turn.
    fn end_turn(&mut self) {
        self.of_turn_bytes = 0;
        if self.is_apart() {
            self.answers.turns.fetch_add(1, Relaxed);
        }
    }

    /// It waits for its turn from now on.
    fn begin_waiting(&mut self) {
        self.seen.turns = self.answers.turns.load(Relaxed);
        self.seen.owed = self.answers.owed.load(Relaxed);
        self.seen.still = 0;
    }

    /// Ends the answer if the client has taken nothing of it since so many looks ago. It may have to wait for its turn while the client
    /// takes some of the others: that is no fault of the client. It is over once there have been as many turns as there are answers,
    /// so that others cannot hide one for ever.
    fn end_if_untaken(&mut self, looks: u32) {
        let of_all_bytes = self.answers.taken_bytes.load(Relaxed);
        let turns = self.answers.turns.load(Relaxed).wrapping_sub(self.seen.turns);
        if self.pieces == 0 || self.taken_bytes > self.seen.taken_bytes {
            self.begin_waiting();
        } else if of_all_bytes > self.seen.of_all_bytes
            && turns < self.answers.owed.load(Relaxed).max(self.seen.owed)
        {
            self.seen.still = 0;
        } else {
            self.seen.still += 1;
        }
        self.seen.taken_bytes = self.taken_bytes;
        self.seen.of_all_bytes = of_all_bytes;
        if self.seen.still > looks
            && let Some(end) = &self.end
        {
            end.abort();
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.answers.answering.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_over_are_let_go_of() {
        let answers = Arc::<Answers>::default();
        for _ in 0..1000 {
            let (end, _registration) = AbortHandle::new_pair();
            drop(answers.begin(Some(end)).share());
        }
        let watched = answers.apart.lock().len();
        assert!(watched < 10, "{watched} are still looked at");
    }
}
