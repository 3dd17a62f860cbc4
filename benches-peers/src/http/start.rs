//! How soon a server answers after its process began, and how much memory it holds when nobody asks anything.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use crate::args::Plan;
use crate::duel::median;

pub(crate) const MILLISECONDS_AT_MOST: f64 = 50.0;
pub(crate) const MEGABYTES_AT_MOST: f64 = 30.0;
/// After the first answer, so that what the start left to be done is done.
const IDLE: Duration = Duration::from_millis(500);

/// One server's start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) contender: String,
    /// From the start of the process to its first answer, median.
    pub(crate) ms: f64,
    /// Resident memory when idle, median.
    pub(crate) rss_mb: f64,
    pub(crate) threads: f64,
    /// Whether it is ours, which has a target.
    pub(crate) is_ours: bool,
}

impl Start {
    /// Whether both targets were reached.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        self.is_ours.then_some(self.ms < MILLISECONDS_AT_MOST && self.rss_mb < MEGABYTES_AT_MOST)
    }
}

/// Starts every server as often as there are rounds, each time in an empty folder.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Start>> {
    let mut starts = Vec::new();
    for entry in Entry::ENDPOINTS.into_iter().filter(|entry| entry.is_here(plan)) {
        let (mut ms, mut rss_mb, mut threads) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let home = tempfile::tempdir_in(folder)?.keep();
            let server = entry.start(plan, &home)?;
            std::thread::sleep(IDLE);
            ms.push(server.start_time().as_secs_f64() * 1000.0);
            rss_mb.push(server.process().rss_mb()?);
            threads.push(server.process().threads()?);
        }
        let start = Start {
            contender: entry.name().to_owned(),
            ms: median(ms),
            rss_mb: median(rss_mb),
            threads: median(threads),
            is_ours: entry == Entry::Ours,
        };
        eprintln!("  {:<24} {:>10.1} ms {:>7.1} MB", start.contender, start.ms, start.rss_mb);
        starts.push(start);
    }
    Ok(starts)
}
