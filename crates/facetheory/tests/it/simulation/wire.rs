//! The network between one worker and the store: requests and answers are late, lost, repeated, refused. What was sent goes
//! its way whether or not the sender still waits.

use std::sync::Arc;

use tabletheory::testing::TestStore;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::TransactAction;
use tabletheory_core::{Item, Request, Response, Store, StoreError};
use tokio::time::sleep;

use super::stage::Stage;
use super::witness::Witness;

/// A lost answer is noticed after so long, and no request is under way for longer, in milliseconds.
const TIMEOUT_MS: u64 = 3_000;
pub(super) const FLIGHT_MS_MAX: u64 = 8_000;

/// The way from one worker to the store.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub(super) stage: Arc<Stage>,
    pub(super) store: TestStore,
    pub(super) witness: Arc<Witness>,
}

impl Wire {
    async fn carry(self, request: Request) -> Result<Response, StoreError> {
        if !self.stage.is_troubled() {
            return self.perform(request);
        }
        // In a storm nearly everything is lost, refused or late.
        let sides = if self.stage.is_stormy() { 12 } else { 100 };
        match self.stage.roll(sides) {
            0..=1 => {
                self.stage.count("requests that were throttled");
                Err(StoreError::Throttling("slow down".to_owned()))
            }
            2..=3 => {
                self.stage.count("requests that did not get out");
                Err(StoreError::Unavailable("refused".to_owned()))
            }
            4..=5 => {
                self.stage.count("lost requests");
                sleep(self.stage.span(1, TIMEOUT_MS)).await;
                Err(lost())
            }
            6..=8 => {
                self.stage.count("lost answers");
                sleep(self.stage.span(1, TIMEOUT_MS / 2)).await;
                let _ = self.perform(request);
                sleep(self.stage.span(1, TIMEOUT_MS / 2)).await;
                Err(lost())
            }
            9..=10 => {
                // The sender has given up, and the request arrives all the same.
                self.stage.count("requests after their time");
                let late = self.clone();
                tokio::spawn(async move {
                    sleep(late.stage.span(TIMEOUT_MS, FLIGHT_MS_MAX)).await;
                    late.perform(request)
                });
                sleep(self.stage.span(1, TIMEOUT_MS)).await;
                Err(lost())
            }
            11..=13 => {
                self.stage.count("doubled requests");
                let (late, double) = (self.clone(), request.clone());
                tokio::spawn(async move {
                    sleep(late.stage.span(1, FLIGHT_MS_MAX)).await;
                    late.perform(double)
                });
                self.travel(request, 50).await
            }
            14..=16 => {
                self.stage.count("requests slower than the lease");
                sleep(self.stage.span(TIMEOUT_MS, FLIGHT_MS_MAX)).await;
                self.travel(request, 50).await
            }
            17..=19 => {
                self.stage.count("late answers");
                let answer = self.perform(request);
                sleep(self.stage.span(100, TIMEOUT_MS)).await;
                answer
            }
            _ => self.travel(request, 20).await,
        }
    }

    async fn travel(&self, request: Request, most_ms: u64) -> Result<Response, StoreError> {
        sleep(self.stage.span(0, most_ms)).await;
        let answer = self.perform(request);
        sleep(self.stage.span(0, most_ms)).await;
        answer
    }

    /// The store performs the request; whatever it changed is looked at.
    fn perform(&self, request: Request) -> Result<Response, StoreError> {
        self.store.clock().set(self.stage.now());
        self.stage.count("store calls");
        let touched = touched(&request);
        let answer = self.witness.ask(&self.store, request);
        for pk in touched {
            self.witness.look_at(&pk);
        }
        self.store.forget_calls();
        answer
    }
}

impl Store for Wire {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        let carried = tokio::spawn(self.clone().carry(request));
        Box::pin(async move { carried.await.unwrap() })
    }
}

fn lost() -> StoreError {
    StoreError::Internal("the answer was lost".to_owned())
}

/// The partitions that a write touches.
fn touched(request: &Request) -> Vec<String> {
    let pk = |item: &Item| item.get("pk").and_then(|pk| pk.as_s()).map(str::to_owned);
    match request {
        Request::TransactWriteItems(transaction) => {
            let first = transaction.writes.first().and_then(|write| match &write.action {
                TransactAction::Put { item } => pk(item),
                TransactAction::Update { key, .. }
                | TransactAction::Delete { key }
                | TransactAction::ConditionCheck { key } => pk(key),
            });
            first.into_iter().collect()
        }
        _ => Vec::new(),
    }
}
