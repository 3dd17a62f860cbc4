//! What workers do, step by step: the walk of a regeneration, with every place where it can be left.

use super::law;
use super::recipe::{Attempt, Ground, Moment, Publish, Recipe, Term};
use super::rows::{MetaView, REVALIDATE, View};
use super::rules;
use super::scenario::Settles;
use super::seed::Seed;
use super::server::Answer;
use super::sight::Sight;
use super::state::{Body, OriginRead, Phase, State, Told};
use super::world::World;
use crate::meta::transaction::publish;

impl World {
    /// Whose attempt it is.
    pub(super) fn worker_of(&self, attempt: Attempt) -> usize {
        usize::from(attempt / self.scenario.attempts)
    }

    /// The attempt that a worker is at, or was at last.
    fn attempt(&self, state: &State, number: usize) -> Attempt {
        self.scenario.first_attempt(number) + state.workers[number].begun - 1
    }

    /// The time by a worker's clock.
    fn clock(&self, state: &State, number: usize) -> Moment {
        state.time + self.scenario.clocks[number]
    }

    fn hash(&self, number: usize) -> Option<u8> {
        self.scenario.hashes.as_ref().map(|hashes| hashes[number])
    }

    pub(super) fn begin(&self, state: &mut State, number: usize) {
        state.workers[number].begun += 1;
        let term = self.term(state, number);
        let request = match (self.hash(number), self.scenario.seed) {
            (Some(hash), Some(Seed::Intents)) => Recipe::Begin { attempt: term.attempt, hash },
            (Some(hash), _) => Recipe::Claim { term, hash },
            (None, _) => Recipe::Acquire(term),
        };
        self.ask(state, number, request);
    }

    fn term(&self, state: &State, number: usize) -> Term {
        let now = self.clock(state, number);
        Term { attempt: self.attempt(state, number), now, expires: now + self.scenario.lease }
    }

    fn ask(&self, state: &mut State, number: usize, request: Recipe) {
        state.send(request, &self.scenario);
        state.workers[number].phase = Phase::Asking { request, sends: 1 };
    }

    pub(super) fn resend(&self, state: &mut State, number: usize) -> bool {
        if let Phase::Publishing { publish, .. } = state.workers[number].phase
            && !self.scenario.arrives(publish.now, self.clock(state, number))
        {
            return false;
        }
        let phase = &mut state.workers[number].phase;
        let (Phase::Asking { sends, .. } | Phase::Publishing { sends, .. }) = phase else { return false };
        *sends += 1;
        let request = phase.waits_for().expect("who sends again waits");
        state.send(request, &self.scenario);
        true
    }

    pub(super) fn give_up(&self, state: &mut State, number: usize) {
        state.workers[number].phase = match state.workers[number].phase {
            Phase::Publishing { publish, sends } => Phase::Settling { publish, sends, refused: None },
            _ => Phase::Idle,
        };
    }

    /// The second look: what is fresh is not rendered again, and what the render stands on is noted before the origin is
    /// asked.
    pub(super) fn look(&self, state: &mut State, number: usize) {
        let view = self.server.view(state.rows);
        let now = self.clock(state, number);
        let fresh =
            |meta: &MetaView| meta.unpurged && i64::from(now) < i64::from(meta.generated_at) + REVALIDATE;
        if self.scenario.seed.is_none() && view.meta.as_ref().is_some_and(fresh) {
            self.sights.see(Sight::SecondLook);
            self.end_intent(state, number);
            state.send(Recipe::Release { attempt: self.attempt(state, number) }, &self.scenario);
            state.workers[number].phase = Phase::Idle;
            return;
        }
        let ground = Ground {
            epoch: view.epoch,
            generation: view.meta.and_then(|meta| meta.generation),
            version: view.meta.and_then(|meta| meta.version),
            body: view.meta.map(|meta| meta.body),
        };
        state.workers[number].phase = Phase::Rendering { ground, stamped: now };
    }

    pub(super) fn render(&self, state: &mut State, number: usize) {
        let Phase::Rendering { ground, stamped } = state.workers[number].phase else { return };
        let attempt = self.attempt(state, number);
        let (content, purges, read_at) = (state.origin, state.purges, state.time);
        let trial = state.trial(attempt);
        trial.read = Some(OriginRead { content, purges });
        trial.body = Body::Put(if self.scenario.sweep.is_some() { read_at } else { 0 });
        state.workers[number].phase = Phase::Rendered { ground, stamped, read_at };
    }

    /// The render failed. What is sent then is sent twice, as if the first answer had been lost.
    pub(super) fn fail(&self, state: &mut State, number: usize) {
        let attempt = self.attempt(state, number);
        let fail = Recipe::Fail { attempt, now: self.clock(state, number) };
        self.end_intent(state, number);
        state.send(fail, &self.scenario);
        state.send(fail, &self.scenario);
        state.trial(attempt).failed = true;
        state.workers[number].phase = Phase::Idle;
    }

