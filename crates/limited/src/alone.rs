//! Counting without a store: the same rules on what this process has seen itself, with its part of each limit.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use quick_cache::sync::Cache;
use tabletheory_core::Timestamp;

use crate::gauge::{Gauges, States};
use crate::limit::Limit;

/// What this process has counted alone. Bounded: what is forgotten begins anew.
#[derive(Debug)]
pub(crate) struct Alone {
    rows: Cache<String, Arc<Mutex<States>>>,
    nodes: u32,
}

impl Alone {
    pub(crate) fn new(rows: usize, nodes: u32) -> Self {
        Self { rows: Cache::new(rows), nodes }
    }

    /// This process's part of limits.
    pub(crate) fn part(&self, gauges: &Gauges) -> Gauges {
        let parts: Vec<Limit> = gauges.limits().map(|limit| limit.divided(self.nodes)).collect();
        Gauges::new(&parts)
    }

    /// Counts a request, or says how long until it would be allowed; and what is counted now.
    pub(crate) fn count(
        &self,
        partition: &str,
        part: &Gauges,
        now: Timestamp,
        cost: u64,
    ) -> (Result<(), Duration>, States) {
        // Two requests that come first together must find one count.
        let Ok(counted) = self.rows.get_or_insert_with(partition, || Ok::<_, Infallible>(Arc::default()));
        let mut states = counted.lock();
        let said = part.judge(&states, now, cost).map(|next| *states = next);
        (said, states.clone())
    }
}
