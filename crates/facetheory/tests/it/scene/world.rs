//! The world of a scene: a store, objects, an origin, workers, and the commands that are more than a line.

use std::collections::BTreeMap;
use std::sync::Arc;

use facetheory::meta::Intent;
use facetheory::render::Renderer;
use facetheory::{KeyScheme, PageKey, Policy, Regenerated, Visit};
use tabletheory_core::{Clock as _, Seconds, Timestamp};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::answer::Answer;
use super::origin::Origin;
use super::time::SceneClock;
use super::words::Given;
use super::worker::{Fleet, Worker};

/// Everything a scene plays with.
#[derive(Debug)]
pub(super) struct World {
    pub(super) fleet: Fleet,
    pub(super) origin: Arc<Origin>,
    pub(super) policy: Policy,
    pub(super) drops_later: bool,
    pub(super) workers: BTreeMap<String, Worker>,
    /// A clock that is right.
    pub(super) clock: Arc<SceneClock>,
    /// When counters were reset last.
    pub(super) reset: Instant,
    /// Visitors who were not waited for yet.
    visitors: Vec<JoinHandle<Answer>>,
    /// Work beside answers, which begins when a visitor has been served.
    later: Arc<parking_lot::Mutex<Vec<JoinHandle<Regenerated>>>>,
}

impl World {
    pub(super) async fn new(latency: std::time::Duration) -> Self {
        let mut fleet = Fleet::new().await;
        fleet.latency = latency;
        Self {
            origin: Arc::new(Origin::new(fleet.tally.clone())),
            policy: Policy::fresh_for(Seconds(60)),
            drops_later: false,
            workers: BTreeMap::new(),
            clock: Arc::new(SceneClock::new(fleet.started)),
            reset: fleet.started,
            visitors: Vec::new(),
            later: Arc::default(),
            fleet,
        }
    }

    pub(super) fn worker(&mut self, name: &str) -> &mut Worker {
        let fleet = &self.fleet;
        self.workers.entry(name.to_owned()).or_insert_with(|| fleet.worker(name))
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The page that a command names: `/news tenant=acme query=page=2`.
    pub(super) fn page(&self, path: &str, given: &Given) -> PageKey {
        let rest = "x".repeat(given.option("long").map_or(0, |bytes| bytes.parse().expect("a number")));
        let mut key = match self.fleet.scheme {
            KeyScheme::Hashed if rest.is_empty() => PageKey::path(path),
            KeyScheme::Hashed => PageKey::path(path).query("long", rest),
            KeyScheme::Raw => PageKey::raw(format!("{path}{rest}")),
        };
        if let Some(tenant) = given.option("tenant") {
            key = key.tenant(tenant.parse().unwrap());
        }
        for query in given.all("query") {
            let (name, value) = query.split_once('=').expect("name=value");
            key = key.query(name, value);
        }
        key
    }

    /// Visitors come, all at once.
    pub(super) fn visit(&mut self, given: &Given) {
        let mut visit = Visit::to(self.page(given.at(1), given)).policy(self.policy.clone());
        if let Some(method) = given.option("method") {
            visit = visit.method(method.parse().unwrap());
        }
        if let Some(id) = given.option("intent") {
            let inputs: Vec<&[u8]> = given.all("input").map(str::as_bytes).collect();
            visit = visit.intent(Intent::from_request_id(id).with_inputs(&inputs));
        }
        let renderer: Arc<dyn Renderer> = Arc::clone(&self.origin) as _;
        let (later, drops_later) = (Arc::clone(&self.later), self.drops_later);
        let worker = self.worker(&given.worker);
        let mut visitors = Vec::new();
        for _ in 0..given.times {
            let (isr, process) = (worker.isr.clone(), worker.process.clone());
            let (visit, renderer, later) = (visit.clone(), Arc::clone(&renderer), Arc::clone(&later));
            visitors.push(worker.process.spawn(async move {
                let mut served = isr.serve(&visit, &renderer).await;
                let work = served.as_mut().ok().and_then(|served| served.later.take());
                if let Some(work) = work.filter(|_| !drops_later) {
                    later.lock().push(process.spawn(work.run()));
                }
                Answer::of(served)
            }));
        }
        self.visitors.append(&mut visitors);
    }

    /// The answers of all who came since this was last asked. Those whose worker was killed got none.
    pub(super) async fn answers(&mut self) -> Vec<Answer> {
        let mut answers = Vec::new();
        for visitor in std::mem::take(&mut self.visitors) {
            match visitor.await {
                Ok(answer) => answers.push(answer),
                Err(error) => assert!(error.is_cancelled(), "a visitor panicked: {error}"),
            }
        }
        answers
    }

    /// The first visitors who still wait go away.
    pub(super) fn leave(&mut self, how_many: usize) {
        self.visitors.drain(..how_many).for_each(|visitor| visitor.abort());
    }

    /// Waits until nothing is under way.
    pub(super) async fn settle(&mut self) {
        for visitor in &mut self.visitors {
            while !visitor.is_finished() {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        }
        loop {
            let Some(later) = self.later.lock().pop() else { break };
            if let Err(error) = later.await {
                assert!(error.is_cancelled(), "work beside an answer panicked: {error}");
            }
        }
    }

    /// Time passes, for the store too.
    pub(super) async fn advance(&self, span: std::time::Duration) {
        tokio::time::sleep(span).await;
        self.fleet.store.clock().set(self.now());
        self.fleet.store.advance(Seconds(0));
    }
}
