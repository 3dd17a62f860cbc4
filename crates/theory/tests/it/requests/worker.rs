//! A worker: it sends its requests until each is answered, runs the handler of those that are its own to do, and says what happened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use idempotent::{Attempt, Claim, Completion, Guarded, Idempotency, Replay, Response, Settings};
use tabletheory::Db;
use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Entropy as _, Seconds, jittered};
use tokio::time::sleep;

use super::orders::{Ask, ORDERS, Orders};
use super::tally::{Tally, count_run};
use crate::said::Said;
use crate::{cache, process};

/// So often one asks who is told that the request is under way.
const TRIES_MAX: usize = 800;
const PAUSE: Duration = Duration::from_millis(200);
/// So long the machine waits for those who let it.
const WAIT: Duration = Duration::from_secs(20);
/// How often a gate is looked at, and how often at most.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS_MAX: usize = 10_000;
/// So often a transaction is tried that others are in the way of.
const TRANSACTIONS_MAX: usize = 20;

#[test]
fn asks_until_every_request_is_answered() {
    process::obey(ORDERS, work);
}

async fn work(orders: Orders) {
    process::check_clock(orders.skew, orders.now_ms);
    let rounds = orders.rounds.clone();
    let worker = Arc::new(Worker::new(orders).await);
    worker.said.line("ready");
    for round in rounds {
        let mut callers = Vec::new();
        for ask in round {
            for caller in 0..ask.callers {
                callers.push(tokio::spawn(Arc::clone(&worker).ask(ask.clone(), caller)));
            }
        }
        for caller in callers {
            caller.await.expect("a caller never panics");
        }
    }
    worker.said.line("done");
}

struct Worker {
    db: Db,
    /// Tells at once that a request is under way.
    prompt: Idempotency,
    /// Waits for it.
    patient: Idempotency,
    said: Said,
    folder: PathBuf,
    name: String,
}

/// The number of the attempt that gave the answer, and its body.
type Answer = (u64, String);

impl Worker {
    async fn new(orders: Orders) -> Self {
        let db = cache::connect(&orders.endpoint).await;
        let machine = |wait: Duration| {
            let usual = Settings::default();
            let settings = Settings {
                lock_for: Seconds(orders.lock_seconds),
                wait_up_to: wait,
                cache_entries: if orders.remembers { usual.cache_entries } else { 0 },
                ..usual
            };
            Idempotency::new(db.clone()).with_settings(settings).expect("settings")
        };
        let (prompt, patient) = (machine(Duration::ZERO), machine(WAIT));
        let said = Said::to(&orders.said());
        Self { db, prompt, patient, said, folder: orders.folder, name: orders.name }
    }

    /// Asks until there is an answer.
    async fn ask(self: Arc<Self>, ask: Ask, caller: usize) {
        if let Some(gate) = &ask.after {
            self.pass(gate).await;
        }
        let (intent, key) = (ask.intent(), &ask.key);
        let requests = if caller.is_multiple_of(2) { &self.prompt } else { &self.patient };
        for _ in 0..TRIES_MAX {
            let answer = match requests.claim(&intent).await {
                Ok(Claim::Granted(attempt)) => self.run(&ask, &attempt).await,
                Ok(Claim::Replay(replay)) => Some(answer(&replay)),
                Ok(Claim::Running { .. }) => {
                    self.said.line(&format!("running {key}"));
                    None
                }
                Ok(other) => panic!("{key}: {other:?}"),
                Err(error) => {
                    self.said.line(&format!("failed {key} {error}"));
                    None
                }
            };
            if let Some((attempt, body)) = answer {
                self.said.line(&format!("answer {key} {attempt} {body}"));
                return;
            }
            sleep(jittered(PAUSE, &SystemEntropy)).await;
        }
        panic!("{key}: there is no answer");
    }

    /// Runs the handler. `None` if its lock or its answer was lost, and nobody else has answered yet.
    async fn run(&self, ask: &Ask, attempt: &Attempt) -> Option<Answer> {
        let run = format!("{}/{:016x}", self.name, SystemEntropy.bits() >> 64);
        self.said.line(&format!("granted {} {} {run}", ask.key, attempt.number()));
        let handling = self.handle(ask, attempt, &run);
        if !ask.is_guarded {
            return handling.await;
        }
        match attempt.guard(handling).await {
            Guarded::Done(answer) => answer,
            Guarded::Lost { .. } => {
                self.said.line(&format!("dropped {}", ask.key));
                None
            }
        }
    }

    async fn handle(&self, ask: &Ask, attempt: &Attempt, run: &str) -> Option<Answer> {
        count_run(&self.db, &ask.key, run).await;
        self.said.line(&format!("working {}", ask.key));
        sleep(Duration::from_millis(ask.takes_ms)).await;
        if let Some(gate) = &ask.gate {
            self.pass(gate).await;
        }
        let response = Response::new(201, run.to_owned()).expect("a status");
        if ask.in_transaction && self.transact(ask, attempt, &response).await {
            return Some((attempt.number(), run.to_owned()));
        }
        // After a transaction that was refused this writes nothing, and tells whose answer it is.
        match attempt.complete(&response).await.expect("the endpoint answers") {
            Completion::Completed => Some((attempt.number(), run.to_owned())),
            Completion::Lost(replay) => {
                self.said.line(&format!("refused {}", ask.key));
                replay.as_deref().map(answer)
            }
            other => panic!("{}: {other:?}", ask.key),
        }
    }

    /// The effect and the answer together; `false` if the record is not ours any more, or this was done before.
    async fn transact(&self, ask: &Ask, attempt: &Attempt, response: &Response) -> bool {
        for _ in 0..TRANSACTIONS_MAX {
            let completion = attempt.completion(response).await.expect("a short answer");
            let effect =
                self.db.update(Tally::key(ask.key.as_str())).change(Tally::EFFECTS.add(1_u64)).or_create();
            match self.db.transact().with(effect).with(completion).await {
                Ok(()) => return true,
                Err(error) if error.is_condition_failed() => return false,
                Err(error) => self.said.line(&format!("failed {} {error}", ask.key)),
            }
            sleep(jittered(PAUSE, &SystemEntropy)).await;
        }
        panic!("{}: the transaction was never done", ask.key);
    }

    /// Waits until this gate is open.
    async fn pass(&self, gate: &str) {
        for _ in 0..LOOKS_MAX {
            if self.folder.join(gate).exists() {
                return;
            }
            sleep(LOOK).await;
        }
        panic!("{gate}: the gate stays closed");
    }
}

fn answer(replay: &Replay) -> Answer {
    let body = String::from_utf8_lossy(&replay.response.body).into_owned();
    (replay.attempt.expect("the record has a number"), body)
}
