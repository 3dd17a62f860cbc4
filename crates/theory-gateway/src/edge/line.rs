//! One connection, as all its parts see it: how far it is, and what it has been told.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use futures_util::future::AbortHandle;
use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::begun::Begun;

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
    /// Take some of its answers, after so many requests and bytes.
    Taking { after: u32, taken_bytes: u64 },
}

/// One connection. It is there until the last of its parts is gone, also when it became another protocol's.
pub(super) struct Line {
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
    /// Answers that can be ended without the others. Those that are over are let go of now and then.
    apart: Mutex<Vec<Weak<Mutex<Begun>>>>,
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
            owed: AtomicU32::new(0),
            taken_bytes: AtomicU64::new(0),
            turns: AtomicU32::new(0),
            apart: Mutex::default(),
            order: AtomicU8::new(Order::GoOn as u8),
            switch: AtomicU8::new(Switch::Refused as u8),
            waker: Mutex::new(None),
            id,
            left: Box::new(left),
            _place: place,
        }
    }

    /// A request begins. It ends when what is returned is dropped. Where answers go beside each other, this one is ended by `end`.
    pub(super) fn begin(self: &Arc<Self>, end: Option<AbortHandle>) -> Begun {
        self.requests.fetch_add(1, Relaxed);
        self.answering.fetch_add(1, Relaxed);
        Begun::new(Arc::clone(self), end)
    }

    /// The answer to a request has left, or will not.
    pub(super) fn note_end(&self) {
        self.answering.fetch_sub(1, Relaxed);
    }

    /// The client has something of one more answer to take.
    pub(super) fn owe(&self) {
        self.owed.fetch_add(1, Relaxed);
    }

    /// Nothing more of an answer is there to be taken.
    pub(super) fn settle(&self) {
        self.owed.fetch_sub(1, Relaxed);
    }

    /// The client takes some of an answer.
    pub(super) fn note_taken(&self, bytes: usize) {
        // One task writes, so nothing is lost between the two.
        self.taken_bytes.store(self.taken_bytes() + bytes as u64, Relaxed);
    }

    pub(super) fn taken_bytes(&self) -> u64 {
        self.taken_bytes.load(Relaxed)
    }

    /// An answer has had its turn.
    pub(super) fn note_turn(&self) {
        self.turns.fetch_add(1, Relaxed);
    }

    pub(super) fn turns(&self) -> u32 {
        self.turns.load(Relaxed)
    }

    /// How many answers the client has something to take of.
    pub(super) fn owed(&self) -> u32 {
        self.owed.load(Relaxed)
    }

    /// Looks at this answer, too, as long as it is there.
    pub(super) fn watch(&self, begun: &Arc<Mutex<Begun>>) {
        let mut apart = self.apart.lock();
        if apart.len() == apart.capacity() {
            apart.retain(|begun| begun.strong_count() > 0);
        }
        apart.push(Arc::downgrade(begun));
    }

    #[cfg(test)]
    pub(super) fn watched(&self) -> usize {
        self.apart.lock().len()
    }

    /// What the client is to do next, if nobody on this side has anything to do.
    pub(super) fn awaits(&self) -> Option<Awaits> {
        if self.switch() == Switch::Done {
            return None;
        }
        let (after, answering) = (self.requests.load(Relaxed), self.answering.load(Relaxed));
        if answering == 0 {
            return Some(Awaits::Request { after });
        }
        (self.owed() >= answering).then(|| Awaits::Taking { after, taken_bytes: self.taken_bytes() })
    }

    /// Ends answers of which the client has taken nothing for so many looks. Others on the same connection go on: it may be a
    /// proxy's, and they may be for somebody else.
    pub(super) fn end_untaken(&self, looks: u32) {
        let apart = self.apart.lock().iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
        apart.iter().for_each(|begun| begun.lock().end_if_untaken(looks));
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
