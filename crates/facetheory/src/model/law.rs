//! The laws. Those about a moment look at the state; those about a step are judged when a request is performed and leave a
//! mark in the state.

use stateright::Property;

use super::recipe::{Attempt, Publish, Recipe, Term};
use super::rows::View;
use super::server::Answer;
use super::state::{Body, Phase, State, Told};
use super::world::World;
use crate::meta::transaction::publish;

pub(super) const NEVER_BACK: &str = "META never goes back";
pub(super) const ONLY_THE_HOLDER: &str = "only the holder publishes";
pub(super) const PURGE_STANDS: &str = "a purge is never undone";
pub(super) const BODY_THERE: &str = "META, VER and REQ never name a missing body";
pub(super) const TOLD_THE_TRUTH: &str = "who is told published has, and who is told lost has not";
pub(super) const NOT_TOO_YOUNG: &str = "generated_at is not later than the origin was asked";
pub(super) const ONE_PER_LEASE: &str = "at most one publish per lease";
pub(super) const OWN_GHOST: &str = "an acquire does not lose to itself";
pub(super) const HOLDER_WELCOME: &str = "the holder is not refused";
pub(super) const LEASE_LASTS: &str = "no double makes a lease shorter";
pub(super) const LEASE_ENDS: &str = "a lease can be taken when its time is over";
pub(super) const COUNTED_ONCE: &str = "a failure is counted once";
pub(super) const COMPLETED_STAYS: &str = "a completed intent stays as it is";
pub(super) const OTHER_HASH: &str = "an intent with another hash is refused";
pub(super) const NEVER_STUCK: &str = "an intent that nobody works on can be begun again";
pub(super) const HASH_THERE: &str = "no intent is without its hash";

/// The laws about steps, in the order of their bits.
const STEPS: [&str; 9] = [
    TOLD_THE_TRUTH,
    ONE_PER_LEASE,
    NEVER_BACK,
    ONLY_THE_HOLDER,
    OWN_GHOST,
    HOLDER_WELCOME,
    LEASE_LASTS,
    COMPLETED_STAYS,
    OTHER_HASH,
];

/// All laws, as stateright wants them.
pub(super) fn laws() -> Vec<Property<World>> {
    vec![
        Property::always(NEVER_BACK, |_, state| unbroken(state, NEVER_BACK)),
        Property::always(ONLY_THE_HOLDER, |_, state| unbroken(state, ONLY_THE_HOLDER)),
        Property::always(OWN_GHOST, |_, state| unbroken(state, OWN_GHOST)),
        Property::always(HOLDER_WELCOME, |_, state| unbroken(state, HOLDER_WELCOME)),
        Property::always(LEASE_LASTS, |_, state| unbroken(state, LEASE_LASTS)),
        Property::always(COMPLETED_STAYS, |_, state| unbroken(state, COMPLETED_STAYS)),
        Property::always(OTHER_HASH, |_, state| unbroken(state, OTHER_HASH)),
        Property::always(PURGE_STANDS, purge_stands),
        Property::always(BODY_THERE, body_there),
        Property::always(TOLD_THE_TRUTH, |_, state| unbroken(state, TOLD_THE_TRUTH)),
        Property::always(NOT_TOO_YOUNG, not_too_young),
        Property::always(ONE_PER_LEASE, |_, state| unbroken(state, ONE_PER_LEASE)),
        Property::always(LEASE_ENDS, lease_ends),
        Property::always(COUNTED_ONCE, counted_once),
        Property::always(NEVER_STUCK, never_stuck),
        Property::always(HASH_THERE, |world: &World, state: &State| {
            world.server.view(state.rows).request.is_none_or(|request| request.hash.is_some())
        }),
    ]
}

/// Judges a step: a request that was performed, and not only recognised by its token.
pub(super) fn judge(state: &mut State, recipe: Recipe, before: &View, after: &View, answer: Answer) {
    match (recipe, answer) {
        (Recipe::Publish(publish), Answer::Done) => judge_published(state, &publish, before, after),
        (Recipe::Publish(publish), Answer::Refused(places)) => {
            let is_holder = before.lock.and_then(|lock| lock.holder) == Some(publish.attempt);
            let unchanged = before.meta.map(|meta| meta.body) == publish.ground.body;
            if is_holder && unchanged && places == 1 << publish::META {
                breach(state, HOLDER_WELCOME);
            }
        }
        (Recipe::Acquire(term) | Recipe::Claim { term, .. }, Answer::Refused(places)) => {
            judge_refused_acquire(state, recipe, term, before, places);
        }
        (Recipe::Claim { hash, .. } | Recipe::Begin { hash, .. }, Answer::Done)
            if before.request.is_some_and(|request| request.hash != Some(hash)) =>
        {
            breach(state, OTHER_HASH);
        }
        _ => {}
    }
    if let (Some(old), Some(new)) = (before.lock, after.lock)
        && old.holder.is_some()
        && old.holder == new.holder
        && new.expires < old.expires
    {
        breach(state, LEASE_LASTS);
    }
    if let (Some(old), Some(new)) = (before.request, after.request)
        && old.completed
        && old != new
    {
        breach(state, COMPLETED_STAYS);
    }
}

