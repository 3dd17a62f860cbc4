//! One run of a seed: chaos for some minutes, then calm, and what must be true at the end.

use std::sync::Arc;
use std::time::Duration;

use facetheory::Bodies;
use facetheory::meta::{Group, Intent, Purge, Rollback};
use http::Method;
use local_objects::Troubled;
use tabletheory::testing::TestStore;
use tabletheory_core::{Clock as _, Seconds, Timestamp};
use tokio::time::sleep;

use super::origin::{Origin, PAGES, TAGS};
use super::stage::{OwnClock, Stage};
use super::visitor::{LEASE, OFF_MS_MAX, Visitor, policy};
use super::warehouse::Warehouse;
use super::wire::Wire;
use super::witness::{Purged, Scope, Witness};
use super::worker::Worker;

const WORKERS: usize = 4;
const STEPS: u64 = 110;
/// Intents have so many different keys.
const INTENTS: u64 = 12;

/// Everything in one run.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) stage: Arc<Stage>,
    pub(super) origin: Arc<Origin>,
    pub(super) witness: Arc<Witness>,
    pub(super) warehouse: Arc<Warehouse>,
    pub(super) store: TestStore,
    pub(super) workers: Vec<Arc<Worker>>,
    visitors: u64,
}

impl Play {
    pub(super) async fn new(seed: u64) -> Self {
        let stage = Stage::new(seed);
        let origin = Origin::new(&stage, LEASE.0.unsigned_abs() * 1000);
        let warehouse = Warehouse::new(&stage);
        let store = TestStore::new();
        let witness = Witness::new(&stage, &origin, &warehouse, &store);
        witness.rows().create_table().await.unwrap();
        let bodies = Bodies::over(Arc::new(Troubled(Arc::clone(&warehouse))));
        let workers = (0..WORKERS).map(|index| {
            let clock = OwnClock::new(&stage, off_ms(&stage));
            let wire =
                Wire { stage: Arc::clone(&stage), store: store.clone(), witness: Arc::clone(&witness) };
            Worker::start(index, seed, clock, wire, bodies.clone(), &origin)
        });
        let workers = workers.collect();
        Self { stage, origin, witness, warehouse, store, workers, visitors: 0 }
    }

    /// Chaos.
    pub(super) async fn chaos(&mut self) -> Result<(), String> {
        for step in 0..STEPS {
            sleep(self.stage.span(50, 4_000)).await;
            self.step();
            self.stage.count("steps");
            // Each transaction is looked at when it is done; the rest of the rows changes slowly.
            if step % 10 == 0 {
                self.witness.look_around();
            }
            self.check()?;
        }
        Ok(())
    }

    /// # Errors
    /// The first broken law.
    pub(super) fn check(&self) -> Result<(), String> {
        self.stage.broken().first().map_or(Ok(()), |law| Err(law.clone()))
    }

    fn step(&mut self) {
        match self.stage.roll(100) {
            0..=49 => {
                let place = self.any_place();
                for _ in 0..=self.stage.roll(3) {
                    self.visit(place);
                }
            }
            50..=61 => {
                let place = self.any_place();
                for _ in 0..6 {
                    self.visit(place);
                }
            }
            62..=73 => {
                let place = self.any_place();
                self.stage.count("edits");
                self.origin.edit(place);
            }
            74..=82 => self.purge(),
            83..=84 => self.roll_back(),
            85..=88 => {
                self.stage.count("stops");
                let worker = self.any_worker();
                self.stage.note(format_args!("worker {} stops", worker.index));
                worker.stop(self.stage.span(500, 15_000));
            }
            89..=91 => {
                self.stage.count("crashes");
                let worker = self.any_worker();
                self.stage.note(format_args!("worker {} dies", worker.index));
                worker.restart();
            }
            92..=94 => {
                self.stage.count("clock jumps");
                let worker = self.any_worker();
                let off_ms = off_ms(&self.stage);
                self.stage.note(format_args!("worker {} is {off_ms} ms off", worker.index));
                worker.clock.jump_to(off_ms);
            }
            95..=96 => self.sweep(),
            97..=98 => {
                self.stage.count("storms");
                self.stage.note("a storm");
                self.stage.storm(self.stage.span(2_000, 20_000));
            }
            _ => {
                self.stage.count("upkeeps");
                self.upkeep();
            }
        }
    }

    /// Rows whose time to live is over go.
    pub(super) fn upkeep(&self) {
        self.store.clock().set(self.stage.now());
        self.store.advance(Seconds(0));
    }

    fn any_place(&self) -> usize {
        usize::try_from(self.stage.roll(PAGES as u64)).unwrap()
    }

    fn any_worker(&self) -> Arc<Worker> {
        Arc::clone(&self.workers[usize::try_from(self.stage.roll(WORKERS as u64)).unwrap()])
    }

    fn visit(&mut self, place: usize) {
        let (stage, worker) = (Arc::clone(&self.stage), self.any_worker());
        let method = match stage.roll(20) {
            0 => Method::POST,
            1..=2 => Method::HEAD,
            _ => Method::GET,
        };
        let visitor = self.visitor(place, &worker, method);
        let mut visit = visitor.visit(&self.origin);
        if stage.chance(15) {
            // Now and then the same intent comes with other inputs.
            let inputs: &[&[u8]] = if stage.chance(10) { &[b"other"] } else { &[b"same"] };
            visit =
                visit.intent(Intent::from_message_id(stage.roll(INTENTS).to_be_bytes()).with_inputs(inputs));
            stage.count("visits with an intent");
        }
        let leaves_after = stage.chance(15).then(|| stage.span(10, 3_000));
        worker.visit(visitor, visit, leaves_after);
    }

