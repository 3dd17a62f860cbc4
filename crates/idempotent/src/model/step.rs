//! What can happen next, and what it makes of the state.

use stateright::{Model, Property};

use super::law::{self, judge_done, judge_told};
use super::recipe::{Attempt, Recipe};
use super::state::{Phase, State};
use super::world::World;
use crate::standing::Standing;

/// One thing that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Tick,
    Begin(usize),
    Resend(usize),
    GiveUp(usize),
    Extend(usize),
    Complete(usize),
    Release(usize),
    Fail(usize),
    /// The guard drops the handler, because its lock is over.
    Drop(usize),
    Crash(usize),
    Deliver(Recipe),
    /// Performed, and the answer is lost.
    DeliverUnanswered(Recipe),
    /// Performed, and it will come once more.
    Double(Recipe),
    Lose(Recipe),
}

impl World {
    fn attempt(&self, state: &State, worker: usize) -> Attempt {
        let first = u8::try_from(worker).expect("few workers") * self.scenario.attempts;
        first + state.workers[worker].begun - 1
    }

    fn begin(&self, state: &mut State, worker: usize) {
        state.workers[worker].begun += 1;
        let now = state.clock(&self.scenario, worker);
        // The seed reads first, and claims if it finds nothing that it minds.
        if self.scenario.seed
            && let Some(view) = self.server.view(state.row)
            && (view.completed || view.processing && view.locked_until.is_some_and(|until| now < until))
        {
            return;
        }
        let claim =
            Recipe::Claim { attempt: self.attempt(state, worker), now, hash: self.scenario.hashes[worker] };
        state.send(claim);
        state.workers[worker].phase = Phase::Claiming { claim, sends: 1 };
    }

    fn deliver(&self, state: &mut State, recipe: Recipe, answered: bool) {
        let before = self.server.view(state.row);
        let (row, done) = self.server.apply(state.row, recipe);
        if done {
            state.row = row;
            judge_done(state, recipe, before, self.server.view(row));
            if matches!(recipe, Recipe::Complete { .. }) {
                state.effects += 1;
            }
        }
        let worker = usize::from(recipe.attempt() / self.scenario.attempts);
        let waits = state.workers[worker].phase.waits_for() == Some(recipe);
        if answered && waits {
            self.receive(state, worker, recipe, done);
        }
        let beats =
            matches!(recipe, Recipe::Extend { attempt, .. } if attempt == self.attempt(state, worker));
        if answered
            && beats
            && let Phase::Working { asked_at, beaten } = state.workers[worker].phase
        {
            let Recipe::Extend { now, .. } = recipe else { return };
            state.workers[worker].phase = match done {
                true => Phase::Working { asked_at: now.max(asked_at), beaten },
                false => Phase::Idle,
            };
        }
    }

    fn receive(&self, state: &mut State, worker: usize, recipe: Recipe, done: bool) {
        let Recipe::Claim { attempt, now, hash } = recipe else {
            state.workers[worker].phase = Phase::Idle;
            return;
        };
        let is_ours = done
            || self.server.view(state.row).is_some_and(|before| {
                judge_told(self, state, (attempt, now, hash), before) == Standing::Ours
            });
        state.workers[worker].phase = match is_ours {
            true => Phase::Working { asked_at: now, beaten: false },
            false => Phase::Idle,
        };
    }

    /// What a worker can do by itself.
    fn moves(&self, state: &State, number: usize, actions: &mut Vec<Action>) {
        let scenario = &self.scenario;
        let worker = &state.workers[number];
        match worker.phase {
            Phase::Idle if worker.begun < scenario.attempts => actions.push(Action::Begin(number)),
            Phase::Idle => {}
            Phase::Claiming { sends, .. } | Phase::Completing { sends, .. } => {
                if sends < scenario.sends_max {
                    actions.push(Action::Resend(number));
                }
                if scenario.lossy {
                    actions.push(Action::GiveUp(number));
                }
            }
            Phase::Working { beaten, .. } => {
                // Who blocks its thread completes however late it is.
                actions.push(Action::Complete(number));
                if !state.is_at_work(scenario, number) {
                    actions.push(Action::Drop(number));
                } else if scenario.beats && !beaten {
                    actions.push(Action::Extend(number));
                }
                if scenario.gives_up {
                    actions.extend([Action::Release(number), Action::Fail(number)]);
                }
            }
        }
        if state.crashes < scenario.crashes_max && worker.phase != Phase::Idle {
            actions.push(Action::Crash(number));
        }
    }

    fn step(&self, state: &mut State, action: Action) {
        match action {
            Action::Tick => state.time += 1,
            Action::Begin(worker) => self.begin(state, worker),
            Action::Resend(worker) => {
                let phase = &mut state.workers[worker].phase;
                let recipe = phase.waits_for().expect("who sends again waits");
                if let Phase::Claiming { sends, .. } | Phase::Completing { sends, .. } = phase {
                    *sends += 1;
                }
                state.send(recipe);
            }
            Action::GiveUp(worker) | Action::Drop(worker) => state.workers[worker].phase = Phase::Idle,
            Action::Crash(worker) => {
                state.crashes += 1;
                state.workers[worker].phase = Phase::Idle;
            }
            Action::Extend(worker) => {
                let (attempt, now) = (self.attempt(state, worker), state.clock(&self.scenario, worker));
                state.send(Recipe::Extend { attempt, now });
                if let Phase::Working { beaten, .. } = &mut state.workers[worker].phase {
                    *beaten = true;
                }
            }
            Action::Complete(worker) => {
                let (attempt, now) = (self.attempt(state, worker), state.clock(&self.scenario, worker));
                let complete = Recipe::Complete { attempt, now };
                state.send(complete);
                state.workers[worker].phase = Phase::Completing { complete, sends: 1 };
            }
            Action::Release(worker) => {
                state.send(Recipe::Release { attempt: self.attempt(state, worker) });
                state.workers[worker].phase = Phase::Idle;
            }
            Action::Fail(worker) => {
                let (attempt, now) = (self.attempt(state, worker), state.clock(&self.scenario, worker));
                state.send(Recipe::Fail { attempt, now });
                state.workers[worker].phase = Phase::Idle;
            }
            Action::Deliver(recipe) | Action::DeliverUnanswered(recipe) => {
                remove(state, recipe);
                self.deliver(state, recipe, matches!(action, Action::Deliver(_)));
            }
            Action::Double(recipe) => {
                state.doubles += 1;
                self.deliver(state, recipe, true);
            }
            Action::Lose(recipe) => remove(state, recipe),
        }
    }
}

impl Model for World {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::first(&self.scenario)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.time < self.scenario.time_max {
            actions.push(Action::Tick);
        }
        for worker in 0..state.workers.len() {
            self.moves(state, worker, actions);
        }
        let mut last = None;
        for recipe in &state.network {
            if last.replace(*recipe) == Some(*recipe) {
                continue;
            }
            actions.push(Action::Deliver(*recipe));
            if self.scenario.lossy {
                actions.extend([Action::DeliverUnanswered(*recipe), Action::Lose(*recipe)]);
            }
            if state.doubles < self.scenario.doubles_max {
                actions.push(Action::Double(*recipe));
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        self.step(&mut state, action);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        law::laws()
    }
}

fn remove(state: &mut State, recipe: Recipe) {
    let at = state.network.iter().position(|other| *other == recipe).expect("it is on its way");
    state.network.remove(at);
}
