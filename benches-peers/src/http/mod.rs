//! Over HTTP: servers as processes of their own, one light load generator, the same items and operations as in process.

mod bare_hyper;
pub(crate) mod dialog;
mod entry;
pub(crate) mod load;
mod request;
pub(crate) mod round;
mod rows;
mod start;
mod table;
mod template;

use std::path::Path;

use anyhow::Result;

pub(crate) use bare_hyper::{BARE_HYPER, bare_hyper_main};
pub(crate) use entry::{DYNOXIDE_SERVER, dynoxide_server};
pub(crate) use request::list_tables;
pub(crate) use table::OverHttp;

use crate::args::Plan;
use crate::part::Part;

const START: &str = "start and idle memory";

/// The names of the rows.
pub(crate) fn rows() -> Vec<&'static str> {
    std::iter::once(START).chain(rows::rows()).collect()
}

/// Runs what the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<OverHttp> {
    let starts = if plan.wants(Part::Http, START) {
        eprintln!(" {START}");
        start::run(plan, folder)?
    } else {
        Vec::new()
    };
    Ok(OverHttp { comparisons: rows::run(plan, folder)?, starts })
}
