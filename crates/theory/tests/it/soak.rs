//! A gateway under a flood of names that never come again: paths, queries, hosts, callers, keys of requests. What it takes in memory and
//! descriptors has a bound, and what it keeps on the disk goes when its time is over.
//!
//! `THEORY_SOAK_SECONDS=300` makes the flood longer.

mod flood;
mod footprint;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::sleep;

use crate::application::Application;
use crate::fleet::faketime;
use crate::served::Served;
use flood::Flood;
use footprint::{Footprint, Room};

/// How long the flood takes, if nobody says otherwise.
const SECONDS: u64 = 24;
/// What memory may grow by after a third of the flood, beside a tenth.
const GROWTH_BYTES: u64 = 16 << 20;
/// What it may grow by while tables that remember so many things and no more are not full: pages, callers, requests that were answered.
const GROWTH_WHILE_FILLING_BYTES: u64 = 64 << 20;
/// After so many requests they are.
const FULL_AFTER: u64 = 30_000;
/// Descriptors beyond those of that moment: files of the store come and go.
const MORE_DESCRIPTORS: usize = 32;
/// Rounds after which everything that has expired is gone.
const ROUNDS: usize = 60;
/// By then everything has expired: an idempotent request is remembered for a day.
const LATER: &str = "+3d";

fn settings(origin: &str, sweep_every: &str) -> String {
    format!(
        "listen = '127.0.0.1:0'\ndata = 'data'\ntrusted_proxies = ['127.0.0.1']\n\
         [admin]\nlisten = '127.0.0.1:0'\n[store]\ndurability = 'interval'\n[bodies]\nsweep_every = '{sweep_every}'\n\
         [memory]\nrows = '8MB'\nknown = '2MB'\npages = '2MB'\nhttp_cache = '2MB'\n\
         [[site]]\nname = 'flooded'\nhosts = ['127.0.0.1']\norigin = '{origin}'\n\
         [[site.route]]\npath = '/page/{{slug}}'\nrevalidate = '1m'\nstale = '1m'\nstale_if_error = '1m'\nnegative = '1s'\n\
         retention = '5m'\nquery = '*'\n\
         [[site.route]]\npath = '/cached/{{slug}}'\nkind = 'http-cache'\n\
         [[site.route]]\npath = '/limited/{{slug}}'\nkind = 'pass'\nrate_limits = [{{ limit = ['5/s burst 10', '100/h sliding'] }}]\n\
         [[site.route]]\npath = '/keyed/{{slug}}'\nkind = 'pass'\nrate_limits = [{{ limit = '5/min fixed', by = 'header:x-api-key' }}]\n\
         [[site.route]]\npath = '/orders'\nkind = 'pass'\nidempotency = true\n"
    )
}

fn span() -> Duration {
    let told = std::env::var("THEORY_SOAK_SECONDS").ok();
    let told = told.map(|seconds| seconds.parse().expect("THEORY_SOAK_SECONDS is a number"));
    Duration::from_secs(told.unwrap_or(SECONDS))
}

/// The rows of all tables in the folder, which no gateway has open.
fn rows(data: &Path) -> u64 {
    let listed = Command::new(env!("CARGO_BIN_EXE_theory"))
        .args(["tables", "ls", "--json", "--data"])
        .arg(data)
        .output();
    let listed = listed.expect("the binary starts");
    assert!(listed.status.success(), "{listed:?}");
    let listed: Json = serde_json::from_slice(&listed.stdout).expect("JSON");
    listed["tables"].as_array().expect("a list").iter().filter_map(|table| table["items"].as_u64()).sum()
}

fn stop(gateway: Served) {
    gateway.signal("TERM");
    assert_eq!(gateway.ended().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_names_takes_no_memory_and_what_it_leaves_on_the_disk_goes_with_time() {
    let Some(faketime) = faketime::find() else { return };
    let origin = Application::start(flood::application).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let gateway = Served::start(folder.path(), &settings(&origin.address, "1h"), |_| {});
    let (flood, span) = (Arc::new(Flood::default()), span());

    flood.come(&gateway.address, span / 3).await;
    let (warm, warm_requests) = (Footprint::of(gateway.id()), flood.requests());
    flood.come(&gateway.address, span * 2 / 3).await;
    let end = Footprint::of(gateway.id());
    println!("{warm_requests} requests: {warm:?}\n{} requests: {end:?}", flood.requests());
    assert!(flood.requests() > warm_requests + 100, "the flood goes on after the first look");
    let growth = if warm_requests > FULL_AFTER { GROWTH_BYTES } else { GROWTH_WHILE_FILLING_BYTES };
    let bound = warm.memory_bytes * 11 / 10 + growth;
    assert!(end.memory_bytes < bound, "memory grows with the flood: {warm:?}, then {end:?}");
    let bound = warm.descriptors + MORE_DESCRIPTORS;
    assert!(end.descriptors < bound, "descriptors grow with the flood: {warm:?}, then {end:?}");
    stop(gateway);

    let (bodies, store) = (data.join("bodies"), data.join("store"));
    let (full, kept) = (Room::of(&bodies), rows(&data));
    println!("{kept} rows, bodies {full:?}, store {:?}", Room::of(&store));
    assert!(full.files > 100 && kept > 100, "it kept pages, callers and requests: {full:?}, {kept} rows");
    let mut left = (full.files, kept);
    for round in 0..ROUNDS {
        let later = Served::start(folder.path(), &settings(&origin.address, "1s"), |command| {
            // Spans are measured by a clock that nobody sets, and files have the times that the disk knows.
            command.env("LD_PRELOAD", &faketime).env("FAKETIME", LATER);
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("NO_FAKE_STAT", "1");
        });
        sleep(Duration::from_secs(3)).await;
        stop(later);
        left = (Room::of(&bodies).files, rows(&data));
        println!("round {round}: {left:?}, store {:?}", Room::of(&store));
        if left == (0, 0) {
            break;
        }
    }
    assert_eq!(left, (0, 0), "bodies and rows whose time is over are gone");
}
