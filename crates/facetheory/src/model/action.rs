//! What can happen next.

use super::recipe::{Attempt, Recipe};
use super::scenario::Scenario;
use super::state::{Body, Phase, State};

/// One step. Workers are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// A second passes.
    Tick,
    /// The origin's content changes.
    Edit,
    /// A worker asks for the lease, and for the intent if it has one.
    Begin(usize),
    /// It sends the same request again, because no answer came.
    Resend(usize),
    /// It stops waiting for an answer.
    GiveUp(usize),
    /// It reads META and EPOCH after it has won the lease, and takes the time.
    Look(usize),
    /// The origin answers, and the body is put.
    Render(usize),
    /// The render fails.
    Fail(usize),
    /// It makes the lease longer.
    Renew(usize),
    /// It sends its publish.
    Publish(usize),
    /// It finds out what became of its publish.
    Settle(usize),
    /// It loses its memory.
    Crash(usize),
    /// A request arrives, and its answer too.
    Deliver(Recipe),
    /// A request arrives, and its answer is lost.
    DeliverUnanswered(Recipe),
    /// The admin reads META and sends a purge.
    Purge,
    /// The admin sends its purge again.
    ResendPurge,
    /// The admin shows an older version again.
    Show(Attempt),
    /// The sweep finds a body that is old and that no row names.
    SweepLook(Attempt),
    /// The sweep deletes what it has found.
    SweepDelete,
    /// The table removes the lease, the intent, or the token of a transaction, because their time is over.
    ForgetLock,
    ForgetRequest,
    ForgetToken(Attempt),
}

/// What may happen, as far as it does not depend on the rows. What turns out to change nothing is not a step.
pub(super) fn possible(scenario: &Scenario, state: &State, actions: &mut Vec<Action>) {
    if state.time < scenario.last_second {
        actions.push(Action::Tick);
    }
    if state.origin < scenario.edits {
        actions.push(Action::Edit);
    }
    for number in 0..state.workers.len() {
        of_worker(scenario, state, number, actions);
    }
    of_network(scenario, state, actions);
    of_admin(scenario, state, actions);
    if scenario.forgets {
        actions.extend([Action::ForgetLock, Action::ForgetRequest]);
        actions.extend((0..attempts(state)).map(Action::ForgetToken));
    }
}

fn of_worker(scenario: &Scenario, state: &State, number: usize, actions: &mut Vec<Action>) {
    let worker = &state.workers[number];
    match worker.phase {
        Phase::Idle if worker.begun < scenario.attempts => actions.push(Action::Begin(number)),
        Phase::Idle => {}
        Phase::Asking { sends, .. } | Phase::Publishing { sends, .. }
            if sends < scenario.sends_of(number) =>
        {
            actions.push(Action::Resend(number));
        }
        Phase::Asking { .. } | Phase::Publishing { .. } => actions.push(Action::GiveUp(number)),
        Phase::Leased => actions.push(Action::Look(number)),
        Phase::Rendering { .. } => actions.push(Action::Render(number)),
        Phase::Rendered { .. } => actions.push(Action::Publish(number)),
        Phase::Settling { .. } => actions.push(Action::Settle(number)),
    }
    if matches!(worker.phase, Phase::Rendering { .. }) && scenario.fails {
        actions.push(Action::Fail(number));
    }
    if matches!(worker.phase, Phase::Rendering { .. } | Phase::Rendered { .. }) && scenario.renews {
        actions.push(Action::Renew(number));
    }
    if worker.phase != Phase::Idle && state.crashes < scenario.crashes {
        actions.push(Action::Crash(number));
    }
}

fn of_network(scenario: &Scenario, state: &State, actions: &mut Vec<Action>) {
    let mut last = None;
    for message in &state.network {
        // Which of two copies arrives makes no difference.
        if last == Some(message.recipe) || !scenario.arrives(message.sent, state.time) {
            continue;
        }
        last = Some(message.recipe);
        actions.push(Action::Deliver(message.recipe));
        let waits = |recipe| {
            state.admin.waits.is_some_and(|(request, _)| request == recipe)
                || state.workers.iter().any(|worker| worker.phase.waits_for() == Some(recipe))
        };
        if waits(message.recipe) {
            actions.push(Action::DeliverUnanswered(message.recipe));
        }
    }
}

fn of_admin(scenario: &Scenario, state: &State, actions: &mut Vec<Action>) {
    match state.admin.waits {
        None if state.admin.begun < scenario.purges => actions.push(Action::Purge),
        Some((_, sends)) if sends < scenario.sends => actions.push(Action::ResendPurge),
        _ => {}
    }
    if scenario.versions && !state.admin.shown {
        actions.extend((0..attempts(state)).map(Action::Show));
    }
    if let Some(sweep) = scenario.sweep {
        let old = |put| state.time >= put && state.time - put > sweep.grace;
        let old = |attempt: &Attempt| matches!(state.attempts[usize::from(*attempt)].body, Body::Put(put) if old(put));
        match state.sweeping {
            None => actions.extend((0..attempts(state)).filter(old).map(Action::SweepLook)),
            Some(_) => actions.push(Action::SweepDelete),
        }
    }
}

fn attempts(state: &State) -> Attempt {
    Attempt::try_from(state.attempts.len()).expect("few attempts")
}
