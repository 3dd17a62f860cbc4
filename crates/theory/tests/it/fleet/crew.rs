//! The fleet as its test has it: three workers, what is done to them, and the reader who checks the laws meanwhile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use facetheory::freshness::{Freshness, Purged, freshness};
use facetheory::meta::Look;
use facetheory::{Bodies, Isr, MetaStore, Policy, Purge};
use tabletheory::Model as _;
use tabletheory::stream::Reader;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, Seconds};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::orders::{FleetPage, LEASE_SECONDS, Orders, PAGES};
use super::process::Worker;
use crate::cache;
use crate::laws::{Laws, version};
use crate::server::Server;

/// By how many seconds the clocks of the workers are wrong.
const SKEWS: [i64; 3] = [0, 90, -90];

/// A worker that is stopped for so long has lost its lease, whose end is a whole second.
const STOP_SECONDS: u32 = LEASE_SECONDS + 2;

/// The fleet.
pub(super) struct Crew {
    workers: Vec<Worker>,
    /// The orders of workers that were killed and not replaced yet.
    dead: Vec<Orders>,
    faketime: PathBuf,
    origin: PathBuf,
    version: u64,
    isr: Isr,
    laws: Laws,
    stream: Reader,
    /// The highest generation that was read of each page.
    read: BTreeMap<&'static str, u64>,
    kills: usize,
    stops: usize,
    _server: Server,
    _folder: TempDir,
}

