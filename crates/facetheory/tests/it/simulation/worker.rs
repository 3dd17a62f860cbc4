//! A worker: a cache of its own with its own clock and memory. It can be stopped and go on, and die and come back.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use facetheory::meta::MetaSettings;
use facetheory::{Bodies, Event, Isr, IsrSettings, MetaStore, Observer, PageKey, Visit};
use parking_lot::Mutex;
use tabletheory::Db;
use tabletheory_core::{Clock, Seconds, SeededEntropy};
use tokio::task::AbortHandle;

use super::origin::{Origin, PAGES};
use super::stage::{OwnClock, Stage};
use super::visitor::{BELIEVED_MS, Meanwhile, Visitor};
use super::wire::Wire;

/// How old a body must be before it is swept: the longest way from a body's put to the end of its publish. That is a stop of
/// the worker, five attempts at the publish that are each as late as can be, and the difference of clocks, twice.
pub(super) const GRACE: Seconds = Seconds(180);

/// One worker.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) index: usize,
    pub(super) clock: Arc<OwnClock>,
    seed: u64,
    wire: Wire,
    bodies: Bodies,
    origin: Arc<Origin>,
    gate: Arc<Gate>,
    /// It counts how often the store failed for each page.
    failures: Arc<[AtomicU64; PAGES]>,
    life: Mutex<Life>,
}

/// What ends when the worker dies.
#[derive(Debug)]
struct Life {
    number: u64,
    isr: Isr,
    tasks: Vec<AbortHandle>,
}

/// Shut while the worker is stopped: nothing it does goes on.
#[derive(Debug, Default)]
struct Gate(Mutex<(bool, Vec<Waker>)>);

impl Worker {
    pub(super) fn start(
        index: usize,
        seed: u64,
        clock: OwnClock,
        wire: Wire,
        bodies: Bodies,
        origin: &Arc<Origin>,
    ) -> Arc<Self> {
        let failures = Arc::<[AtomicU64; PAGES]>::default();
        let clock = Arc::new(clock);
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(index as u64 * 1_009);
        let ears = Ears {
            stage: Arc::clone(&wire.stage),
            failures: Arc::clone(&failures),
            origin: Arc::clone(origin),
        };
        let isr = isr(&wire, &clock, &bodies, seed, ears);
        Arc::new(Self {
            index,
            clock,
            seed,
            wire,
            bodies,
            origin: Arc::clone(origin),
            gate: Arc::default(),
            failures,
            life: Mutex::new(Life { number: 0, isr, tasks: Vec::new() }),
        })
    }

    pub(super) fn isr(&self) -> Isr {
        self.life.lock().isr.clone()
    }

    /// The worker and which of its lives.
    pub(super) fn identity(&self) -> (usize, u64) {
        (self.index, self.life.lock().number)
    }

