//! Several walks at the same time, inside the future of whoever waits: nothing is spawned, and dropping it ends them all.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::walk::Walk;

/// A page on its way, and the walk it belongs to.
pub(super) type Fetch<R> = Pin<Box<dyn Future<Output = (Walk, R)> + Send>>;

/// Walks side by side, whose pages are of the type `R`. One walk is the ordinary case.
pub(super) struct Lanes<R> {
    /// Those that wait to be asked for the next page.
    waiting: Vec<Walk>,
    /// Those that are under way, in the order in which they are looked at.
    under_way: VecDeque<Fetch<R>>,
    /// How a walk gets its next page, of which so many items are of use.
    fetch: fn(Walk, Option<u64>) -> Fetch<R>,
}

impl<R> Lanes<R> {
    pub(super) fn new(walks: Vec<Walk>, fetch: fn(Walk, Option<u64>) -> Fetch<R>) -> Self {
        Self { waiting: walks, under_way: VecDeque::new(), fetch }
    }

    /// The next page of any walk; none after the last page of the last.
    pub(super) fn poll_next(&mut self, wanted: Option<u64>, context: &mut Context<'_>) -> Poll<Option<R>> {
        let fetch = self.fetch;
        self.under_way.extend(self.waiting.drain(..).map(|walk| fetch(walk, wanted)));
        for _ in 0..self.under_way.len() {
            let Some(mut first) = self.under_way.pop_front() else { break };
            match first.as_mut().poll(context) {
                Poll::Ready((walk, page)) => {
                    if !walk.is_over() {
                        self.waiting.push(walk);
                    }
                    return Poll::Ready(Some(page));
                }
                Poll::Pending => self.under_way.push_back(first),
            }
        }
        if self.under_way.is_empty() { Poll::Ready(None) } else { Poll::Pending }
    }

    /// The next page, awaited.
    pub(super) async fn next(&mut self, wanted: Option<u64>) -> Option<R> {
        std::future::poll_fn(|context| self.poll_next(wanted, context)).await
    }

    /// Gives up what is under way.
    pub(super) fn stop(&mut self) {
        self.waiting.clear();
        self.under_way.clear();
    }
}