    /// Somebody who comes now.
    pub(super) fn visitor(&mut self, place: usize, worker: &Worker, method: Method) -> Visitor {
        self.visitors += 1;
        self.stage.count("visits");
        let visitor = Visitor {
            number: self.visitors,
            place,
            at: worker.identity(),
            method,
            policy: policy(&self.stage),
            came: self.stage.now(),
            came_by_worker: worker.clock.now(),
            jumps: worker.clock.jumps(),
        };
        self.stage.note(format_args!(
            "visitor {} {} page {place} at worker {:?}",
            visitor.number, visitor.method, visitor.at
        ));
        visitor
    }

    fn purge(&self) {
        let (stage, witness, worker) =
            (Arc::clone(&self.stage), Arc::clone(&self.witness), self.any_worker());
        let (place, origin, isr) = (self.any_place(), Arc::clone(&self.origin), worker.isr());
        let gone = stage.chance(50);
        let purge = if gone { Purge::Gone } else { Purge::Stale };
        let tag = TAGS[usize::try_from(stage.roll(2)).unwrap()];
        let (scope, name) = match stage.roll(10) {
            0..=4 => (Scope::Place(place), "purges of a page"),
            5..=6 => (Scope::Tag(place, tag), "purges of a tag"),
            7..=8 => (Scope::Path(place, origin.places[place].path), "purges of a path"),
            _ => (Scope::All(place), "purges of everything"),
        };
        let by = worker.identity();
        worker.spawn(async move {
            let begun = stage.now();
            let subject = &origin.places[place];
            let tenant = subject.tenant.as_ref();
            let answer = match scope {
                Scope::Place(_) => isr.invalidate(&subject.key, purge).await,
                Scope::Tag(_, tag) => isr.invalidate_group(tenant, Group::Tag(tag), purge).await,
                Scope::Path(_, path) => {
                    isr.invalidate_group(tenant, Group::Path(path.as_bytes()), purge).await
                }
                Scope::All(_) => isr.invalidate_group(tenant, Group::All, purge).await,
            };
            match answer {
                Ok(_) => {
                    stage.count(name);
                    let purged = Purged { scope, gone, begun, acked: stage.now(), by };
                    stage.note(format_args!("{purged:?}"));
                    witness.purged(purged);
                }
                Err(error) => {
                    stage.count("purges that failed");
                    stage.note(format_args!("{scope:?} was not purged: {error}"));
                }
            }
        });
    }

    fn roll_back(&self) {
        let (stage, witness, worker) =
            (Arc::clone(&self.stage), Arc::clone(&self.witness), self.any_worker());
        let (place, origin, isr) = (self.any_place(), Arc::clone(&self.origin), worker.isr());
        worker.spawn(async move {
            let Ok(versions) = isr.meta().versions(witness.partition(place), None).await else { return };
            let choices = versions.versions;
            if choices.is_empty() {
                return;
            }
            let chosen = &choices[usize::try_from(stage.roll(choices.len() as u64)).unwrap()];
            let etag = chosen.etag.clone().unwrap_or_default();
            // Until it is answered, it may happen at any time.
            let at = witness.may_show(etag);
            match isr.rollback(&origin.places[place].key, &chosen.id, Seconds(5)).await {
                Ok(Rollback::Shown(_)) => {
                    stage.count("rollbacks");
                    witness.settled(at, stage.now());
                }
                Ok(_) => {
                    stage.count("rollbacks that lost");
                    witness.settled(at, stage.now());
                }
                Err(_) => stage.count("rollbacks that failed"),
            }
        });
    }

    fn sweep(&self) {
        let (stage, worker) = (Arc::clone(&self.stage), self.any_worker());
        let isr = worker.isr();
        worker.spawn(async move {
            match isr.sweep().await {
                Ok(swept) => {
                    stage.count("sweeps");
                    stage.note(format_args!("{swept:?}"));
                    if swept.deleted > 0 {
                        stage.count("sweeps that deleted");
                    }
                }
                Err(_) => stage.count("sweeps that failed"),
            }
        });
    }

    /// Faults stop, and clocks agree.
    pub(super) fn calm(&self) -> Timestamp {
        self.stage.calm_down();
        for worker in &self.workers {
            worker.clock.jump_to(0);
            worker.go_on();
        }
        self.stage.note("calm");
        self.stage.now()
    }

    /// Lets time pass, and checks the laws.
    pub(super) async fn wait(&self, span: Duration) -> Result<(), String> {
        sleep(span).await;
        self.witness.look_around();
        self.check()
    }
}

/// How far a clock is off, by the dice: often a little, and up to the most there can be.
fn off_ms(stage: &Stage) -> i64 {
    let most_ms = if stage.chance(50) { 3_000 } else { OFF_MS_MAX };
    i64::try_from(stage.roll(2 * most_ms.unsigned_abs() + 1)).unwrap() - most_ms
}
