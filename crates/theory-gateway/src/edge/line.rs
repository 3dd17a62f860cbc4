//! One connection, as all its parts see it: how far it is, and what it has been told.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::answers::{Answers, Awaits};

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

/// One connection. It is there until the last of its parts is gone, also when it became another protocol's.
pub(super) struct Line {
    answers: Arc<Answers>,
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
            answers: Arc::default(),
            order: AtomicU8::new(Order::GoOn as u8),
            switch: AtomicU8::new(Switch::Refused as u8),
            waker: Mutex::new(None),
            id,
            left: Box::new(left),
            _place: place,
        }
    }

    pub(super) fn answers(&self) -> &Arc<Answers> {
        &self.answers
    }

    /// What the client is to do next, if nobody on this side has anything to do.
    pub(super) fn awaits(&self) -> Option<Awaits> {
        if self.switch() == Switch::Done { None } else { self.answers.awaits() }
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