    /// Work that stops, goes on and ends with the worker.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let task = tokio::spawn(Gated { gate: Arc::clone(&self.gate), work: Box::pin(work) });
        let mut life = self.life.lock();
        life.tasks.retain(|task| !task.is_finished());
        life.tasks.push(task.abort_handle());
    }

    /// Stops for a while.
    pub(super) fn stop(self: &Arc<Self>, span: Duration) {
        self.gate.0.lock().0 = true;
        let gate = Arc::clone(&self.gate);
        tokio::spawn(async move {
            tokio::time::sleep(span).await;
            gate.open();
        });
    }

    pub(super) fn go_on(&self) {
        self.gate.open();
    }

    /// Dies, and comes back remembering nothing.
    pub(super) fn restart(&self) {
        let mut life = self.life.lock();
        life.tasks.drain(..).for_each(|task| task.abort());
        life.number += 1;
        let seed = self.seed.wrapping_add(life.number);
        let ears = Ears {
            stage: Arc::clone(&self.wire.stage),
            failures: Arc::clone(&self.failures),
            origin: Arc::clone(&self.origin),
        };
        life.isr = isr(&self.wire, &self.clock, &self.bodies, seed, ears);
        drop(life);
        self.gate.open();
    }

    /// Serves a visitor, who may go away.
    pub(super) fn visit(self: &Arc<Self>, visitor: Visitor, visit: Visit, leaves_after: Option<Duration>) {
        let (worker, isr) = (Arc::clone(self), self.isr());
        self.spawn(async move {
            let stage = Arc::clone(&worker.wire.stage);
            let failures = worker.failures[visitor.place].load(Ordering::Relaxed);
            let renderer = worker.origin.renderer(visitor.number);
            let serving = isr.serve(&visit, &renderer);
            let served = match leaves_after {
                None => serving.await,
                Some(span) => match tokio::time::timeout(span, serving).await {
                    Ok(served) => served,
                    Err(_) => return stage.count("visitors who left"),
                },
            };
            let meanwhile = Meanwhile {
                clock_jumped: visitor.jumps != worker.clock.jumps(),
                store_failed: failures != worker.failures[visitor.place].load(Ordering::Relaxed),
            };
            match served {
                Ok(mut served) => {
                    let number = visitor.number;
                    stage.note(format_args!(
                        "visitor {number} got {:?} {}",
                        served.page.headers().get("etag"),
                        served.state
                    ));
                    visitor.judge(&worker.wire.witness, &served, meanwhile);
                    if let Some(later) = served.later.take() {
                        if stage.chance(10) {
                            stage.count("regenerations that nobody ran");
                        } else {
                            worker.spawn(async move {
                                let regenerated = later.run().await;
                                stage.count(format!("regeneration: {regenerated:?}"));
                            });
                        }
                    }
                }
                Err(error) => {
                    stage.note(format_args!("visitor {} got an error: {error}", visitor.number));
                }
            }
        });
    }
}

fn isr(wire: &Wire, clock: &Arc<OwnClock>, bodies: &Bodies, seed: u64, ears: Ears) -> Isr {
    let db = Db::new(wire.clone())
        .with_clock(Arc::clone(clock) as Arc<dyn Clock>)
        .with_entropy(Arc::new(SeededEntropy::new(seed.wrapping_add(7).wrapping_mul(0xA24B_AED4_963E_E407))));
    let rows =
        MetaSettings { lock_buffer: Seconds(60), request_retention: Seconds(200), ..MetaSettings::default() };
    let settings = IsrSettings {
        meta_cache: Duration::from_millis(BELIEVED_MS.unsigned_abs()),
        known_bytes: 2 << 20,
        sweep_grace: GRACE,
        versions_kept: 3,
        ..IsrSettings::default()
    };
    // The same place, and nothing in memory.
    let bodies = bodies.clone().with_settings(Default::default()).unwrap();
    Isr::new(MetaStore::new(db).with_settings(rows), bodies)
        .with_settings(settings)
        .with_observer(Arc::new(ears))
}

/// Counts what happens.
#[derive(Debug)]
struct Ears {
    stage: Arc<Stage>,
    failures: Arc<[AtomicU64; PAGES]>,
    origin: Arc<Origin>,
}

impl Observer for Ears {
    fn saw(&self, page: Option<&PageKey>, event: &Event) {
        self.stage.count(match event {
            Event::Served(state) => format!("served: {state}"),
            Event::PublishLost(to) => format!("publish lost to {to:?}"),
            Event::NotKept(why) => format!("not kept: {}", why.as_str()),
            other => format!("event: {}", other.name()),
        });
        if let Event::StoreFailed { .. } | Event::StoreNotAwaited = event
            && let Some(place) =
                page.and_then(|page| self.origin.places.iter().position(|place| place.key == *page))
        {
            self.failures[place].fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Gate {
    fn open(&self) {
        let mut gate = self.0.lock();
        gate.0 = false;
        gate.1.drain(..).for_each(Waker::wake);
    }
}

/// Work that goes on only while the gate is open.
struct Gated {
    gate: Arc<Gate>,
    work: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Future for Gated {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        {
            let mut gate = self.gate.0.lock();
            if gate.0 {
                gate.1.push(context.waker().clone());
                return Poll::Pending;
            }
        }
        self.work.as_mut().poll(context)
    }
}
