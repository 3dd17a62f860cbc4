//! A page that expires in front of many visitors, with several instances of each cache: how often does the origin render it?

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Scene};
use super::origin::Origin;
use super::ours::Keeps;
use super::page::Page;
use super::quota::{self, Quota};
use super::wrk;
use crate::args::Plan;
use crate::http::list_tables;
use crate::markdown::{grouped, line, mark};
use crate::server::Server;

pub(crate) const ROW: &str = "fleet, expiring page";
const INSTANCES: [u32; 4] = [1, 2, 4, 8];
const QUICK_INSTANCES: [u32; 2] = [1, 4];
const VISITORS: u32 = 104;
const EXPIRIES_AT_MOST: u32 = 2;
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Herd {
    pub(crate) server: String,
    pub(crate) instances: u32,
    /// For the page that nobody had asked for before.
    pub(crate) cold: u64,
    /// For each expiry.
    pub(crate) expiries: Vec<u64>,
    /// Answers to the visitors.
    pub(crate) answers: u64,
    /// The same for a second of their visits.
    pub(crate) answers_per_second: f64,
    /// How many of them were no success.
    pub(crate) refused: u64,
    /// At most so many are expected for one expiry, of ours.
    pub(crate) at_most: Option<u64>,
    /// What all instances together let through of one limit, of ours.
    pub(crate) quota: Option<Quota>,
}

impl Herd {
    /// Whether that held every time.
    pub(crate) fn is_kept(&self) -> Option<bool> {
        let renders = |at_most| self.expiries.iter().all(|renders| *renders <= at_most);
        let is_exact = self.quota.as_ref().is_none_or(Quota::is_exact);
        self.at_most.map(|at_most| renders(at_most) && self.cold <= at_most && self.refused == 0 && is_exact)
    }
}

/// Runs one cache after the other: their visitors would meet on the same processors.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Herd>> {
    let (entries, _) = Entry::present(plan, &[Entry::Nginx, Entry::Varnish, Entry::Ours])?;
    let counts: &[u32] = if plan.is_quick { &QUICK_INSTANCES } else { &INSTANCES };
    let mut herds = Vec::new();
    for instances in counts {
        for entry in &entries {
            let herd = watch(plan, folder, *entry, *instances)
                .with_context(|| format!("a fleet of {instances} {}", entry.name()))?;
            eprintln!(
                "  {instances} of {:<16} cold {}, expiries {:?}, {:?}",
                herd.server, herd.cold, herd.expiries, herd.quota
            );
            herds.push(herd);
        }
    }
    Ok(herds)
}

fn watch(plan: &Plan, folder: &Path, entry: Entry, instances: u32) -> Result<Herd> {
    let origin = Origin::start(&tempfile::tempdir_in(folder)?.keep(), FRESH_S, RENDER)?;
    let fleet = Fleet::start(plan, folder, entry, instances, &origin)?;
    let mut herd = Herd {
        server: entry.name().to_owned(),
        instances,
        cold: 0,
        expiries: Vec::new(),
        answers: 0,
        answers_per_second: 0.0,
        refused: 0,
        at_most: (entry == Entry::Ours).then_some(1),
        quota: None,
    };
    herd.cold = fleet.visit(&origin, &mut herd)?;
    let expiries = if plan.is_quick { 1 } else { plan.rounds.min(EXPIRIES_AT_MOST) };
    for _ in 0..expiries {
        // Whoever rendered last did so before the visitors left.
        std::thread::sleep(Duration::from_secs(FRESH_S));
        let renders = fleet.visit(&origin, &mut herd)?;
        herd.expiries.push(renders);
    }
    herd.answers_per_second = herd.answers as f64 / (f64::from(expiries + 1) * VISIT_S as f64);
    if entry == Entry::Ours {
        herd.quota = Some(quota::spend(&fleet.servers)?);
    }
    Ok(herd)
}

/// The instances of one cache; ours share a store, which ends after them.
struct Fleet {
    servers: Vec<Server>,
    _store: Option<Server>,
}

impl Fleet {
    fn start(plan: &Plan, folder: &Path, entry: Entry, instances: u32, origin: &Origin) -> Result<Self> {
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
        for _ in 0..instances {
            servers.push(entry.start(plan, &tempfile::tempdir_in(folder)?.keep(), &scene)?);
        }
        Ok(Self { servers, _store: store })
    }

    /// Lets the visitors come, an equal part of them to each instance, and counts renders until all is quiet.
    fn visit(&self, origin: &Origin, herd: &mut Herd) -> Result<u64> {
        let page = Page::of_origin(BYTES);
        let each = VISITORS / herd.instances;
        let before = origin.renders()?;
        let visits: Result<Vec<_>> = self
            .servers
            .iter()
            .map(|server| wrk::start(&page.url(server.address()), each, VISIT_S))
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

/// The table.
pub(crate) fn markdown(herds: &[Herd]) -> String {
    let mut text = format!(
        "| instances, {VISITORS} visitors | server | renders of a cold page | renders at each expiry | at most | answers /s | \
         answers | failed | let through by one limit | |\n|--:|---|--:|--:|--:|--:|--:|--:|--:|---|\n"
    );
    for herd in herds {
        let passed =
            |quota: &Quota| format!("{} of {}", grouped(quota.allowed as f64), grouped(quota.limit as f64));
        let cells = [
            herd.instances.to_string(),
            herd.server.clone(),
            herd.cold.to_string(),
            herd.expiries.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
            herd.at_most.map(|at_most| at_most.to_string()).unwrap_or_default(),
            grouped(herd.answers_per_second),
            grouped(herd.answers as f64),
            herd.refused.to_string(),
            herd.quota.as_ref().map(passed).unwrap_or_default(),
            mark(herd.is_kept()).to_owned(),
        ];
        line(&mut text, &cells.each_ref().map(String::as_str));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_render_too_many_is_seen() {
        let herd = |cold, expiries: &[u64], refused| Herd {
            server: "ours".to_owned(),
            instances: 4,
            cold,
            expiries: expiries.to_vec(),
            answers: 100,
            answers_per_second: 50.0,
            refused,
            at_most: Some(1),
            quota: None,
        };
        assert_eq!(herd(1, &[1, 1], 0).is_kept(), Some(true));
        assert_eq!(herd(1, &[1, 2], 0).is_kept(), Some(false));
        assert_eq!(herd(4, &[1, 1], 0).is_kept(), Some(false));
        assert_eq!(herd(1, &[1, 1], 5).is_kept(), Some(false));
        assert_eq!(Herd { at_most: None, ..herd(4, &[4], 0) }.is_kept(), None);
        let quota = Some(Quota { limit: 1000, allowed: 1001, denied: 7 });
        let generous = Herd { quota, ..herd(1, &[1], 0) };
        assert_eq!(generous.is_kept(), Some(false));
        assert!(
            markdown(&[generous])
                .contains("| 4 | ours | 1 | 1 | 1 | 50 | 100 | 0 | 1,001 of 1,000 | ✗ missed |")
        );
    }
}
