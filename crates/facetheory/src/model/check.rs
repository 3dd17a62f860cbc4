//! The walk through all states of a model, and what must come of it.

use stateright::{Checker, HasDiscoveries, Model, Property};

use super::action::{self, Action};
use super::law;
use super::scenario::Scenario;
use super::sight::Sight;
use super::state::{Phase, State};
use super::world::World;

impl Model for World {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::first(&self.scenario)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        action::possible(&self.scenario, state, actions);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let happens = match action {
            Action::Tick => return Some(State { time: last.time + 1, ..state }),
            Action::Edit => return Some(State { origin: last.origin + 1, ..state }),
            Action::Resend(worker) => self.resend(&mut state, worker),
            Action::Renew(worker) => self.renew(&mut state, worker),
            Action::Show(attempt) => self.show(&mut state, attempt),
            Action::SweepLook(attempt) => self.sweep_look(&mut state, attempt),
            Action::ForgetLock => self.forget_lock(&mut state),
            Action::ForgetRequest => self.forget_request(&mut state),
            Action::ForgetToken(attempt) => self.forget_token(&mut state, attempt),
            Action::Crash(worker) => {
                state.crashes += 1;
                state.workers[worker].phase = Phase::Idle;
                true
            }
            Action::Deliver(recipe) => self.deliver(&mut state, recipe, true),
            Action::DeliverUnanswered(recipe) => self.deliver(&mut state, recipe, false),
            action => {
                self.step(&mut state, action);
                true
            }
        };
        state.retire(self.server.view(state.rows).named, &self.scenario);
        happens.then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        law::laws()
    }
}

impl World {
    /// The steps that are possible whatever the rows are.
    fn step(&self, state: &mut State, action: Action) {
        match action {
            Action::Begin(worker) => self.begin(state, worker),
            Action::GiveUp(worker) => self.give_up(state, worker),
            Action::Look(worker) => self.look(state, worker),
            Action::Render(worker) => self.render(state, worker),
            Action::Fail(worker) => self.fail(state, worker),
            Action::Publish(worker) => self.publish(state, worker),
            Action::Settle(worker) => self.settle(state, worker),
            Action::Purge => self.purge(state),
            Action::ResendPurge => self.resend_purge(state),
            Action::SweepDelete => self.sweep_delete(state),
            other => panic!("{other:?} depends on the rows"),
        }
    }
}

/// Walks through all states. No law may be broken in any, and all of these must have been seen.
pub(super) fn check_laws(scenario: Scenario, sights: &[Sight]) {
    let name = scenario.name;
    let checker = World::new(scenario).checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    report(name, &checker);
    println!("counted: cache-model scenarios=1 states={}", checker.unique_state_count());
    if let Some((law, path)) = checker.discoveries().into_iter().next() {
        panic!("{name}: «{law}» is broken by {:#?}", path.into_actions());
    }
    for sight in sights {
        assert!(checker.model().sights.count(*sight) > 0, "{name}: the model never saw {sight:?}");
    }
}

/// Walks until a law is broken, which must happen within this many steps.
pub(super) fn check_broken(scenario: Scenario, law: &'static str, steps_max: usize) {
    let name = scenario.name;
    let wanted = HasDiscoveries::AllOf([law].into());
    let checker = World::new(scenario).checker().finish_when(wanted).spawn_bfs().join();
    report(name, &checker);
    let path = checker.discovery(law).unwrap_or_else(|| panic!("{name}: «{law}» holds")).into_actions();
    eprintln!("{name}: «{law}» is broken in {} steps: {path:?}", path.len());
    println!("counted: unsafe-recipes found=1");
    assert!(path.len() <= steps_max, "{name}: «{law}» takes {} steps", path.len());
}

fn report(name: &str, checker: &impl Checker<World>) {
    let (contents, evaluations) = checker.model().server.counts();
    eprintln!(
        "{name}: {} states, {} deep, {contents} contents of the rows, {evaluations} evaluations",
        checker.unique_state_count(),
        checker.max_depth(),
    );
}
