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
    /// By how many seconds its clock is wrong, and the right time when it was started, in milliseconds since 1970.
    pub(super) skew: i64,
    pub(super) now_ms: i64,
}

/// The limits, each small enough to be spent again and again.
pub(super) fn policies() -> Vec<Policy> {
    let second = |amount: u64| Limit::per_second(amount);
    let policy = |name: &str, limits: &[Limit]| Policy::new(name, limits.to_vec()).expect("a policy");
    vec![
        policy("fixed", &[second(40).fixed_window()]),
        policy("bucket", &[second(40).burst(25)]),
        policy("sliding", &[second(40).sliding_window()]),
        policy("log", &[second(20).sliding_log()]),
        policy(
            "several",
            &[second(40).burst(25), second(35).sliding_window(), Limit::per_minute(300).fixed_window()],
        ),
        policy("leased", &[second(300).fixed_window()]).leased(20).expect("a batch"),
        policy("leased-bucket", &[second(300).burst(100)]).leased(20).expect("a batch"),
    ]
}
