//! A worker: this test binary, started again with one test and its orders. It asks every limit as fast as it can, and writes down what
//! was admitted and how often each thing happened.

use std::fmt::Write as _;
use std::time::Duration;

use limited::{Limiter, LimiterSettings, OnFailure, Policy, Source};
use tabletheory_core::Clock as _;
use tabletheory_core::sys::SystemClock;
use tokio::time::{Instant, sleep};

use super::orders::{ORDERS, Orders, policies};
use crate::cache;
use crate::process;

/// So many ask for each limit at the same time.
const CALLERS: usize = 3;

#[test]
fn asks_limits_until_its_time_is_over() {
    process::obey(ORDERS, work);
}

async fn work(orders: Orders) {
    process::check_clock(orders.skew, orders.now_ms);
    let settings = LimiterSettings {
        on_failure: OnFailure::Closed,
        timeout: Duration::from_secs(20),
        deny_cache: Duration::from_millis(20),
        ..LimiterSettings::default()
    };
    let limiter =
        Limiter::new(cache::connect(&orders.endpoint).await).with_settings(settings).expect("settings");
    let end = Instant::now() + Duration::from_millis(orders.millis);
    let mut callers = Vec::new();
    for policy in policies(orders.times) {
        for _ in 0..CALLERS {
            callers.push(tokio::spawn(ask(limiter.clone(), policy.clone(), end, orders.skew * 1000)));
        }
    }
    let mut said = String::new();
    for caller in callers {
        said.push_str(&caller.await.expect("a caller never panics"));
    }
    let counts = limiter.counts();
    let _ = writeln!(
        said,
        "counts {} {} {} {} {}",
        counts.allowed, counts.denied, counts.store_calls, counts.failed_closed, counts.leased
    );
    std::fs::write(&orders.said, said).expect("a file is written");
}

/// Asks again and again. Each admission is a line: its policy, and between which moments of the right clock it was made.
async fn ask(limiter: Limiter, policy: Policy, end: Instant, skew_ms: i64) -> String {
    let mut said = String::new();
    while Instant::now() < end {
        let before_ms = SystemClock.now().millis() - skew_ms;
        let decision = limiter.check(&policy, "hot", 1).await.expect("the endpoint answers");
        let after_ms = SystemClock.now().millis() - skew_ms;
        if decision.is_allowed() {
            assert!(matches!(decision.source, Source::Store | Source::Lease), "{:?}", decision.source);
            let _ = writeln!(said, "{} {before_ms} {after_ms}", policy.name());
        } else {
            sleep(Duration::from_millis(4)).await;
        }
    }
    said
}
