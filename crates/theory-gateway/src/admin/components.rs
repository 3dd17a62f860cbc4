//! What operators look at and change: the parts of a gateway, put together by whoever runs it.

use std::path::PathBuf;
use std::sync::Arc;

use facetheory::Isr;
use idempotent::Idempotency;
use limited::Limiter;
use tabletheory_core::{Clock, Timestamp};

use super::backstage::Backstage;
use crate::tasks::Tasks;
use crate::telemetry::Telemetry;

/// The parts of a gateway.
#[derive(Debug, Clone)]
pub(crate) struct Components {
    /// The pages.
    pub(crate) isr: Isr,
    /// The limits.
    pub(crate) limiter: Limiter,
    /// The idempotent requests.
    pub(crate) requests: Idempotency,
    /// What goes on when its caller has gone.
    pub(crate) tasks: Tasks,
    /// What is counted.
    pub(crate) telemetry: Arc<Telemetry>,
    /// The gateway itself.
    pub(crate) backstage: Arc<dyn Backstage>,
    /// Where rows are.
    pub(crate) store: Whereabouts,
    /// The tables that rows are in.
    pub(crate) tables: Vec<String>,
    /// Where bodies are.
    pub(crate) bodies: Whereabouts,
    /// The version of the program.
    pub(crate) version: &'static str,
}

/// Where something is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    /// In words: `memory`, `/var/lib/theory/rows`, `DynamoDB in eu-central-1`.
    pub(crate) place: String,
    /// The folder, if it is one of this machine: its size is told.
    pub(crate) folder: Option<PathBuf>,
}

impl Components {
    pub(super) fn clock(&self) -> &Arc<dyn Clock> {
        self.isr.meta().db().clock()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock().now()
    }
}
