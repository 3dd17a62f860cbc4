//! What a model is made of: whose rules, how many of everything, and how workers behave where a seed behaves otherwise.

use super::recipe::{Attempt, Moment};
use super::rules::Rules;
use super::seed::Seed;
use crate::meta::Guards;

/// The bounds and the behaviour of one model.
#[derive(Debug, Clone)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) guards: Guards,
    pub(super) seed: Option<Seed>,
    /// Whether the last worker is another store's, that knows neither generations nor epochs. It sends nothing twice.
    pub(super) foreign: bool,
    /// How many seconds each worker's clock is ahead of the slowest. One worker for each.
    pub(super) clocks: Vec<Moment>,
    /// How far the clock of the table and of the sweep is ahead of the slowest.
    pub(super) table_clock: Moment,
    /// How often each worker may begin.
    pub(super) attempts: u8,
    pub(super) last_second: Moment,
    /// Seconds of a lease.
    pub(super) lease: Moment,
    /// How often a request is sent while its answer does not come.
    pub(super) sends: u8,
    pub(super) crashes: u8,
    pub(super) edits: u8,
    pub(super) purges: u8,
    /// Whether holders renew.
    pub(super) renews: bool,
    /// Whether renders may fail.
    pub(super) fails: bool,
    /// Whether the table forgets leases, intents and tokens of transactions when their time is over.
    pub(super) forgets: bool,
    /// Whether versions are kept, and one may be shown again.
    pub(super) versions: bool,
    /// The hash of each worker's intent, where intents are claimed.
    pub(super) hashes: Option<Vec<u8>>,
    /// The sweep, if there is one.
    pub(super) sweep: Option<Sweep>,
    pub(super) conduct: Conduct,
}

/// How bodies are swept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    /// Seconds for which a body that nothing names is kept.
    pub(super) grace: Moment,
    /// Seconds after which a request that was sent can no longer arrive, and a publish that was made is not sent again.
    pub(super) flight: Moment,
    /// Whether a body is kept while the lease has the token it was rendered under.
    pub(super) spares_lease: bool,
}

/// What workers do besides sending requests. Ours is the default; the seeds leave things out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conduct {
    /// Transactions carry a token, by which the service knows one that is sent again.
    pub(super) sends_tokens: bool,
    pub(super) settles: Settles,
    /// The time of a page is taken when it is published, and not before the origin is asked.
    pub(super) stamps_late: bool,
    /// A worker whose publish was refused deletes the body it has put.
    pub(super) deletes_refused_body: bool,
}

/// How a worker reads a refusal of its publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settles {
    /// META says who published last; and what could still happen later is not called lost.
    Carefully,
    /// META says who published last; if it was another, ours is lost.
    ByPublisher,
    /// Refused is lost.
    Never,
}

impl Scenario {
    /// Two workers with our rules and equal clocks, once each, for two seconds.
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            guards: Guards::default(),
            seed: None,
            foreign: false,
            clocks: vec![0, 0],
            table_clock: 0,
            attempts: 1,
            last_second: 2,
            lease: 1,
            sends: 2,
            crashes: 0,
            edits: 1,
            purges: 0,
            renews: false,
            fails: false,
            forgets: false,
            versions: false,
            hashes: None,
            sweep: None,
            conduct: Conduct {
                sends_tokens: true,
                settles: Settles::Carefully,
                stamps_late: false,
                deletes_refused_body: false,
            },
        }
    }

    /// Recipe A of seed 001 as it stands there.
    pub(super) fn recipe_a(name: &'static str) -> Self {
        let conduct = Conduct {
            sends_tokens: false,
            settles: Settles::Never,
            stamps_late: true,
            deletes_refused_body: false,
        };
        Self { seed: Some(Seed::RecipeA), conduct, ..Self::new(name) }
    }

    pub(super) fn rules(&self) -> Rules {
        let foreign_from = self.foreign.then(|| self.first_attempt(self.clocks.len() - 1));
        Rules::new(self.guards, self.versions, self.seed, foreign_from)
    }

    /// The first attempt of a worker.
    pub(super) fn first_attempt(&self, worker: usize) -> Attempt {
        Attempt::try_from(worker).expect("few workers") * self.attempts
    }

    /// How often a worker sends a request whose answer does not come.
    pub(super) fn sends_of(&self, worker: usize) -> u8 {
        if self.foreign && worker + 1 == self.clocks.len() { 1 } else { self.sends }
    }

    /// Whether a request that was sent then can still arrive.
    pub(super) fn arrives(&self, sent: Moment, now: Moment) -> bool {
        self.sweep.is_none_or(|sweep| now <= sent + sweep.flight)
    }
}
