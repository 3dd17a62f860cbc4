//! The laws. Those about a moment look at the state; those about a step are judged when a request is performed and leave a
//! mark in the state.

use stateright::Property;

use super::recipe::{Moment, Recipe};
use super::rules::{at, hash_text, token};
use super::server::View;
use super::state::State;
use super::world::World;
use crate::standing::{Standing, judge};

pub(super) const ONE_AT_WORK: &str = "while its lock holds, one runs the handler";
pub(super) const ANSWER_STAYS: &str = "an answer is never overwritten before its time is over";
pub(super) const NEVER_AGAIN: &str = "what was answered does not run again before its time is over";
pub(super) const ONLY_THE_OWNER: &str = "only the owner completes";
pub(super) const SAME_REQUEST: &str = "only the same request sees an answer, and no other one takes it over";
pub(super) const OWN_GHOST: &str = "a claim does not lose to itself";
pub(super) const LOCK_LASTS: &str = "no double makes a lock shorter";
pub(super) const ONCE: &str = "an effect in the completing transaction happens once";
pub(super) const NEVER_STUCK: &str = "a request that nobody works on can be claimed when its lock is over";

/// The laws about steps, in the order of their bits.
const STEPS: [&str; 6] = [ANSWER_STAYS, NEVER_AGAIN, ONLY_THE_OWNER, SAME_REQUEST, OWN_GHOST, LOCK_LASTS];

/// All laws, as stateright wants them.
pub(super) fn laws() -> Vec<Property<World>> {
    vec![
        Property::always(ONE_AT_WORK, |world: &World, state: &State| {
            let at_work = |worker: &usize| state.is_at_work(&world.scenario, *worker);
            (0..state.workers.len()).filter(at_work).count() <= 1
        }),
        Property::always(ANSWER_STAYS, |_, state| unbroken(state, ANSWER_STAYS)),
        Property::always(NEVER_AGAIN, |_, state| unbroken(state, NEVER_AGAIN)),
        Property::always(ONLY_THE_OWNER, |_, state| unbroken(state, ONLY_THE_OWNER)),
        Property::always(SAME_REQUEST, |_, state| unbroken(state, SAME_REQUEST)),
        Property::always(OWN_GHOST, |_, state| unbroken(state, OWN_GHOST)),
        Property::always(LOCK_LASTS, |_, state| unbroken(state, LOCK_LASTS)),
        Property::always(ONCE, |world: &World, state: &State| {
            world.scenario.keep < 100 || state.effects <= 1
        }),
        Property::always(NEVER_STUCK, never_stuck),
    ]
}

/// Judges a request that was performed.
pub(super) fn judge_done(state: &mut State, recipe: Recipe, before: Option<View>, after: Option<View>) {
    let Some(before) = before else { return };
    // Whoever claims says what time it is; nobody else may touch an answer at all.
    let over = matches!(recipe, Recipe::Claim { now, .. } if before.expires_at <= now);
    if before.completed && !over && after != Some(before) {
        breach(state, ANSWER_STAYS);
        if matches!(recipe, Recipe::Claim { .. }) {
            breach(state, NEVER_AGAIN);
        }
    }
    match recipe {
        Recipe::Complete { attempt, .. } if before.owner != attempt => breach(state, ONLY_THE_OWNER),
        Recipe::Claim { hash, .. } if !over && before.hash != hash => breach(state, SAME_REQUEST),
        _ => {}
    }
    if let Some(after) = after
        && before.processing
        && after.processing
        && before.owner == after.owner
        && after.locked_until < before.locked_until
    {
        breach(state, LOCK_LASTS);
    }
}

/// Judges what a claim that was refused is told, as the code reads the row that stood in its way.
pub(super) fn judge_told(
    world: &World,
    state: &mut State,
    claim: (u8, Moment, u8),
    before: View,
) -> Standing {
    let (attempt, now, hash) = claim;
    let row = world.server.item(state.row).expect("it was refused for a row");
    let standing = judge(&row, &hash_text(hash), &token(attempt), at(now));
    let is_own = before.processing && before.owner == attempt && before.expires_at > now;
    if is_own && standing != Standing::Ours {
        breach(state, OWN_GHOST);
    }
    let asked_for = |attempt: u8| world.scenario.hashes[usize::from(attempt / world.scenario.attempts)];
    if standing == Standing::Completed && before.answer.is_none_or(|answer| asked_for(answer) != hash) {
        breach(state, SAME_REQUEST);
    }
    standing
}

/// Of our rules it is asked that time is enough to claim what is not answered.
fn never_stuck(world: &World, state: &State) -> bool {
    let Some(view) = world.server.view(state.row) else { return true };
    let later = Recipe::Claim { attempt: 15, now: 60, hash: view.hash };
    world.scenario.seed || view.completed || world.server.apply(state.row, later).1
}

fn breach(state: &mut State, law: &str) {
    state.breaches |= bit(law);
}

fn unbroken(state: &State, law: &str) -> bool {
    state.breaches & bit(law) == 0
}

fn bit(law: &str) -> u16 {
    1 << STEPS.iter().position(|step| *step == law).expect("a law about steps")
}
