//! Pages from a cache: ours beside the page caches that one would take otherwise, with the same bodies from the same origin,
//! and Next.js with pages of its own. `hit` measures what a cached page costs, `fleet` how often an expiring one is rendered.

mod accept;
mod bare_hyper;
mod body;
mod bound;
mod entry;
mod fleet;
mod hit;
mod machine;
mod next;
mod nginx;
mod origin;
mod ours;
mod page;
mod round;
mod table;
mod varnish;
mod wrk;

use std::path::Path;

use anyhow::Result;

pub(crate) use bare_hyper::{BARE_HYPER, bare_hyper_main};
pub(crate) use origin::{ORIGIN, origin_main};
pub(crate) use table::Pages;

use crate::args::Plan;
use entry::Entry;
use machine::Machine;

/// Runs what the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Pages> {
    let hits_wanted = hit::is_wanted(plan);
    if !hits_wanted && !fleet::is_wanted(plan) {
        return Ok(Pages::default());
    }
    wrk::version()?;
    let (entries, absent) = present(plan);
    Ok(Pages {
        machine: Some(Machine::of(plan, &entries)),
        absent,
        rows: if hits_wanted { hit::run(plan, folder, &entries)? } else { Vec::new() },
        herds: if fleet::is_wanted(plan) { fleet::run(plan, folder, &entries)? } else { Vec::new() },
    })
}

/// Who takes part, and who is missing and why: a table that lacks a peer has to say so.
fn present(plan: &Plan) -> (Vec<Entry>, Vec<String>) {
    let (mut entries, mut absent) = (Vec::new(), Vec::new());
    for entry in Entry::ALL {
        match entry.why_absent(plan) {
            None => entries.push(entry),
            Some(reason) => absent.push(format!("{} takes no part: {reason}", entry.name())),
        }
    }
    for line in &absent {
        eprintln!("!! {line}");
    }
    (entries, absent)
}
