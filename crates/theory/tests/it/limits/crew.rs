//! Four workers at one endpoint, from their start to what they wrote down.

use std::path::Path;
use std::time::Duration;

use limited::Limiter;
use tabletheory_core::Clock as _;
use tabletheory_core::StoreExt as _;
use tabletheory_core::store::op::Scan;
use tabletheory_core::sys::SystemClock;

use super::orders::{ORDERS, Orders, policies};
use super::record::Records;
use crate::cache;
use crate::process::{Kind, Process, WrongClock};

const KIND: Kind = Kind { test: "limits::worker::asks_limits_until_its_time_is_over", orders: ORDERS };
/// How long workers may take beyond their time: machines are busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// By how many seconds the clock of each is wrong.
pub(super) type Clocks = [i64; 4];

/// Makes the table, lets four workers ask limits that are so many times as large for so long, and gathers what they admitted and what the table counts.
pub(super) async fn hammer(
    endpoint: &str,
    clocks: Clocks,
    (times, span): (u64, Duration),
    faketime: Option<&Path>,
) -> Records {
    let db = cache::connect(endpoint).await;
    Limiter::new(db.clone()).create_table().await.expect("the table is made");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut workers = Vec::new();
    for (number, skew) in clocks.into_iter().enumerate() {
        let orders = Orders {
            endpoint: endpoint.to_owned(),
            said: folder.path().join(number.to_string()),
            millis: u64::try_from(span.as_millis()).expect("short"),
            times,
            skew,
            now_ms: SystemClock.now().millis(),
        };
        let clock = faketime.map(|faketime| WrongClock { faketime, skew });
        workers.push((Process::start(KIND, &orders, clock), orders.said));
    }
    let mut said = Vec::new();
    for (process, written) in &mut workers {
        let ended = process.wait(span + PATIENCE);
        assert!(ended.is_some_and(|status| status.success()), "a worker ended with {ended:?}");
        said.push(std::fs::read_to_string(written).expect("what it wrote"));
    }
    let scan = Scan { table: "rate-limits".to_owned(), ..Scan::default() };
    let rows = db.store().scan(scan).await.expect("the rows").items.unwrap_or_default();
    Records::new(&said, &rows, policies(times))
}
