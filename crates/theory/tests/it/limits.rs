//! Rate limits in four processes at one endpoint, ours and AWS's DynamoDB Local: whatever they admit together is within each limit,
//! and every admission is counted in a row. One clock may be wrong by half a minute.

mod basics;
mod crew;
mod orders;
mod record;
mod worker;

use std::time::Duration;

use tabletheory_core::store::contract::DynamoDbLocal;

use crate::fleet::faketime;
use crate::server::Server;
use crew::{Clocks, hammer};

const RIGHT: Clocks = [0; 4];

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_admit_no_more_than_each_limit_at_our_endpoint() {
    let server = Server::dynamodb(&["--memory"]);
    let records = hammer(&server.address, RIGHT, (5, Duration::from_secs(10)), None).await;
    records.hold_limits(0);
    records.were_all_decided_by_the_store();
}

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_admit_no_more_than_each_limit_at_dynamodb_local() {
    let Some(folder) = DynamoDbLocal::folder("the limits against it") else {
        eprintln!("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so four processes do not limit at DynamoDB Local");
        return;
    };
    let local = DynamoDbLocal::start(&folder);
    let records =
        hammer(&format!("http://127.0.0.1:{}", local.port()), RIGHT, (1, Duration::from_secs(3)), None).await;
    records.hold_limits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_half_a_minute_ahead_costs_what_half_a_minute_gives_and_no_more() {
    let Some(faketime) = faketime::find() else { return };
    let server = Server::dynamodb(&["--memory"]);
    let records = hammer(&server.address, [0, 0, 0, 30], (5, Duration::from_secs(4)), Some(&faketime)).await;
    records.hold_limits(30_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_half_a_minute_behind_admits_nothing_beyond_what_half_a_minute_gives() {
    let Some(faketime) = faketime::find() else { return };
    let server = Server::dynamodb(&["--memory"]);
    let records = hammer(&server.address, [-30, 0, 0, 0], (5, Duration::from_secs(4)), Some(&faketime)).await;
    records.hold_limits(30_000);
}
