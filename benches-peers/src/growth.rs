//! Cost must grow with the answer, not with the table: Get, Query and Put at growing sizes, each on random keys.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::args::Plan;
use crate::contenders::Entry;
use crate::duel::Arena;
use crate::workload::Workload;

/// The workload on a table of this many items.
type Scaled = fn(items: u64) -> Workload;

const OPERATIONS: [(&str, Scaled); 3] = [
    ("GetItem", |items| Workload::Get { items }),
    ("Query of 20", |items| Workload::Query { items }),
    ("PutItem", |items| Workload::Put { items }),
];

/// One operation of one contender at one size.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Point {
    pub(crate) operation: &'static str,
    pub(crate) contender: &'static str,
    pub(crate) items: u64,
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
}

/// Every operation at every size of the plan.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for items in &plan.growth {
        eprintln!("growth: loading {items} items");
        let arena = Arena::open(folder, &[Entry::OursMemory, Entry::DynoxideMemory], *items)?;
        for (operation, workload) in OPERATIONS {
            eprintln!("growth: {operation} among {items} items");
            let series = arena.run(plan, workload(*items), 1)?;
            points.extend(series.iter().map(|series| Point {
                operation,
                contender: series.entry.name(),
                items: *items,
                per_second: series.per_second(),
                p50_us: series.p50_us(),
            }));
        }
    }
    Ok(points)
}
