//! The way through the pages of one request: where the next one starts, how much it visits, and patience with a store that
//! is busy.

use tabletheory_core::StoreError;
use tabletheory_core::store::op::PageOutput;

use super::source::Paged;
use super::terms::Yield;
use crate::db::Db;

/// What the first request visits, if a filter lets an unknown part of it through.
const VISITED_FIRST: u64 = 128;
/// How much more each next one visits: a rare item is found in few requests, and a frequent one without reading far past it.
const GROWTH: u64 = 4;

/// A read on its way.
pub(super) struct Walk {
    db: Db,
    /// The request for the next page; none after the last.
    next: Option<Paged>,
    has_begun: bool,
    pace: Pace,
}

impl Walk {
    pub(super) fn new(db: Db, first: Paged, yields: Yield) -> Self {
        let page_size = match &first {
            Paged::Query(query) => query.limit,
            Paged::Scan(scan) => scan.limit,
        };
        Self { db, next: Some(first), has_begun: false, pace: Pace::new(page_size, yields) }
    }

    pub(super) fn db(&self) -> &Db {
        &self.db
    }

    /// Whether there are no more pages.
    pub(super) fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// The next page, of which no more than `wanted` items are of use. A page may be empty before the last.
    ///
    /// Reading does no harm: whatever may pass is tried again, also when the answer was lost.
    ///
    /// A store on this machine answers without ever waiting, so that a long walk would keep its thread from everybody else: others
    /// have a turn between two pages.
    pub(super) async fn page(&mut self, wanted: Option<u64>) -> Result<PageOutput, StoreError> {
        let Some(mut request) = self.next.take() else { return Ok(PageOutput::default()) };
        if std::mem::replace(&mut self.has_begun, true) {
            tokio::task::yield_now().await;
        }
        request.visit(self.pace.next(wanted));
        let mut attempts = self.db.attempts();
        let page = loop {
            match request.clone().send(&**self.db.store()).await {
                Err(error) if error.is_retryable() && attempts.again().await => {}
                answer => break answer?,
            }
        };
        if let Some(last) = &page.last_evaluated_key {
            request.start_after(last.clone());
            self.next = Some(request);
        }
        Ok(page)
    }
}

/// How many items the next request visits.
#[derive(Debug, Clone, Copy)]
struct Pace {
    page_size: Option<u32>,
    yields: Yield,
    /// What the next request visits at least, if a filter stands between that and what is wanted.
    visited: u64,
}

impl Pace {
    fn new(page_size: Option<u32>, yields: Yield) -> Self {
        Self { page_size, yields, visited: if yields == Yield::Unknown { VISITED_FIRST } else { 0 } }
    }

    fn next(&mut self, wanted: Option<u64>) -> Option<u32> {
        let limit = |limit: u64| u32::try_from(limit).unwrap_or(u32::MAX).max(1);
        match (self.page_size, wanted) {
            (None, None) => None,
            (Some(size), Some(wanted)) if self.yields == Yield::All => Some(size.min(limit(wanted))),
            (Some(size), _) => Some(size),
            (None, Some(wanted)) if self.yields == Yield::All => Some(limit(wanted)),
            (None, Some(wanted)) => {
                let visited = self.visited.max(wanted);
                self.visited = visited.saturating_mul(GROWTH);
                Some(limit(visited))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(page_size: Option<u32>, yields: Yield, wanted: Option<u64>) -> [Option<u32>; 3] {
        let mut pace = Pace::new(page_size, yields);
        [(); 3].map(|()| pace.next(wanted))
    }

    #[test]
    fn without_a_filter_no_more_is_visited_than_wanted() {
        assert_eq!(visits(None, Yield::All, None), [None; 3]);
        assert_eq!(visits(None, Yield::All, Some(7)), [Some(7); 3]);
        assert_eq!(visits(Some(3), Yield::All, Some(7)), [Some(3); 3]);
        assert_eq!(visits(Some(9), Yield::All, Some(7)), [Some(7); 3]);
        assert_eq!(visits(None, Yield::All, Some(u64::MAX)), [Some(u32::MAX); 3]);
    }

    #[test]
    fn with_a_filter_requests_grow_until_enough_was_found() {
        assert_eq!(visits(None, Yield::Unknown, None), [None; 3]);
        assert_eq!(visits(None, Yield::Unknown, Some(1)), [Some(128), Some(512), Some(2048)]);
        assert_eq!(visits(None, Yield::Unknown, Some(1000)), [Some(1000), Some(4000), Some(16_000)]);
        assert_eq!(visits(None, Yield::Unknown, Some(u64::MAX)), [Some(u32::MAX); 3]);
        assert_eq!(visits(Some(3), Yield::Unknown, Some(7)), [Some(3); 3]);
        // If there are only items of the model, the first request finds enough.
        assert_eq!(visits(None, Yield::Model, Some(7)), [Some(7), Some(28), Some(112)]);
    }
}
