//! Several futures at once inside the caller's own: none is spawned, and none outlives the caller.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Futures that are under way.
pub(super) struct Flights<T> {
    under_way: Vec<Pin<Box<dyn Future<Output = T> + Send>>>,
}

impl<T> Flights<T> {
    pub(super) fn new() -> Self {
        Self { under_way: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.under_way.len()
    }

    pub(super) fn push(&mut self, future: impl Future<Output = T> + Send + 'static) {
        self.under_way.push(Box::pin(future));
    }

    /// The next that ends; `None` if there are no more.
    pub(super) async fn next(&mut self) -> Option<T> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        if self.under_way.is_empty() {
            return Poll::Ready(None);
        }
        for at in 0..self.under_way.len() {
            if let Poll::Ready(value) = self.under_way[at].as_mut().poll(context) {
                drop(self.under_way.swap_remove(at));
                return Poll::Ready(Some(value));
            }
        }
        Poll::Pending
    }
}

impl<T> fmt::Debug for Flights<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flights").field("under_way", &self.len()).finish()
    }
}
