//! One moment of the model: the rows, what is on its way, what each worker remembers, and what only the model knows.

use super::recipe::{Attempt, Ground, Moment, Publish, Recipe};
use super::scenario::Scenario;
use super::server::{RowsId, Server};

/// A moment of the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) time: Moment,
    /// How often the origin's content was edited.
    pub(super) origin: u8,
    pub(super) rows: RowsId,
    /// The tokens of transactions that the service remembers, as bits.
    pub(super) remembered: u32,
    /// What is on its way, sorted.
    pub(super) network: Vec<Message>,
    pub(super) workers: Vec<Worker>,
    pub(super) attempts: Vec<Trial>,
    pub(super) admin: Admin,
    /// How many purges were done.
    pub(super) purges: u8,
    pub(super) crashes: u8,
    /// The body that the sweep has found old and nameless and will delete.
    pub(super) sweeping: Option<Attempt>,
    /// Laws that a step broke, as bits.
    pub(super) breaches: u16,
}

/// A request on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Message {
    pub(super) recipe: Recipe,
    /// When it was sent; 0 where requests may take for ever.
    pub(super) sent: Moment,
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
    /// It waits for the answer to an acquire, a claim, or a seed's begin.
    Asking {
        request: Recipe,
        sends: u8,
    },
    /// It has the lease, as far as it knows.
    Leased,
    /// It has looked at META and EPOCH again, and asks the origin.
    Rendering {
        ground: Ground,
        stamped: Moment,
    },
    /// The body is put.
    Rendered {
        ground: Ground,
        stamped: Moment,
        read_at: Moment,
    },
    /// It waits for the answer to its publish.
    Publishing {
        publish: Publish,
        sends: u8,
    },
    /// The answer did not come, or was a refusal for the conditions in these places.
    Settling {
        publish: Publish,
        sends: u8,
        refused: Option<u8>,
    },
}

/// What the model knows of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Trial {
    pub(super) read: Option<OriginRead>,
    pub(super) body: Body,
    pub(super) told: Told,
    /// Whether a publish was done under it.
    pub(super) committed: bool,
    /// Whether its page says that it was generated later than the origin was asked.
    pub(super) too_young: bool,
    pub(super) renewed: bool,
    pub(super) failed: bool,
}

/// The origin as it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct OriginRead {
    pub(super) content: u8,
    /// How many purges had been done.
    pub(super) purges: u8,
}

/// The body of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Body {
    #[default]
    None,
    /// Put at this time; 0 where nothing is swept.
    Put(Moment),
    Deleted,
}

/// What a worker was told of its publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum Told {
    #[default]
    Nothing,
    Published,
    Lost,
    Unknown,
}

/// Who purges, and brings back versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Admin {
    /// How many purges it has begun.
    pub(super) begun: u8,
    /// The request whose answer it waits for.
    pub(super) waits: Option<(Recipe, u8)>,
    pub(super) shown: bool,
}

impl State {
    pub(super) fn first(scenario: &Scenario) -> Self {
        let workers = scenario.clocks.len();
        Self {
            time: 0,
            origin: 0,
            rows: Server::EMPTY,
            remembered: 0,
            network: Vec::new(),
            workers: vec![Worker { begun: 0, phase: Phase::Idle }; workers],
            attempts: vec![Trial::default(); workers * usize::from(scenario.attempts)],
            admin: Admin { begun: 0, waits: None, shown: false },
            purges: 0,
            crashes: 0,
            sweeping: None,
            breaches: 0,
        }
    }

    /// Puts a request on its way. It stays there when its sender crashes.
    pub(super) fn send(&mut self, recipe: Recipe, scenario: &Scenario) {
        let sent = if scenario.sweep.is_some() { self.time } else { 0 };
        self.network.push(Message { recipe, sent });
        self.network.sort_unstable();
    }

    /// Forgets what can make no difference any more: an attempt that its worker has left, and of which nothing is on its
    /// way, does nothing but stand in the rows. What was told of it was judged when it was told.
    pub(super) fn retire(&mut self, named: u16, scenario: &Scenario) {
        for (attempt, trial) in (0..).zip(&mut self.attempts) {
            let worker = &self.workers[usize::from(attempt / scenario.attempts)];
            let left = worker.phase == Phase::Idle || attempt % scenario.attempts + 1 != worker.begun;
            if !left || self.network.iter().any(|message| message.recipe.attempt() == Some(attempt)) {
                continue;
            }
            *trial = Trial { told: Told::Nothing, committed: false, renewed: false, ..*trial };
            if named & (1 << attempt) == 0 {
                *trial = Trial { failed: trial.failed, ..Trial::default() };
            }
            self.remembered &= !((1 << attempt) | (1 << (attempt + 8)));
        }
    }

    pub(super) fn trial(&mut self, attempt: Attempt) -> &mut Trial {
        &mut self.attempts[usize::from(attempt)]
    }
}

impl Phase {
    /// The request whose answer the worker waits for.
    pub(super) fn waits_for(&self) -> Option<Recipe> {
        match *self {
            Self::Asking { request, .. } => Some(request),
            Self::Publishing { publish, .. } => Some(Recipe::Publish(publish)),
            _ => None,
        }
    }
}
