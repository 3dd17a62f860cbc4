//! One connection, as all its parts see it: how far it is, and what it has been told.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

/// What a connection is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// Nothing.
    GoOn,
    /// To end after the requests that are running.
    Drain,
    /// To end.
    Close,
}

/// What becomes of a connection whose client asked for another protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    /// The application has not answered yet.
    Open,
    /// It stays HTTP.
    Refused,
    /// It is the other protocol's.
    Done,
}

/// What a client is to do next. As long as it is the same, the client has not moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaits {
    /// Send a request, after so many. Nothing else is one, such as a ping.
    Request { after: u32 },
    /// Take some of each answer that was owed when this round began.
    Taking { round: u32 },
}

/// What an answer is given before it is the next one's turn: a frame of HTTP/2, unless the client asked for larger ones.
const TURN_BYTES: u64 = 16 * 1024;

/// One connection. It is there until the last of its parts is gone, also when it became another protocol's.
pub(super) struct Line {
    /// Requests that were begun. Wraps.
    requests: AtomicU32,
    /// Requests whose answers have not left to the last byte.
    answering: AtomicU32,
    /// Rounds of taking that were begun. Wraps.
    rounds: AtomicU32,
    /// Answers of which the client has pieces to take: those of which it took some in this round, or that are new in it, and
    /// those of which it did not. Which is which changes with the round.
    owed: [AtomicU32; 2],
    /// What was taken of all answers.
    taken_bytes: AtomicU64,
    /// The same, as the round began.
    taken_before_bytes: AtomicU64,
    /// Whether the socket takes no more for now.
    is_full: AtomicBool,
    order: AtomicU8,
    switch: AtomicU8,
    /// Whom to wake for an order or a decision.
    waker: Mutex<Option<Waker>>,
    id: u64,
    /// Told when the last part is gone.
    left: Box<dyn Fn() + Send + Sync>,
    _place: OwnedSemaphorePermit,
}

impl Line {
    pub(super) fn new(id: u64, place: OwnedSemaphorePermit, left: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            requests: AtomicU32::new(0),
            answering: AtomicU32::new(0),
            rounds: AtomicU32::new(0),
            owed: [const { AtomicU32::new(0) }; 2],
            taken_bytes: AtomicU64::new(0),
            taken_before_bytes: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            order: AtomicU8::new(Order::GoOn as u8),
            switch: AtomicU8::new(Switch::Refused as u8),
            waker: Mutex::new(None),
            id,
            left: Box::new(left),
            _place: place,
        }
    }

    /// A request begins. It ends when what is returned is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> Begun {
        self.requests.fetch_add(1, Relaxed);
        self.answering.fetch_add(1, Relaxed);
        Begun { line: Arc::clone(self), pieces: 0, round: 0 }
    }

    /// The socket takes no more for now, or it does again.
    pub(super) fn turn_full(&self) {
        self.is_full.fetch_not(Relaxed);
    }

    /// What the client is to do next, if nobody on this side has anything to do. Only who looks now and then may ask: a round
    /// ends by the question, if some was taken of every answer that was owed at its beginning.
    pub(super) fn look(&self) -> Option<Awaits> {
        if self.switch() == Switch::Done {
            return None;
        }
        if self.answering.load(Relaxed) == 0 {
            return Some(Awaits::Request { after: self.requests.load(Relaxed) });
        }
        let round = self.rounds.load(Relaxed);
        let next = round.wrapping_add(1);
        // What is left of the round before stands where the next will.
        if self.owed_in(next).load(Relaxed) > 0 {
            return Some(Awaits::Taking { round });
        }
        if self.owed_in(round).load(Relaxed) == 0 {
            return None;
        }
        self.taken_before_bytes.store(self.taken_bytes.load(Relaxed), Relaxed);
        self.rounds.store(next, Relaxed);
        Some(Awaits::Taking { round: next })
    }

    /// Whether an answer of which nothing is taken may still be waiting for its turn. Where many go over a slow connection, that
    /// is no fault of the client. It is over once the others have had a turn each, so that they cannot hide one for ever.
    pub(super) fn is_crowded(&self) -> bool {
        let taken_bytes = self.taken_bytes.load(Relaxed) - self.taken_before_bytes.load(Relaxed);
        let owed = self.owed.iter().map(|owed| u64::from(owed.load(Relaxed))).sum::<u64>();
        self.is_full.load(Relaxed) && taken_bytes < owed * TURN_BYTES
    }

    /// How many owed answers are counted with a round.
    fn owed_in(&self, round: u32) -> &AtomicU32 {
        &self.owed[usize::from(!round.is_multiple_of(2))]
    }

    pub(super) fn order(&self) -> Order {
        match self.order.load(Relaxed) {
            0 => Order::GoOn,
            1 => Order::Drain,
            _ => Order::Close,
        }
    }

    /// Gives an order. A stronger one that was given before stays.
    pub(super) fn give(&self, order: Order) {
        self.order.fetch_max(order as u8, Relaxed);
        self.wake();
    }

    /// Ready once there is an order.
    pub(super) async fn ordered(&self) {
        let mut listening = Listening::default();
        std::future::poll_fn(|context| {
            listening.listen(self, context);
            if self.order() == Order::GoOn { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }

    pub(super) fn switch(&self) -> Switch {
        match self.switch.load(Relaxed) {
            0 => Switch::Open,
            1 => Switch::Refused,
            _ => Switch::Done,
        }
    }

    /// The client asks for another protocol, or the application answered that.
    pub(super) fn set_switch(&self, switch: Switch) {
        self.switch.store(switch as u8, Relaxed);
        if switch != Switch::Open {
            self.wake();
        }
    }

    fn wake(&self) {
        // Taking the lock orders what was stored before it with what a woken task loads.
        if let Some(waker) = &*self.waker.lock() {
            waker.wake_by_ref();
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        (self.left)();
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A task that is woken for orders. The waker of a task stays the same, so that listening costs a comparison.
#[derive(Debug, Default)]
pub(super) struct Listening(Option<Waker>);

impl Listening {
    pub(super) fn listen(&mut self, line: &Line, context: &Context<'_>) {
        if !self.0.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            self.0 = Some(context.waker().clone());
            *line.waker.lock() = Some(context.waker().clone());
        }
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Begun {
    line: Arc<Line>,
    /// What the client has to take.
    pieces: u32,
    /// Where the line counts it, if there are pieces.
    round: u32,
}

impl Begun {
    /// The client has a piece to take.
    pub(super) fn owe(&mut self) {
        if self.pieces == 0 {
            self.round = self.line.rounds.load(Relaxed);
            self.line.owed_in(self.round).fetch_add(1, Relaxed);
        }
        self.pieces += 1;
    }

    /// The client takes so much of a piece.
    pub(super) fn note_taken(&mut self, bytes: usize) {
        // One task writes, so nothing is lost between the two.
        self.line.taken_bytes.store(self.line.taken_bytes.load(Relaxed) + bytes as u64, Relaxed);
        let round = self.line.rounds.load(Relaxed);
        if round != self.round {
            self.line.owed_in(round).fetch_add(1, Relaxed);
            self.line.owed_in(self.round).fetch_sub(1, Relaxed);
            self.round = round;
        }
    }

    /// A piece is gone, taken or not.
    pub(super) fn settle(&mut self) {
        self.pieces -= 1;
        if self.pieces == 0 {
            self.line.owed_in(self.round).fetch_sub(1, Relaxed);
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.line.answering.fetch_sub(1, Relaxed);
    }
}
