//! Several futures at once inside the caller's own: none is spawned, and none outlives the caller.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Futures that are under way together.
pub(crate) struct Flights<'f, T> {
    under_way: VecDeque<Pin<Box<dyn Future<Output = T> + Send + 'f>>>,
}

impl<'f, T> Flights<'f, T> {
    pub(crate) fn new() -> Self {
        Self { under_way: VecDeque::new() }
    }

    /// How many are under way.
    pub(crate) fn len(&self) -> usize {
        self.under_way.len()
    }

    pub(crate) fn push(&mut self, future: impl Future<Output = T> + Send + 'f) {
        self.under_way.push_back(Box::pin(future));
    }

    /// What the next future that ends gives; `None` if none is under way.
    pub(crate) async fn next(&mut self) -> Option<T> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// As [`next`](Self::next). Whoever was asked in vain is asked last, so that nobody is passed over.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        for _ in 0..self.under_way.len() {
            let Some(mut first) = self.under_way.pop_front() else { break };
            match first.as_mut().poll(context) {
                Poll::Ready(value) => return Poll::Ready(Some(value)),
                Poll::Pending => self.under_way.push_back(first),
            }
        }
        if self.under_way.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    }

    /// Ends all of them.
    pub(crate) fn clear(&mut self) {
        self.under_way.clear();
    }
}

impl<T> fmt::Debug for Flights<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flights").field("under_way", &self.len()).finish()
    }
}

/// What all the futures give, in their order, or the first error, which ends the others.
pub(crate) async fn together<T: Send, E: Send, F>(work: Vec<F>) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>> + Send,
{
    let mut results: Vec<Option<T>> = work.iter().map(|_| None).collect();
    let mut flights = Flights::new();
    for (place, future) in work.into_iter().enumerate() {
        flights.push(async move { (place, future.await) });
    }
    while let Some((place, result)) = flights.next().await {
        results[place] = Some(result?);
    }
    Ok(results.into_iter().flatten().collect())
}
