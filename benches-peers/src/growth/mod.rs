//! Cost must grow with the answer, not with the table: reads and writes at growing sizes. Each contender is a process of its
//! own, so that its memory is its own too; they take turns inside each round.

mod runner;
mod table;

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use runner::Runner;
pub(crate) use runner::{CHILD, child_main};

use crate::args::Plan;
use crate::contenders::Entry;
use crate::duel::median;
use crate::workload::Workload;

pub(crate) const ROW: &str = "growth of a table";
/// dynoxide holds its table in memory, and is filled at a fraction of the speed: further on, the run would wait for it alone.
const DYNOXIDE_ITEMS_MAX: u64 = 1_000_000;
const ROUNDS_AT_MOST: u32 = 3;
/// So many items are asked for again and again.
const HOT_ITEMS: u64 = 1000;

/// What is measured at each size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Get,
    GetHot,
    Query,
    Put,
}

impl Operation {
    const ALL: [Self; 4] = [Self::Get, Self::GetHot, Self::Query, Self::Put];

    /// As it stands in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GetItem, any item",
            Self::GetHot => "GetItem, 1,000 hot items",
            Self::Query => "Query of 20",
            Self::Put => "PutItem, any item",
        }
    }

    fn workload(self, items: u64) -> Workload {
        match self {
            Self::Get => Workload::Get { items },
            Self::GetHot => Workload::GetAmong { hot: HOT_ITEMS, items },
            Self::Query => Workload::Query { items },
            Self::Put => Workload::Put { items },
        }
    }
}

/// One operation of one contender at one size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) operation: String,
    pub(crate) contender: String,
    pub(crate) items: u64,
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
}

/// What a table of one size took.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Weight {
    pub(crate) contender: String,
    pub(crate) items: u64,
    pub(crate) loaded_per_second: f64,
    /// Resident memory of the process, when all was measured.
    pub(crate) rss_mb: f64,
    /// Of those who have files.
    pub(crate) disk_mb: Option<f64>,
}

/// The outcome.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Growth {
    pub(crate) points: Vec<Point>,
    pub(crate) weights: Vec<Weight>,
}

/// Every operation at every size of the plan.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Growth> {
    let mut growth = Growth::default();
    for items in plan.item_counts() {
        // A table of ten million items is gone before the next part begins.
        let home = tempfile::tempdir_in(folder)?;
        let mut runners = Vec::new();
        for entry in [Entry::OursMemory, Entry::RawFjallMemory, Entry::DynoxideMemory] {
            if entry == Entry::DynoxideMemory && items > DYNOXIDE_ITEMS_MAX {
                continue;
            }
            let runner = Runner::start(entry, &tempfile::tempdir_in(&home)?.keep(), items)
                .with_context(|| format!("{} with {items} items", entry.name()))?;
            eprintln!(
                "  {items:>9} items in {:<20} {:>9.0} a second",
                entry.name(),
                runner.loaded_per_second()
            );
            runners.push(runner);
        }
        for operation in Operation::ALL {
            growth.points.extend(meet(plan, &mut runners, operation, items)?);
        }
        for runner in &mut runners {
            growth.weights.push(runner.weigh(items)?);
        }
    }
    Ok(growth)
}

fn meet(plan: &Plan, runners: &mut [Runner], operation: Operation, items: u64) -> Result<Vec<Point>> {
    let mut series = vec![(Vec::new(), Vec::new()); runners.len()];
    for number in 0..=plan.rounds.min(ROUNDS_AT_MOST) {
        // The first round warms up and is not counted.
        let time = if number == 0 { plan.round_time / 4 } else { plan.round_time / 2 };
        for (runner, (rates, latencies)) in runners.iter_mut().zip(&mut series) {
            let sample = runner.round(operation, number, time)?;
            if number > 0 {
                rates.push(sample.per_second);
                latencies.push(sample.p50_us);
            }
        }
    }
    let point = |(runner, (rates, latencies)): (&Runner, (Vec<f64>, Vec<f64>))| {
        let point = Point {
            operation: operation.name().to_owned(),
            contender: runner.entry().name().to_owned(),
            items,
            per_second: median(rates),
            p50_us: median(latencies),
        };
        eprintln!("  {:<24} {:<20} {:>8.1} µs", point.operation, point.contender, point.p50_us);
        point
    };
    Ok(runners.iter().zip(series).map(point).collect())
}
