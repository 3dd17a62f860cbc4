//! A page that expires in front of many visitors, with several instances of each cache: how often does the origin render it?

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::entry::{Entry, Scene};
use super::origin::Origin;
use super::ours::Keeps;
use super::page::Page;
use super::wrk;
use crate::args::Plan;
use crate::http::list_tables;
use crate::server::Server;

pub(crate) const INSTANCES: u32 = 4;
pub(crate) const VISITORS: u32 = 100;
const NAME: &str = "pages: fleet, expiring page";
/// A page is fresh for longer than the visitors stay, so that one visit meets one expiry.
const FRESH_S: u64 = 3;
const VISIT_S: u64 = 1;
const RENDER: Duration = Duration::from_millis(300);
/// What is under way when the visitors leave ends in this time.
const SETTLE: Duration = Duration::from_millis(700);
const BYTES: usize = 10 * 1024;
/// Another page, with which an instance shows that it is there.
const FIRST_BYTES: usize = 64;

/// One cache's renders.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Herd {
    pub(crate) server: &'static str,
    /// For the page that nobody had asked for before.
    pub(crate) cold: u64,
    /// For each expiry.
    pub(crate) expiries: Vec<u64>,
    /// Answers to the visitors.
    pub(crate) answers: u64,
    /// How many of them were no success.
    pub(crate) refused: u64,
    /// At most so many are expected for one expiry, of ours.
    pub(crate) at_most: Option<u64>,
}

impl Herd {
    /// Whether that held every time.
    pub(crate) fn is_kept(&self) -> Option<bool> {
        let renders = |at_most| self.expiries.iter().all(|renders| *renders <= at_most);
        self.at_most.map(|at_most| renders(at_most) && self.cold <= at_most && self.refused == 0)
    }
}

/// Whether the plan wants this.
pub(crate) fn is_wanted(plan: &Plan) -> bool {
    plan.wants(NAME)
}

/// Runs one cache after the other: their visitors would meet on the same processors.
pub(crate) fn run(plan: &Plan, folder: &Path, entries: &[Entry]) -> Result<Vec<Herd>> {
    eprintln!("{NAME}");
    let mut herds = Vec::new();
    for entry in [Entry::Nginx, Entry::Varnish, Entry::Ours] {
        if !entries.contains(&entry) {
            continue;
        }
        let herd = watch(plan, folder, entry).with_context(|| format!("a fleet of {}", entry.name()))?;
        eprintln!("  {:<16} cold {}, expiries {:?}", herd.server, herd.cold, herd.expiries);
        herds.push(herd);
    }
    Ok(herds)
}

fn watch(plan: &Plan, folder: &Path, entry: Entry) -> Result<Herd> {
    let origin = Origin::start(&tempfile::tempdir_in(folder)?.keep(), FRESH_S, RENDER)?;
    let fleet = Fleet::start(plan, folder, entry, &origin)?;
    let mut herd = Herd {
        server: entry.name(),
        cold: 0,
        expiries: Vec::new(),
        answers: 0,
        refused: 0,
        at_most: (entry == Entry::Ours).then_some(1),
    };
    herd.cold = fleet.visit(&origin, &mut herd)?;
    for _ in 0..plan.rounds {
        // Whoever rendered last did so before the visitors left.
        std::thread::sleep(Duration::from_secs(FRESH_S));
        let renders = fleet.visit(&origin, &mut herd)?;
        herd.expiries.push(renders);
    }
    Ok(herd)
}

/// The instances of one cache; ours share a store, which ends after them.
struct Fleet {
    servers: Vec<Server>,
    _store: Option<Server>,
}

impl Fleet {
    fn start(plan: &Plan, folder: &Path, entry: Entry, origin: &Origin) -> Result<Self> {
        let store = match entry {
            Entry::Ours => Some(start_store(plan, &tempfile::tempdir_in(folder)?.keep())?),
            _ => None,
        };
        let bodies = tempfile::tempdir_in(folder)?.keep();
        let keeps = match &store {
            Some(store) => Keeps::Shared { endpoint: store.address(), bodies: &bodies },
            None => Keeps::Alone,
        };
        let scene = Scene { origin: origin.port(), fresh_s: FRESH_S, keeps, first_bytes: FIRST_BYTES };
        let mut servers = Vec::new();
        for _ in 0..INSTANCES {
            servers.push(entry.start(plan, &tempfile::tempdir_in(folder)?.keep(), &scene)?);
        }
        Ok(Self { servers, _store: store })
    }

    /// Lets the visitors come, an equal part of them to each instance, and counts renders until all is quiet.
    fn visit(&self, origin: &Origin, herd: &mut Herd) -> Result<u64> {
        let page = Page::of_origin(BYTES);
        let before = origin.renders()?;
        let visits: Result<Vec<_>> = self
            .servers
            .iter()
            .map(|server| wrk::start(&page.url(server.address()), VISITORS / INSTANCES, VISIT_S))
            .collect();
        for visit in visits? {
            let seen = visit.finish()?;
            ensure!(seen.requests > 0, "nothing was answered");
            herd.answers += seen.requests;
            herd.refused += seen.refused;
        }
        std::thread::sleep(SETTLE);
        Ok(origin.renders()? - before)
    }
}

/// The store that ours share: the product's own endpoint.
fn start_store(plan: &Plan, home: &Path) -> Result<Server> {
    let theory = plan.theory.as_deref().context("nobody said where `theory` is")?;
    Server::start(home, &list_tables(), |address| {
        let mut command = Command::new(theory);
        command.args(["dynamodb", "--memory", "--addr", &address.to_string()]);
        Ok(command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_render_too_many_is_seen() {
        let herd = |cold, expiries: &[u64], refused| Herd {
            server: "ours",
            cold,
            expiries: expiries.to_vec(),
            answers: 100,
            refused,
            at_most: Some(1),
        };
        assert_eq!(herd(1, &[1, 1], 0).is_kept(), Some(true));
        assert_eq!(herd(1, &[1, 2], 0).is_kept(), Some(false));
        assert_eq!(herd(4, &[1, 1], 0).is_kept(), Some(false));
        assert_eq!(herd(1, &[1, 1], 5).is_kept(), Some(false));
        assert_eq!(Herd { at_most: None, ..herd(4, &[4], 0) }.is_kept(), None);
    }
}
