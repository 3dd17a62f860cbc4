//! The rows of the table: which operation, who runs it, and how many times as fast as each peer we want to be.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::args::Plan;
use crate::contenders::Entry;
use crate::duel::{Arena, Series};
use crate::markdown::{grouped, line, mark};
use crate::part::Part;
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) contender: String,
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
    /// Processor time of the store's own threads for each call, with one caller.
    pub(crate) background_us: Option<f64>,
}

/// Ours beside one peer in one operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) operation: String,
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

/// The names of the rows.
pub(crate) fn rows() -> [&'static str; 6] {
    ROWS.each_ref().map(|row| row.name)
}

/// Runs every row that the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for row in ROWS.iter().filter(|row| plan.wants(Part::Engine, row.name)) {
        eprintln!(" {}", row.name);
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
        operation: row.name.to_owned(),
        ours: figures(ours),
        peer: figures(peer),
        ratio: ours.ratio(peer),
        p50_ratio: (row.writers == 1).then(|| peer.p50_us() / ours.p50_us()),
        at_least,
    })
}

fn figures(series: &Series) -> Figures {
    Figures {
        contender: series.entry.name().to_owned(),
        per_second: series.per_second(),
        p50_us: series.p50_us(),
        background_us: series.background_us(),
    }
}

/// The table.
pub(crate) fn markdown(comparisons: &[Comparison]) -> String {
    let mut text = String::from(
        "| operation, in process | ours /s | p50 µs | background µs | peer | peer /s | p50 µs | ours ÷ peer | at least | | \
         by p50 |\n|---|--:|--:|--:|---|--:|--:|--:|--:|---|--:|\n",
    );
    for comparison in comparisons {
        let Comparison { operation, ours, peer, ratio, p50_ratio, at_least } = comparison;
        let (own_rate, own_p50) = pair(ours);
        let (rate, p50) = pair(peer);
        let ratio = format!("{ratio:.2}");
        let at_least = at_least.to_string();
        let mark = mark(Some(comparison.is_reached()));
        let by_p50 = p50_ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let background = ours.background_us.map_or(String::new(), |time| format!("{time:.1}"));
        let name = &*peer.contender;
        let cells = [
            &**operation,
            &*own_rate,
            &own_p50,
            &background,
            name,
            &rate,
            &p50,
            &ratio,
            &at_least,
            mark,
            &by_p50,
        ];
        line(&mut text, &cells);
    }
    text.push('\n');
    text
}

fn pair(figures: &Figures) -> (String, String) {
    (grouped(figures.per_second), format!("{:.1}", figures.p50_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_marked() {
        let figures = |contender: &str, background_us| Figures {
            contender: contender.to_owned(),
            per_second: 1_234_567.0,
            p50_us: 1.25,
            background_us,
        };
        let comparison = |ratio: f64, p50_ratio: Option<f64>| Comparison {
            operation: "GetItem".to_owned(),
            ours: figures("ours", p50_ratio.map(|_| 0.4)),
            peer: figures("peer", None),
            ratio,
            p50_ratio,
            at_least: 8.0,
        };
        let text = markdown(&[comparison(8.0, Some(9.0)), comparison(7.9, None)]);
        assert!(text.contains("| 1,234,567 | 1.2 | 0.4 | peer |"), "{text}");
        assert!(text.contains("| 8.00 | 8 | ✓ | 9.00 |"), "{text}");
        assert!(text.contains("| 7.90 | 8 | ✗ missed |  |"), "{text}");
    }
}
