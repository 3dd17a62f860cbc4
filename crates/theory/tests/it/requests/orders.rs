//! What a worker is told, and what it says: both sides know the words.

use std::path::PathBuf;

use idempotent::{IdempotencyKey, Intent, Scope};
use serde::{Deserialize, Serialize};

/// The variable with the orders.
pub(super) const ORDERS: &str = "THEORY_REQUESTS_WORKER";

/// What a worker is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Orders {
    pub(super) endpoint: String,
    /// Where it says what happened, and where the gates are: files that are there when the gate is open.
    pub(super) folder: PathBuf,
    pub(super) name: String,
    pub(super) lock_seconds: i64,
    /// Whether answers are remembered in the process.
    pub(super) remembers: bool,
    /// One round after the other; the requests of a round at once.
    pub(super) rounds: Vec<Vec<Ask>>,
    /// By how many seconds its clock is wrong, and the right time when it was started, in milliseconds since 1970.
    pub(super) skew: i64,
    pub(super) now_ms: i64,
}

/// A request, and how the worker handles it if it is its own to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ask {
    pub(super) key: String,
    /// So many ask at the same time.
    pub(super) callers: usize,
    /// Nobody asks before this gate is open.
    pub(super) after: Option<String>,
    /// The handler takes so long, and then waits for its gate.
    pub(super) takes_ms: u64,
    pub(super) gate: Option<String>,
    /// Whether the lock is made longer meanwhile.
    pub(super) is_guarded: bool,
    /// Whether the effect and the answer are written in one transaction; otherwise there is only an answer.
    pub(super) in_transaction: bool,
}

impl Orders {
    pub(super) fn said(&self) -> PathBuf {
        self.folder.join(format!("said by {}", self.name))
    }
}

impl Ask {
    /// One who asks at once, with a guarded handler that only answers.
    pub(super) fn of(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            callers: 1,
            after: None,
            takes_ms: 0,
            gate: None,
            is_guarded: true,
            in_transaction: false,
        }
    }

    pub(super) fn after(self, gate: &str) -> Self {
        Self { after: Some(gate.to_owned()), ..self }
    }

    pub(super) fn gate(self, gate: &str) -> Self {
        Self { gate: Some(gate.to_owned()), ..self }
    }

    pub(super) fn in_transaction(self) -> Self {
        Self { in_transaction: true, ..self }
    }

    pub(super) fn intent(&self) -> Intent {
        let key = IdempotencyKey::parse(&self.key).expect("a key");
        // The name of the function tells the record in the table.
        Intent::of_bytes(Scope::function(self.key.as_str()), key, b"{\"amount\":5}")
    }
}