impl Crew {
    /// Three workers, an endpoint, and an origin that shows version 1.
    pub(super) async fn start(faketime: PathBuf) -> Self {
        let server = Server::dynamodb(&["--memory"]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (origin, bodies) = (folder.path().join("origin"), folder.path().join("bodies"));
        let db = cache::connect(&server.address).await;
        let stream = cache::create_watched_table(&db).await;
        let opened = Bodies::folder(&bodies).expect("a folder for bodies");
        let orders = SKEWS.map(|skew| Orders {
            endpoint: server.address.clone(),
            bodies: bodies.clone(),
            origin: origin.clone(),
            said: folder.path().join(format!("said by {skew}")),
            skew,
            now_ms: 0,
        });
        let mut crew = Self {
            workers: Vec::new(),
            dead: orders.into(),
            faketime,
            origin,
            version: 0,
            laws: Laws::new(&opened),
            isr: Isr::new(MetaStore::new(db), opened),
            stream,
            read: BTreeMap::new(),
            kills: 0,
            stops: 0,
            _server: server,
            _folder: folder,
        };
        crew.edit();
        crew.replace_the_dead();
        crew
    }

    /// The origin shows something new from now on, all of it at once.
    pub(super) fn edit(&mut self) -> u64 {
        self.version += 1;
        let draft = self.origin.with_extension("draft");
        std::fs::write(&draft, self.version.to_string()).expect("a file is written");
        std::fs::rename(&draft, &self.origin).expect("a file is renamed");
        self.version
    }

    /// Ends one of those that run, in the middle of what it does.
    pub(super) fn kill(&mut self, number: usize) {
        let worker = self.runner(number);
        self.dead.push(self.workers.remove(worker).kill());
        self.kills += 1;
    }

    /// Stops one of those that run, for longer than its lease.
    pub(super) fn stop(&mut self, number: usize) {
        let worker = self.runner(number);
        self.workers[worker].stop_for(STOP_SECONDS);
        self.stops += 1;
    }

    /// Purges a page. The origin shows something new before, so that what is older can be told from what is not.
    pub(super) async fn purge(&mut self, page: &FleetPage, is_gone: bool) {
        let version = self.edit();
        let partition = self.isr.meta().partition(&page.key()).expect("a partition");
        self.laws.will_purge(partition.as_str(), version);
        let purge = if is_gone { Purge::Gone } else { Purge::Stale };
        self.isr.invalidate(&page.key(), purge).await.expect("a purge");
    }

    /// Starts workers with the orders of those that were killed.
    pub(super) fn replace_the_dead(&mut self) {
        for orders in self.dead.drain(..) {
            let orders = Orders { now_ms: SystemClock.now().millis(), ..orders };
            self.workers.push(Worker::start(orders, &self.faketime));
        }
    }

    /// Nobody is dead and nobody stopped any more.
    pub(super) async fn calm(&mut self) {
        self.replace_the_dead();
        while self.workers.iter_mut().any(Worker::is_stopped) {
            self.look_for(Duration::from_millis(200)).await;
        }
    }

    /// Checks the laws for so long.
    pub(super) async fn look_for(&mut self, span: Duration) {
        let end = Instant::now() + span;
        while Instant::now() < end {
            self.look().await;
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until every page is fresh with this version or a newer one, and every worker has served it.
    pub(super) async fn until_everybody_serves(&mut self, version: u64, patience: Duration) {
        let begun = Instant::now();
        let mut fresh = BTreeMap::new();
        loop {
            for (page, is_fresh) in self.look().await {
                if is_fresh.is_some_and(|content| content >= version) {
                    fresh.entry(page).or_insert_with(|| begun.elapsed());
                }
            }
            let waits: Vec<_> = self.workers.iter().flat_map(|worker| missing(worker, version)).collect();
            if fresh.len() == PAGES.len() && waits.is_empty() {
                eprintln!(
                    "fresh with version {version} after {fresh:?}, served by all after {:?}",
                    begun.elapsed()
                );
                return;
            }
            assert!(begun.elapsed() < patience, "fresh are only {fresh:?}; not yet served {waits:?}");
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Reads every page as any reader does, and what was recorded since. Tells which are fresh, and with what version.
    async fn look(&mut self) -> Vec<(&'static str, Option<u64>)> {
        self.laws.follow(&mut self.stream).await;
        let mut found = Vec::new();
        for page in PAGES {
            let partition = self.isr.meta().partition(&page.key()).expect("a partition");
            let look = self.isr.meta().watch(&partition).await.expect("the endpoint answers");
            assert!(!look.malformed, "every row can be read");
            found.push((page.path, self.read(page, &look).await));
        }
        for worker in &mut self.workers {
            assert!(worker.is_alive(), "a worker ended by itself: {worker:?}");
        }
        found
    }

    async fn read(&mut self, page: FleetPage, look: &Look) -> Option<u64> {
        if let Some(lock) = &look.lock {
            let done = self.laws.has_published(&lock.pk, &lock.lease_token);
            assert!(!done, "{}: a lease under which a page was published goes on", page.path);
        }
        let meta = look.meta.as_ref()?;
        let generation = meta.generation.expect("all that publish here count");
        let before = self.read.insert(page.path, generation).unwrap_or(0);
        assert!(generation >= before, "{}: generation {generation} was read after {before}", page.path);
        let content = self.laws.content(&meta.to_item().expect("what was read can be written")).await;
        // By the right clock, and with the fleet's clocks in mind.
        let policy = Policy { clock_skew: Seconds(300), ..page.policy() };
        let state = freshness(meta.lifetime(), Purged::No, SystemClock.now(), &policy);
        (state == Freshness::Fresh).then(|| version(&content))
    }

    /// Ends the fleet. Something must have happened to it, or nothing is shown.
    pub(super) async fn end(mut self) {
        let said: Vec<String> = self.workers.iter().map(Worker::said).collect();
        self.workers.clear();
        self.laws.follow(&mut self.stream).await;
        let (mut takeovers, mut purges) = (0, 0);
        for page in PAGES {
            let partition = self.isr.meta().partition(&page.key()).expect("a partition");
            let past = self.laws.past(partition.as_str());
            let told = format!("event {} published\n", page.path);
            let told: usize = said.iter().map(|said| said.matches(&told).count()).sum();
            let published = past.publishes.len();
            // A worker may be killed before it says so; it never says what was not done.
            assert!(
                (1..=published).contains(&told),
                "{}: {told} of {published} publishes were told",
                page.path
            );
            (takeovers, purges) = (takeovers + past.takeovers, purges + past.purges);
            eprintln!(
                "{}: {published} publishes, {} takeovers, {} purges",
                page.path, past.takeovers, past.purges
            );
        }
        let count = |word: &str| said.iter().map(|said| said.matches(word).count()).sum::<usize>();
        let (served, failed, lost) = (count("served "), count("failed "), count("lease-lost"));
        eprintln!(
            "{} kills, {} stops, {served} visitors served, {failed} not, {lost} leases lost",
            self.kills, self.stops
        );
        assert!(self.kills > 0 && self.stops > 0 && takeovers > 0 && purges > 0, "there was no trouble");
    }

    /// The worker at `number`, or the first after it that runs.
    fn runner(&mut self, number: usize) -> usize {
        let count = self.workers.len();
        let order = (0..count).map(|step| (number + step) % count);
        order.into_iter().find(|worker| !self.workers[*worker].is_stopped()).expect("one of them runs")
    }
}

/// The pages that a worker has not served with this version yet.
fn missing(worker: &Worker, newest: u64) -> Vec<String> {
    let said = worker.said();
    let has_served = |page: &FleetPage| {
        let begins = format!("served {} ", page.path);
        let mut served = said.lines().rev().filter_map(|line| line.strip_prefix(&begins)?.split_once(' '));
        served.next().is_some_and(|(_, content)| version(content) >= newest)
    };
    PAGES
        .iter()
        .filter(|page| !has_served(page))
        .map(|page| format!("{} by {}", page.path, worker.name()))
        .collect()
}