fn judge_published(state: &mut State, publish: &Publish, before: &View, after: &View) {
    if std::mem::replace(&mut state.trial(publish.attempt).committed, true) {
        breach(state, ONE_PER_LEASE);
    }
    judge_told(state, publish.attempt);
    if before.lock.and_then(|lock| lock.holder) != Some(publish.attempt) {
        breach(state, ONLY_THE_HOLDER);
    }
    let content = |state: &mut State, view: &View| {
        view.meta.and_then(|meta| state.trial(meta.body).read).map(|read| read.content)
    };
    let generation = |view: &View| view.meta.and_then(|meta| meta.generation);
    let backwards = content(state, after) < content(state, before);
    let numbers = generation(before).zip(generation(after));
    if backwards || numbers.is_some_and(|(old, new)| new <= old) {
        breach(state, NEVER_BACK);
    }
}

/// Judges what a worker was told, when it is told and when a publish is done that it was told of.
pub(super) fn judge_told(state: &mut State, attempt: Attempt) {
    let trial = *state.trial(attempt);
    let true_so_far = match trial.told {
        Told::Published => trial.committed,
        Told::Lost => !trial.committed,
        Told::Nothing | Told::Unknown => true,
    };
    if !true_so_far {
        breach(state, TOLD_THE_TRUTH);
    }
}

/// Whether a worker that waits is told that another has the lease, which is its own.
fn judge_refused_acquire(state: &mut State, recipe: Recipe, term: Term, before: &View, places: u8) {
    let is_holder = before.lock.and_then(|lock| lock.holder) == Some(term.attempt);
    let waits = state.workers.iter().any(|worker| worker.phase.waits_for() == Some(recipe));
    // The first place is the lease; a claim may lose its intent and keep to this law.
    if is_holder && waits && places & 1 != 0 {
        breach(state, OWN_GHOST);
    }
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

fn purge_stands(world: &World, state: &State) -> bool {
    world.server.view(state.rows).meta.is_none_or(|meta| {
        let read = state.attempts[usize::from(meta.body)].read;
        !meta.unpurged || read.is_some_and(|read| read.purges == state.purges)
    })
}

fn body_there(world: &World, state: &State) -> bool {
    let named = world.server.view(state.rows).named;
    let mut trials = state.attempts.iter().enumerate();
    trials.all(|(attempt, trial)| named & (1 << attempt) == 0 || matches!(trial.body, Body::Put(_)))
}

fn not_too_young(world: &World, state: &State) -> bool {
    let meta = world.server.view(state.rows).meta;
    meta.is_none_or(|meta| !state.attempts[usize::from(meta.body)].too_young)
}

fn lease_ends(world: &World, state: &State) -> bool {
    world.server.apply(state.rows, Recipe::Acquire(LATER)).1 == Answer::Done
}

fn counted_once(world: &World, state: &State) -> bool {
    let failed = state.attempts.iter().filter(|trial| trial.failed).count();
    world.server.view(state.rows).lock.is_none_or(|lock| usize::from(lock.fail_count) <= failed)
}

fn never_stuck(world: &World, state: &State) -> bool {
    let Some(request) = world.server.view(state.rows).request else { return true };
    let worked_on = state.workers.iter().any(|worker| worker.phase != Phase::Idle);
    // Of our rules more is asked than of the seed: whoever works on it, time is enough to take it.
    let (probe, excused) = match world.scenario.seed {
        None => (Recipe::Claim { term: LATER, hash: request.hash.unwrap_or_default() }, false),
        Some(_) => (Recipe::Begin { attempt: LATER.attempt, hash: 0 }, worked_on),
    };
    request.completed || excused || world.server.apply(state.rows, probe).1 == Answer::Done
}

/// A worker that comes when all that waits has waited enough.
const LATER: Term = Term { attempt: 15, now: 100, expires: 102 };
