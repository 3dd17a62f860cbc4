//! Over HTTP: servers as processes of their own, one light load generator, the same items and operations as in process.

mod dialog;
mod entry;
mod load;
mod request;
mod round;
mod rows;
mod start;
mod table;
mod template;

use std::path::Path;

use anyhow::Result;

pub(crate) use entry::{DYNOXIDE_SERVER, dynoxide_server};
pub(crate) use request::list_tables;
pub(crate) use table::OverHttp;

use crate::args::Plan;

/// Runs what the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<OverHttp> {
    let starts = if plan.wants("over http: start and idle memory") {
        eprintln!("over HTTP: start and idle memory");
        start::run(plan, folder)?
    } else {
        Vec::new()
    };
    Ok(OverHttp { comparisons: rows::run(plan, folder)?, starts })
}
