//! The rules of counting, as pure functions of what was counted, the time and the cost. The same functions judge what a store
//! says, what this process remembers, and what it counts alone when there is no store.

pub(crate) mod bucket;
pub(crate) mod log;
mod stand;
pub(crate) mod window;

use std::time::Duration;

use tabletheory_core::Timestamp;

use crate::decision::Standing;
use crate::limit::{Limit, Rule};
use crate::state::State;

/// What has been counted after a request of this cost, or how long until it would be allowed. A cost of zero asks for nothing
/// and is always allowed.
pub(crate) fn judge(
    limit: &Limit,
    state: Option<&State>,
    now: Timestamp,
    cost: u64,
) -> Result<State, Duration> {
    match limit.rule() {
        Rule::Bucket { burst } => bucket::judge(limit, burst, state, now, cost),
        Rule::SlidingLog => log::judge(limit, state, now, cost),
        Rule::FixedWindow | Rule::SlidingWindow | Rule::Quota => window::judge(limit, state, now, cost),
    }
}

/// How a limit stands, with what has been counted.
pub(crate) fn standing(limit: &Limit, state: Option<&State>, now: Timestamp) -> Standing {
    match limit.rule() {
        Rule::Bucket { burst } => bucket::standing(limit, burst, state, now),
        Rule::SlidingLog => log::standing(limit, state, now),
        Rule::FixedWindow | Rule::SlidingWindow | Rule::Quota => window::standing(limit, state, now),
    }
}
