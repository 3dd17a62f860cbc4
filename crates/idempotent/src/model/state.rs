//! One moment of the model: the row, what is on its way, what each worker remembers, and what only the model knows.

use super::recipe::{Moment, Recipe};
use super::scenario::{LOCK, Scenario};
use super::server::{RowId, Server};

/// A moment of the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) time: Moment,
    pub(super) row: RowId,
    /// What is on its way, sorted.
    pub(super) network: Vec<Recipe>,
    pub(super) workers: Vec<Worker>,
    pub(super) crashes: u8,
    pub(super) doubles: u8,
    /// How often an effect happened that is part of a completing transaction.
    pub(super) effects: u8,
    /// Laws that a step broke, as bits.
    pub(super) breaches: u16,
}

/// What a worker remembers. A crash takes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Worker {
    /// How many attempts it has begun.
    pub(super) begun: u8,
    pub(super) phase: Phase,
}

/// How far a worker has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Idle,
    /// It waits for the answer to a claim.
    Claiming {
        claim: Recipe,
        sends: u8,
    },
    /// The handler runs, under a lock that was asked for then by its own clock.
    Working {
        asked_at: Moment,
        beaten: bool,
    },
    /// It waits for the answer to a completion.
    Completing {
        complete: Recipe,
        sends: u8,
    },
}

impl State {
    pub(super) fn first(scenario: &Scenario) -> Self {
        let workers = vec![Worker { begun: 0, phase: Phase::Idle }; scenario.clocks.len()];
        Self {
            time: 0,
            row: Server::EMPTY,
            network: Vec::new(),
            workers,
            crashes: 0,
            doubles: 0,
            effects: 0,
            breaches: 0,
        }
    }

    /// Puts a request on its way. It stays there when its sender crashes.
    pub(super) fn send(&mut self, recipe: Recipe) {
        self.network.push(recipe);
        self.network.sort_unstable();
    }

    /// The time by a worker's clock.
    pub(super) fn clock(&self, scenario: &Scenario, worker: usize) -> Moment {
        self.time + scenario.clocks[worker]
    }

    /// Whether the guard of a worker lets its handler go on. The margin is left out: it makes this stricter only.
    pub(super) fn is_at_work(&self, scenario: &Scenario, worker: usize) -> bool {
        match self.workers[worker].phase {
            Phase::Working { asked_at, .. } => self.clock(scenario, worker) < asked_at + LOCK,
            _ => false,
        }
    }
}

impl Phase {
    /// The request whose answer the worker waits for.
    pub(super) fn waits_for(self) -> Option<Recipe> {
        match self {
            Self::Claiming { claim, .. } => Some(claim),
            Self::Completing { complete, .. } => Some(complete),
            Self::Idle | Self::Working { .. } => None,
        }
    }
}
