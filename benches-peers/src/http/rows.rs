//! The rows over HTTP: which operation, which servers, how many times as many requests per second we want to answer.
//! Servers take turns inside each round, as contenders in process do.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::round;
use crate::args::Plan;
use crate::part::Part;
use crate::sample::{self, Sample};
use crate::server::Server;
use crate::workload::Workload;

/// Rounds of warming up have numbers that no counted round has, so that their keys are others.
const WARM_UP_ROUND: u32 = 9000;
const SLICE: Duration = Duration::from_secs(2);
const SLICES_AT_MOST: usize = 30;
/// Warm is who was not faster by this factor in so many slices.
const FASTER: f64 = 1.05;
const CALM_SLICES: u32 = 3;

struct Row {
    name: &'static str,
    workload: fn(items: u64) -> Workload,
    /// Peers, and the least ratio to each.
    peers: &'static [(Entry, f64)],
    /// Who shows what nobody can do without.
    floor: Option<Entry>,
}

const ROWS: [Row; 5] = [
    Row {
        name: "GetItem",
        workload: |items| Workload::Get { items },
        peers: &[(Entry::DynoxideMemory, 2.5), (Entry::LocalMemory, 40.0)],
        floor: Some(Entry::BareHyper),
    },
    Row {
        name: "PutItem",
        workload: |items| Workload::Put { items },
        peers: &[(Entry::DynoxideFile, 8.0), (Entry::DynoxideMemory, 2.5)],
        floor: None,
    },
    Row {
        name: "UpdateItem, conditional counter",
        workload: |_| Workload::Count,
        peers: &[(Entry::DynoxideFile, 7.0)],
        floor: None,
    },
    Row {
        name: "TransactWriteItems, put and conditional delete",
        workload: |_| Workload::Replace,
        peers: &[(Entry::DynoxideFile, 5.0), (Entry::LocalMemory, 15.0)],
        floor: None,
    },
    Row {
        name: "Query of 20 items",
        workload: |items| Workload::Query { items },
        peers: &[(Entry::DynoxideMemory, 3.0)],
        floor: None,
    },
];

/// One server in one row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) contender: String,
    /// The median of the rounds in each figure.
    #[serde(flatten)]
    pub(crate) middle: Sample,
    /// For a peer, if ours took part.
    pub(crate) target: Option<Target>,
}

/// Ours beside a peer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Target {
    /// How many times as many requests per second ours answers.
    pub(crate) ratio: f64,
    pub(crate) at_least: f64,
    /// How many times as much processor time the peer's server takes for a request. It is the steadier figure on a busy
    /// machine.
    pub(crate) cpu_ratio: f64,
}

impl Target {
    /// Whether it was reached.
    pub(crate) fn is_reached(&self) -> bool {
        self.ratio >= self.at_least
    }
}

/// One row's outcome: ours first, then the peers, then what nobody can do without.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) operation: String,
    pub(crate) servers: Vec<Figures>,
}

/// The names of the rows.
pub(crate) fn rows() -> [&'static str; 5] {
    ROWS.each_ref().map(|row| row.name)
}

/// Runs every row that the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for row in ROWS.iter().filter(|row| plan.wants(Part::Http, row.name)) {
        eprintln!(" {}", row.name);
        let peers = row.peers.iter().map(|(peer, _)| *peer);
        let entries = std::iter::once(Entry::Ours).chain(peers).chain(row.floor);
        let mut series = Vec::new();
        for entry in entries.filter(|entry| entry.is_here(plan)) {
            let home = tempfile::tempdir_in(folder)?.keep();
            series.push(Series { entry, server: entry.open(plan, &home, plan.items)?, samples: Vec::new() });
        }
        take_turns(plan, (row.workload)(plan.items), &mut series)?;
        comparisons.push(compare(row, &series));
    }
    Ok(comparisons)
}

/// One server's rounds.
struct Series {
    entry: Entry,
    server: Server,
    samples: Vec<Sample>,
}

fn take_turns(plan: &Plan, workload: Workload, series: &mut [Series]) -> Result<()> {
    let failed = |entry: Entry| format!("{} in {workload:?} over HTTP", entry.name());
    for Series { entry, server, .. } in &*series {
        warm_up(plan, *entry, server, workload).with_context(|| failed(*entry))?;
    }
    for number in 1..=plan.rounds {
        for Series { entry, server, samples } in &mut *series {
            let sample =
                round::take(server, workload, number, plan.round_time).with_context(|| failed(*entry))?;
            eprintln!(
                "  {:<24} {:>10.0} /s {:>8.1} µs of the server {:>6.1} of the generator",
                entry.name(),
                sample.per_second,
                sample.server_cpu_us,
                sample.generator_cpu_us
            );
            samples.push(sample);
        }
    }
    Ok(())
}

/// Runs a server uncounted. A Java program compiles its hot code while it runs, so it is given time until it gets no
/// faster; others only fill their caches.
fn warm_up(plan: &Plan, entry: Entry, server: &Server, workload: Workload) -> Result<()> {
    if entry != Entry::LocalMemory {
        round::take(server, workload, WARM_UP_ROUND, plan.round_time / 4)?;
        return Ok(());
    }
    let (mut best, mut since_best) = (0.0, 0);
    for number in (WARM_UP_ROUND..).take(SLICES_AT_MOST) {
        let per_second = round::take(server, workload, number, SLICE)?.per_second;
        since_best = if per_second > best * FASTER { 0 } else { since_best + 1 };
        best = per_second.max(best);
        if since_best == CALM_SLICES {
            break;
        }
    }
    Ok(())
}

fn compare(row: &Row, series: &[Series]) -> Comparison {
    let ours = series.iter().find(|series| series.entry == Entry::Ours);
    let figures = |series: &Series| {
        let at_least =
            row.peers.iter().find(|(peer, _)| *peer == series.entry).map(|(_, at_least)| *at_least);
        let target = ours.zip(at_least).map(|(ours, at_least)| Target {
            ratio: sample::ratio(&ours.samples, &series.samples, |sample| sample.per_second),
            at_least,
            cpu_ratio: sample::ratio(&series.samples, &ours.samples, |sample| sample.server_cpu_us),
        });
        Figures { contender: series.entry.name().to_owned(), middle: sample::middle(&series.samples), target }
    };
    Comparison { operation: row.name.to_owned(), servers: series.iter().map(figures).collect() }
}
