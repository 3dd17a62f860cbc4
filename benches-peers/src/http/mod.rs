//! Over HTTP: servers as processes of their own, one light load generator, the same items and operations as in process.

mod dialog;
mod entry;
mod load;
mod process;
mod request;
mod response;
mod rows;
mod server;
mod start;
mod table;
mod template;

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

pub(crate) use entry::{DYNOXIDE_SERVER, dynoxide_server};

use crate::args::Plan;

/// Everything that was measured over HTTP.
#[derive(Debug, Default, Serialize)]
pub(crate) struct OverHttp {
    pub(crate) comparisons: Vec<rows::Comparison>,
    pub(crate) starts: Vec<start::Start>,
}

/// Runs what the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<OverHttp> {
    let starts = if plan.wants("over http: start") { start::run(plan, folder)? } else { Vec::new() };
    Ok(OverHttp { comparisons: rows::run(plan, folder)?, starts })
}
