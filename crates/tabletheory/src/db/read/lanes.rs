//! Several walks at the same time, inside the future of whoever waits: nothing is spawned, and dropping it ends them all.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::walk::Walk;
use crate::flight::Flights;

/// So many pages are asked for at the same time; further walks wait for their turn.
const UNDER_WAY_MAX: usize = 16;

/// A page on its way, and the walk it belongs to.
pub(super) type Fetch<R> = Pin<Box<dyn Future<Output = (Walk, R)> + Send>>;

/// Walks side by side, whose pages are of the type `R`. One walk is the ordinary case.
pub(super) struct Lanes<R> {
    /// Those that wait to be asked for the next page.
    waiting: VecDeque<Walk>,
    under_way: Flights<'static, (Walk, R)>,
    /// How a walk gets its next page, of which so many items are of use.
    fetch: fn(Walk, Option<u64>) -> Fetch<R>,
}

impl<R: 'static> Lanes<R> {
    pub(super) fn new(walks: Vec<Walk>, fetch: fn(Walk, Option<u64>) -> Fetch<R>) -> Self {
        Self { waiting: walks.into(), under_way: Flights::new(), fetch }
    }

    /// The next page of any walk; none after the last page of the last.
    pub(super) fn poll_next(&mut self, wanted: Option<u64>, context: &mut Context<'_>) -> Poll<Option<R>> {
        while self.under_way.len() < UNDER_WAY_MAX
            && let Some(walk) = self.waiting.pop_front()
        {
            self.under_way.push((self.fetch)(walk, wanted));
        }
        self.under_way.poll_next(context).map(|ended| {
            ended.map(|(walk, page)| {
                if !walk.is_over() {
                    self.waiting.push_back(walk);
                }
                page
            })
        })
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
