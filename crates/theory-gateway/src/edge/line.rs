//! One connection, as all its parts see it: how far it is, and what it has been told.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
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

/// What a client is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaits {
    /// Send a request.
    Request,
    /// Take some of an answer.
    Taking,
}

/// One connection. It is there until the last of its parts is gone, also when it became another protocol's.
pub(super) struct Line {
    /// Requests that were begun. Wraps.
    requests: AtomicU32,
    /// Requests whose answers have not left to the last byte.
    answering: AtomicU32,
    /// Answers of which a piece is to be taken before anything more happens to them.
    owed: AtomicU32,
    /// Writes that were tried. Wraps.
    writes: AtomicU32,
    order: AtomicU8,
    switch: AtomicU8,
    /// Whom to wake for an order or a decision.
    waker: Mutex<Option<Waker>>,
    id: u64,
    /// Told when the last part is gone.
    left: Box<dyn Fn() + Send + Sync>,
    _place: OwnedSemaphorePermit,
}

/// How far a connection is, to be compared with how far it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    requests: u32,
    writes: u32,
}

impl Line {
    pub(super) fn new(id: u64, place: OwnedSemaphorePermit, left: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            requests: AtomicU32::new(0),
            answering: AtomicU32::new(0),
            owed: AtomicU32::new(0),
            writes: AtomicU32::new(0),
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
        Begun { line: Arc::clone(self), is_owed: false }
    }

    /// Something is written.
    pub(super) fn note_write(&self) {
        // One task writes, so nothing is lost between the two.
        self.writes.store(self.writes.load(Relaxed).wrapping_add(1), Relaxed);
    }

    pub(super) fn progress(&self) -> Progress {
        Progress { requests: self.requests.load(Relaxed), writes: self.writes.load(Relaxed) }
    }

    /// What the client is to do next, if nobody on this side has anything to do.
    pub(super) fn awaits(&self) -> Option<Awaits> {
        if self.switch() == Switch::Done {
            None
        } else if self.answering.load(Relaxed) == 0 {
            Some(Awaits::Request)
        } else {
            (self.owed.load(Relaxed) > 0).then_some(Awaits::Taking)
        }
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
        f.debug_struct("Line")
            .field("id", &self.id)
            .field("progress", &self.progress())
            .finish_non_exhaustive()
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
    is_owed: bool,
}

impl Begun {
    /// Whether the client is to take something before there is more to give.
    pub(super) fn set_owed(&mut self, is_owed: bool) {
        if is_owed == self.is_owed {
            return;
        }
        self.is_owed = is_owed;
        if is_owed {
            self.line.owed.fetch_add(1, Relaxed);
        } else {
            self.line.owed.fetch_sub(1, Relaxed);
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.set_owed(false);
        self.line.answering.fetch_sub(1, Relaxed);
    }
}
