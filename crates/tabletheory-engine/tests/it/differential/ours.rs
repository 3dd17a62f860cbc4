//! The engine behind the same door as DynamoDB Local: the protocol's JSON in, its JSON out, without a socket between.

use serde_json::Value as Json;
use tabletheory_engine::Engine;
use tabletheory_wire::{decode, encode, error};

use super::answer::Answer;

/// The engine in memory.
#[derive(Debug)]
pub(super) struct Ours {
    engine: Engine,
}

impl Ours {
    pub(super) fn start() -> Self {
        Self { engine: Engine::memory() }
    }

    /// Performs one operation.
    pub(super) fn call(&self, operation: &str, body: &Json) -> Answer {
        let request = decode::request(operation, body.to_string().as_bytes());
        let (status, body) = match request.and_then(|request| self.engine.apply(request)) {
            Ok(response) => (200, encode::body(&response)),
            Err(refusal) => {
                let (status, body) = error::encode(&refusal);
                (status.as_u16(), body)
            }
        };
        Answer::read(status, serde_json::from_slice(&body).expect("answers are JSON"))
    }
}
