//! The rows over HTTP: which operation, which servers, how many times as many requests per second we want to answer.
//! Servers take turns inside each round, as contenders in process do.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use super::dialog::{Filler, Speaker};
use super::entry::Entry;
use super::load;
use super::process::Process;
use super::server::Server;
use crate::args::Plan;
use crate::duel::median;
use crate::workload::Workload;

/// Connections of the load generator, each with one request under way.
pub(crate) const CONNECTIONS: u64 = 32;

struct Row {
    name: &'static str,
    workload: fn(items: u64) -> Workload,
    /// Peers, and the least ratio to each.
    peers: &'static [(Entry, f64)],
}

const ROWS: [Row; 5] = [
    Row {
        name: "GetItem",
        workload: |items| Workload::Get { items },
        peers: &[(Entry::DynoxideMemory, 2.5), (Entry::LocalMemory, 40.0)],
    },
    Row {
        name: "PutItem",
        workload: |items| Workload::Put { items },
        peers: &[(Entry::DynoxideFile, 8.0), (Entry::DynoxideMemory, 2.5)],
    },
    Row {
        name: "UpdateItem, conditional counter",
        workload: |_| Workload::Count,
        peers: &[(Entry::DynoxideFile, 7.0)],
    },
    Row {
        name: "TransactWriteItems, put and conditional delete",
        workload: |_| Workload::Replace,
        peers: &[(Entry::DynoxideFile, 5.0), (Entry::LocalMemory, 15.0)],
    },
    Row {
        name: "Query of 20 items",
        workload: |items| Workload::Query { items },
        peers: &[(Entry::DynoxideMemory, 3.0)],
    },
];

/// What one round gave.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Sample {
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    /// Processor time of the server for one request.
    pub(crate) server_cpu_us: f64,
    /// Processor time of the load generator for one request.
    pub(crate) generator_cpu_us: f64,
}

/// One server in one row.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) contender: &'static str,
    /// The median of the rounds in each figure.
    #[serde(flatten)]
    pub(crate) middle: Sample,
    /// For a peer, if ours took part.
    pub(crate) target: Option<Target>,
}

/// Ours beside a peer.
#[derive(Debug, Clone, Copy, Serialize)]
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

/// One row's outcome: ours first, then the peers.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    pub(crate) operation: &'static str,
    pub(crate) servers: Vec<Figures>,
}

/// Runs every row that the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for row in ROWS.iter().filter(|row| plan.wants(&format!("over http: {}", row.name))) {
        eprintln!("over HTTP: {}", row.name);
        let entries = std::iter::once(Entry::Ours).chain(row.peers.iter().map(|(peer, _)| *peer));
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
    // Round 0 warms up and is not counted.
    for number in 0..=plan.rounds {
        for Series { entry, server, samples } in &mut *series {
            let time = if number == 0 { entry.warm_up(plan) } else { plan.round_time };
            let sample = round(server, workload, number, time)
                .with_context(|| format!("{} in {workload:?} over HTTP", entry.name()))?;
            if number > 0 {
                let Sample { per_second, server_cpu_us, generator_cpu_us, .. } = sample;
                eprintln!(
                    "  {:<24} {per_second:>10.0} /s {server_cpu_us:>8.1} µs of the server {generator_cpu_us:>6.1} of ours",
                    entry.name(),
                );
                samples.push(sample);
            }
        }
    }
    Ok(())
}

fn round(server: &Server, workload: Workload, number: u32, time: std::time::Duration) -> Result<Sample> {
    let prepared = workload.prepare(number, CONNECTIONS);
    load::run(server.address(), Filler::share(prepared.into_iter(), CONNECTIONS), None)?;
    let speakers = (0..CONNECTIONS).map(|speaker| Speaker::new(workload, number, speaker)).collect();
    let cpu = || anyhow::Ok((server.process().cpu()?, Process::own().cpu()?));
    let (server_before, own_before) = cpu()?;
    let mut seen = load::run(server.address(), speakers, Some(time))?;
    let (server_after, own_after) = cpu()?;
    seen.latencies_ns.sort_unstable();
    let count = seen.latencies_ns.len();
    let latency = |at: usize| seen.latencies_ns.get(at).copied().unwrap_or_default() as f64 / 1000.0;
    let each = |time: std::time::Duration| time.as_secs_f64() * 1e6 / count as f64;
    Ok(Sample {
        per_second: count as f64 / seen.elapsed.as_secs_f64(),
        p50_us: latency(count / 2),
        p99_us: latency(count * 99 / 100),
        server_cpu_us: each(server_after - server_before),
        generator_cpu_us: each(own_after - own_before),
    })
}

fn compare(row: &Row, series: &[Series]) -> Comparison {
    let ours = series.iter().find(|series| series.entry == Entry::Ours);
    let figures = |series: &Series| {
        let at_least =
            row.peers.iter().find(|(peer, _)| *peer == series.entry).map(|(_, at_least)| *at_least);
        let target = ours.zip(at_least).map(|(ours, at_least)| Target {
            ratio: ratio(&ours.samples, &series.samples, |sample| sample.per_second),
            at_least,
            cpu_ratio: ratio(&series.samples, &ours.samples, |sample| sample.server_cpu_us),
        });
        Figures { contender: series.entry.name(), middle: middle(&series.samples), target }
    };
    Comparison { operation: row.name, servers: series.iter().map(figures).collect() }
}

/// The ratio within each round, median over the rounds.
fn ratio(these: &[Sample], others: &[Sample], figure: fn(&Sample) -> f64) -> f64 {
    median(these.iter().zip(others).map(|(this, other)| figure(this) / figure(other)).collect())
}

fn middle(samples: &[Sample]) -> Sample {
    let of = |figure: fn(&Sample) -> f64| median(samples.iter().map(figure).collect());
    Sample {
        per_second: of(|sample| sample.per_second),
        p50_us: of(|sample| sample.p50_us),
        p99_us: of(|sample| sample.p99_us),
        server_cpu_us: of(|sample| sample.server_cpu_us),
        generator_cpu_us: of(|sample| sample.generator_cpu_us),
    }
}
