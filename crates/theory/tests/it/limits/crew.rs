//! Four workers at one endpoint, from their start to what they wrote down.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use limited::Limiter;
use tabletheory_core::Clock as _;
use tabletheory_core::StoreExt as _;
use tabletheory_core::store::op::Scan;
use tabletheory_core::sys::SystemClock;

use super::orders::{ORDERS, Orders, policies};
use super::record::Records;
use crate::cache;
use crate::clients::client::{ANY, isolate};
use crate::server::wait;

const WORKER: &str = "limits::worker::asks_limits_until_its_time_is_over";
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
        workers.push(Worker(start(&orders, faketime), orders));
    }
    let mut said = Vec::new();
    for Worker(process, orders) in &mut workers {
        let ended = wait(process, span + PATIENCE);
        assert!(ended.is_some_and(|status| status.success()), "a worker ended with {ended:?}");
        said.push(std::fs::read_to_string(&orders.said).expect("what it wrote"));
    }
    let scan = Scan { table: "rate-limits".to_owned(), ..Scan::default() };
    let rows = db.store().scan(scan).await.expect("the rows").items.unwrap_or_default();
    Records::new(&said, &rows, policies(times))
}

/// A worker that was started. It ends with its value.
struct Worker(Child, Orders);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(orders: &Orders, faketime: Option<&Path>) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a test is a program"));
    isolate(&mut command, ANY);
    command
        .args(["--exact", WORKER, "--nocapture", "--test-threads=1"])
        .env(ORDERS, serde_json::to_string(orders).expect("orders are plain data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(library) = faketime.filter(|_| orders.skew != 0) {
        command
            .env("LD_PRELOAD", library)
            .env("FAKETIME", format!("{:+}s", orders.skew))
            // Spans are measured by a clock that nobody sets, and are right.
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
}
