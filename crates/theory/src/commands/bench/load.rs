//! The load: connections that ask, each one request after the other, until the time is over or somebody has seen enough.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use http_body_util::BodyExt as _;
use indicatif::ProgressBar;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

use super::connection::{Connection, Dialler};
use super::schedule::{Schedule, Turn};
use super::state;
use super::tally::{Answered, Tally};
use super::target::Target;
use crate::http::{Silence, root_of};

/// How long requests that are under way at the end get.
const GRACE: Duration = Duration::from_secs(2);
/// How long a connection that could not be made is left alone: nobody is helped by a thousand attempts in a second.
const REDIAL_AFTER: Duration = Duration::from_millis(100);
const BAR_EVERY: Duration = Duration::from_millis(100);

/// What is done.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) target: Arc<Target>,
    pub(super) dialler: Dialler,
    pub(super) connections: usize,
    pub(super) span: Duration,
    pub(super) rate: Option<u32>,
    /// How long an answer may take.
    pub(super) patience: Duration,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) tally: Tally,
    /// From the first request to the last answer.
    pub(super) took: Duration,
    /// Requests that should have begun by then and did not, because all connections were busy.
    pub(super) behind: u64,
}

struct Shared {
    plan: Plan,
    schedule: Schedule,
    tally: Mutex<Tally>,
}

impl Shared {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("nobody panics while counting")
    }
}

impl Plan {
    /// One request, to see whether anybody is there.
    pub(super) async fn knock(&self) -> Result<(), Silence> {
        let asked = async { self.ask(&mut self.dialler.dial(&self.target).await?, 0).await };
        match timeout(self.patience, asked).await {
            Ok(asked) => asked.map(|_| ()),
            Err(_) => Err(Silence::Slow(self.patience)),
        }
    }

    /// Does it, until its time is over or `stop` comes.
    pub(super) async fn run(self, stop: impl Future<Output = ()>, bar: &ProgressBar) -> Outcome {
        let start = Instant::now();
        let schedule = Schedule::new(start, self.span, self.rate);
        let (sender, over) = watch::channel(false);
        let connections = self.connections;
        let shared = Arc::new(Shared { plan: self, schedule, tally: Mutex::default() });
        let mut workers = JoinSet::new();
        for _ in 0..connections {
            workers.spawn(work(Arc::clone(&shared), over.clone()));
        }
        tokio::select! {
            () = stop => {}
            () = shown(&shared, start, bar) => {}
        }
        let ended = Instant::now();
        // Workers that are gone do not need to hear it.
        let _ = sender.send(true);
        let _ = timeout(GRACE, async { while workers.join_next().await.is_some() {} }).await;
        workers.shutdown().await;
        let took = start.elapsed();
        let tally = std::mem::take(&mut *shared.tally());
        let behind = shared.schedule.due_until(ended).map_or(0, |due| due.saturating_sub(tally.begun));
        Outcome { tally, took, behind }
    }

    /// Asks, and reads the answer to its end.
    async fn ask(&self, connection: &mut Connection, number: u64) -> Result<Answered, Silence> {
        let broken = |error: hyper::Error| Silence::Broken(root_of(&error));
        let request = self.target.request(number, self.dialler.version);
        let answer = connection.send(request).await.map_err(broken)?;
        let (status, state) = (answer.status(), state::of(answer.headers()));
        let (mut body, mut bytes) = (answer.into_body(), 0);
        while let Some(frame) = body.frame().await {
            bytes += frame.map_err(broken)?.data_ref().map_or(0, |data| data.len() as u64);
        }
        Ok(Answered { status, bytes, took: Duration::ZERO, state })
    }
}

/// Shows how far it is, until the end of the schedule.
async fn shown(shared: &Shared, start: Instant, bar: &ProgressBar) {
    let mut ticks = interval(BAR_EVERY);
    while Instant::now() < shared.schedule.end() {
        ticks.tick().await;
        let (answered, failed) = {
            let tally = shared.tally();
            (tally.answered, tally.failed)
        };
        bar.set_position(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX));
        let failures = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        bar.set_message(format!("{answered} answers{failures}"));
    }
}

/// One connection's work.
async fn work(shared: Arc<Shared>, mut over: watch::Receiver<bool>) {
    let plan = &shared.plan;
    let mut connection = None;
    while let Some(Turn { number, begins }) = shared.schedule.turn(&mut over).await {
        shared.tally().begun += 1;
        let outcome = match timeout(plan.patience, attempt(&shared, &mut connection, number)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Silence::Slow(plan.patience)),
        };
        let outcome = outcome.map(|answered| Answered { took: begins.elapsed(), ..answered });
        if let Err(silence) = &outcome {
            connection = None;
            if matches!(silence, Silence::NoConnection(_)) {
                shared.tally().add(outcome);
                sleep(REDIAL_AFTER).await;
                continue;
            }
        }
        shared.tally().add(outcome);
    }
}

/// Asks over the connection that is there, or over a new one if the server has closed it meanwhile, as it may.
async fn attempt(shared: &Shared, kept: &mut Option<Connection>, number: u64) -> Result<Answered, Silence> {
    if let Some(connection) = kept
        && !connection.is_ready().await
    {
        *kept = None;
    }
    let connection = match kept {
        Some(connection) => connection,
        None => {
            let dialled = shared.plan.dialler.dial(&shared.plan.target).await?;
            shared.tally().connections += 1;
            kept.insert(dialled)
        }
    };
    shared.plan.ask(connection, number).await
}