    fn end_intent(&self, state: &mut State, number: usize) {
        if let Some(hash) = self.hash(number) {
            let attempt = self.attempt(state, number);
            state.send(Recipe::FailRequest { attempt, hash }, &self.scenario);
        }
    }

    /// Renews the lease once. The heart beats beside the render, so nobody waits for the answer.
    pub(super) fn renew(&self, state: &mut State, number: usize) -> bool {
        let Term { attempt, expires, .. } = self.term(state, number);
        if std::mem::replace(&mut state.trial(attempt).renewed, true) {
            return false;
        }
        state.send(Recipe::Refresh { attempt, expires }, &self.scenario);
        true
    }

    /// The publish is made once, and sent as it was made however often.
    pub(super) fn publish(&self, state: &mut State, number: usize) {
        let Phase::Rendered { ground, stamped, read_at } = state.workers[number].phase else { return };
        let now = self.clock(state, number);
        let generated_at = if self.scenario.conduct.stamps_late { now } else { stamped };
        let attempt = self.attempt(state, number);
        state.trial(attempt).too_young = generated_at > read_at + self.scenario.clocks[number];
        let publish = Publish { attempt, now, generated_at, ground, request: self.hash(number) };
        state.send(Recipe::Publish(publish), &self.scenario);
        state.workers[number].phase = Phase::Publishing { publish, sends: 1 };
    }

    /// Takes the answer of a request to the worker that waits for it.
    pub(super) fn receive(&self, state: &mut State, recipe: Recipe, answer: Answer) {
        let Some(attempt) = recipe.attempt() else { return };
        let number = self.worker_of(attempt);
        let phase = state.workers[number].phase;
        let is_current = state.workers[number].begun > 0 && self.attempt(state, number) == attempt;
        let holds = matches!(phase, Phase::Rendering { .. } | Phase::Rendered { .. });
        if matches!(recipe, Recipe::Refresh { .. }) {
            if is_current && holds && answer != Answer::Done {
                state.workers[number].phase = Phase::Idle;
            }
            return;
        }
        if phase.waits_for() != Some(recipe) {
            return;
        }
        match (phase, answer) {
            (Phase::Asking { request: Recipe::Begin { .. }, .. }, Answer::Done) => {
                let acquire = Recipe::Acquire(self.term(state, number));
                self.ask(state, number, acquire);
            }
            (Phase::Asking { .. }, Answer::Done) => state.workers[number].phase = Phase::Leased,
            (Phase::Asking { .. }, Answer::Refused(_)) => state.workers[number].phase = Phase::Idle,
            (Phase::Publishing { .. }, Answer::Done) => self.tell(state, number, Told::Published),
            (Phase::Publishing { publish, sends }, Answer::Refused(places)) => {
                let refused = Some(places);
                state.workers[number].phase = Phase::Settling { publish, sends, refused };
            }
            _ => {}
        }
    }

    /// What became of a publish that was refused, or not answered.
    pub(super) fn settle(&self, state: &mut State, number: usize) {
        let Phase::Settling { publish, sends, refused } = state.workers[number].phase else { return };
        let view = self.server.view(state.rows);
        let is_ours = view.meta.is_some_and(|meta| meta.publisher == Some(publish.attempt));
        let told = match self.scenario.conduct.settles {
            Settles::Never => refused.map_or(Told::Unknown, |_| Told::Lost),
            _ if is_ours => {
                self.sights.see(Sight::Settled);
                Told::Published
            }
            Settles::ByPublisher => refused.map_or(Told::Unknown, |_| Told::Lost),
            Settles::Carefully if sends == 1 => refused.map_or(Told::Unknown, |_| Told::Lost),
            Settles::Carefully => careful(publish, refused, &view),
        };
        if self.scenario.conduct.deletes_refused_body && told == Told::Lost {
            state.trial(publish.attempt).body = Body::Deleted;
        }
        self.tell(state, number, told);
    }

    fn tell(&self, state: &mut State, number: usize, told: Told) {
        if told == Told::Unknown {
            self.sights.see(Sight::Unknown);
        }
        let attempt = self.attempt(state, number);
        state.trial(attempt).told = told;
        law::judge_told(state, attempt);
        state.workers[number].phase = Phase::Idle;
    }
}

/// What is known of a publish that is not in META, as `MetaStore::publish` decides it: a refusal says that no copy was done before
/// it, and another copy may still be on its way. The lease is no obstacle for ever, because a double of our acquire can take it
/// again; the page that it replaces and the epoch are.
fn careful(publish: Publish, refused: Option<u8>, view: &View) -> Told {
    let Some(places) = refused else { return Told::Unknown };
    if places & (1 << publish::META | 1 << publish::EPOCH) != 0 {
        return Told::Lost;
    }
    let is_unchanged = view.meta.map(|meta| meta.body) == publish.ground.body;
    let generation = view.meta.and_then(|meta| meta.generation);
    let is_over = !is_unchanged || view.epoch != publish.ground.epoch;
    let was_never =
        is_unchanged || generation.is_some_and(|generation| generation <= rules::generation(&publish));
    if is_over && was_never { Told::Lost } else { Told::Unknown }
}
