//! What a worker is told, and the limits that it asks: both sides know them.

use std::path::PathBuf;

use limited::{Limit, Policy};
use serde::{Deserialize, Serialize};

/// The variable with the orders.
pub(super) const ORDERS: &str = "THEORY_LIMITS_WORKER";

/// What a worker is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Orders {
    pub(super) endpoint: String,
    /// Where it writes what was admitted.
    pub(super) said: PathBuf,
    pub(super) millis: u64,
    /// How large the limits are.
    pub(super) times: u64,
    /// By how many seconds its clock is wrong, and the right time when it was started, in milliseconds since 1970.
    pub(super) skew: i64,
    pub(super) now_ms: i64,
}

/// The limits, each small enough to be spent again and again; larger for an endpoint that is so many times faster.
pub(super) fn policies(times: u64) -> Vec<Policy> {
    let second = |amount: u64| Limit::per_second(amount * times);
    let policy = |name: &str, limits: &[Limit]| Policy::new(name, limits.to_vec()).expect("a policy");
    let several =
        [second(3).burst(3), second(4).sliding_window(), Limit::per_minute(20 * times).fixed_window()];
    vec![
        policy("fixed", &[second(4).fixed_window()]),
        policy("bucket", &[second(3).burst(4)]),
        policy("sliding", &[second(4).sliding_window()]),
        policy("log", &[second(2).sliding_log()]),
        policy("several", &several),
        policy("leased", &[second(25).fixed_window()]).leased(10).expect("a batch"),
        policy("leased-bucket", &[second(20).burst(15)]).leased(10).expect("a batch"),
    ]
}
