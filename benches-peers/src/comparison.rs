//! The rows of the table: which operation, who runs it, and how many times as fast as each peer we want to be.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::args::Plan;
use crate::contenders::Entry;
use crate::duel::{Arena, Series};
use crate::workload::Workload;

struct Row {
    name: &'static str,
    workload: fn(items: u64) -> Workload,
    writers: u64,
    ours: Entry,
    /// Peers, and the least ratio to each.
    peers: &'static [(Entry, f64)],
}

const ROWS: [Row; 6] = [
    Row {
        name: "GetItem, hot key",
        workload: |_| Workload::GetHot,
        writers: 1,
        ours: Entry::OursMemory,
        peers: &[(Entry::DynoxideMemory, 8.0)],
    },
    Row {
        name: "PutItem, memory durability, 1 thread",
        workload: |items| Workload::Put { items },
        writers: 1,
        ours: Entry::OursMemory,
        peers: &[(Entry::DynoxideMemory, 6.0)],
    },
    Row {
        name: "PutItem, sync, 64 writers",
        workload: |items| Workload::Put { items },
        writers: 64,
        ours: Entry::OursSync,
        peers: &[(Entry::RawFjall, 0.6), (Entry::DynoxideFile, 10.0)],
    },
    Row {
        name: "TransactWriteItems, put and conditional delete, sync, 64 writers",
        workload: |_| Workload::Replace,
        writers: 64,
        ours: Entry::OursSync,
        peers: &[(Entry::DynoxideFile, 6.0)],
    },
    Row {
        name: "UpdateItem, conditional counter, sync, 64 writers on 64 keys",
        workload: |_| Workload::Count,
        writers: 64,
        ours: Entry::OursSync,
        peers: &[(Entry::DynoxideFile, 8.0)],
    },
    Row {
        name: "Query of 20 items",
        workload: |items| Workload::Query { items },
        writers: 1,
        ours: Entry::OursMemory,
        peers: &[(Entry::DynoxideMemory, 5.0)],
    },
];

/// One contender's figures.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figures {
    pub(crate) contender: &'static str,
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
}

/// Ours beside one peer in one operation.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    pub(crate) operation: &'static str,
    pub(crate) ours: Figures,
    pub(crate) peer: Figures,
    /// How many times as many operations per second.
    pub(crate) ratio: f64,
    /// How many times as quick at the median, with one caller. It is the steadier figure on a busy machine; with many
    /// callers it says more about who gets the lock than about speed, and is left out.
    pub(crate) p50_ratio: Option<f64>,
    pub(crate) at_least: f64,
}

impl Comparison {
    /// Whether the target was reached.
    pub(crate) fn is_reached(&self) -> bool {
        self.ratio >= self.at_least
    }
}

/// Runs every row that the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for row in ROWS.iter().filter(|row| plan.wants(row.name)) {
        eprintln!("{}", row.name);
        let entries: Vec<Entry> =
            std::iter::once(row.ours).chain(row.peers.iter().map(|(peer, _)| *peer)).collect();
        let arena = Arena::open(folder, &entries, plan.items)?;
        let series = arena.run(plan, (row.workload)(plan.items), row.writers)?;
        comparisons
            .extend(row.peers.iter().filter_map(|(peer, at_least)| compare(row, &series, *peer, *at_least)));
    }
    Ok(comparisons)
}

fn compare(row: &Row, series: &[Series], peer: Entry, at_least: f64) -> Option<Comparison> {
    let of = |entry: Entry| series.iter().find(|series| series.entry == entry);
    let (ours, peer) = (of(row.ours)?, of(peer)?);
    Some(Comparison {
        operation: row.name,
        ours: figures(ours),
        peer: figures(peer),
        ratio: ours.ratio(peer),
        p50_ratio: (row.writers == 1).then(|| peer.p50_us() / ours.p50_us()),
        at_least,
    })
}

fn figures(series: &Series) -> Figures {
    Figures { contender: series.entry.name(), per_second: series.per_second(), p50_us: series.p50_us() }
}
