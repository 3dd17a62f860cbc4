//! The seeds' literal variants, and some that suggest themselves. Each must be found unsafe.

use super::check::check_broken;
use super::law;
use super::scenario::{Conduct, Scenario, Settles, Sweep};
use super::seed::Seed;
use crate::meta::Guards;

/// A worker renders, its lease ends, another publishes newer content, and the first one's publish is done after all: the lease
/// is there and has not ended, and nobody asks whose it is.
#[test]
fn expiry_without_a_token_lets_a_late_writer_overwrite() {
    let seed = Some(Seed::ExpiryOnly);
    let scenario = Scenario {
        seed,
        clocks: vec![0, 0, 1],
        sends: 1,
        last_second: 1,
        ..Scenario::recipe_a("expiry only")
    };
    check_broken(scenario.clone(), law::ONLY_THE_HOLDER, 12);
    check_broken(scenario, law::NEVER_BACK, 25);
}

/// Nothing tells a render that it began before the purge.
#[test]
fn recipe_a_undoes_a_purge() {
    let scenario = Scenario { purges: 1, ..Scenario::recipe_a("recipe A, purge") };
    check_broken(scenario, law::PURGE_STANDS, 9);
}

/// The answer is lost, the request is sent again, and the lease that it deletes is gone already.
#[test]
fn recipe_a_calls_a_publish_lost_that_is_done() {
    check_broken(Scenario::recipe_a("recipe A, lost answer"), law::TOLD_THE_TRUTH, 11);
}

/// The seed's example takes the time when it publishes.
#[test]
fn recipe_a_dates_a_page_later_than_the_origin_was_asked() {
    check_broken(Scenario { lease: 2, ..Scenario::recipe_a("recipe A, date") }, law::NOT_TOO_YOUNG, 9);
}

/// The answer is lost, and the acquire that is sent again meets a lease that has not ended: its own.
#[test]
fn recipe_a_loses_the_lease_to_itself() {
    check_broken(Scenario::recipe_a("recipe A, retried acquire"), law::OWN_GHOST, 9);
}

/// Whoever's clock is ahead publishes a date from the future, and nobody else may publish until time has caught up.
#[test]
fn the_monotonic_guard_refuses_the_holder_when_a_clock_is_ahead() {
    let guards = Guards { monotonic: true, ..Guards::default() };
    let scenario =
        Scenario { guards, clocks: vec![2, 0], purges: 1, sends: 1, ..Scenario::new("monotonic guard") };
    check_broken(scenario, law::HOLDER_WELCOME, 16);
}

/// A publish is refused, its worker deletes the body, and then the earlier copy of the same publish is done.
#[test]
fn deleting_the_body_of_a_refused_publish_leaves_a_pointer_to_nothing() {
    let conduct = Conduct { deletes_refused_body: true, ..Scenario::recipe_a("").conduct };
    let scenario = Scenario { conduct, ..Scenario::recipe_a("recipe A, body deleted") };
    check_broken(scenario, law::BODY_THERE, 11);
}

/// Reading who published last is not enough either, even with our rules: the other copy is on its way, and a double of the
/// acquire can take the lease for it once more.
#[test]
fn a_refusal_settled_by_the_publisher_alone_is_called_lost_too_early() {
    let conduct = Conduct { settles: Settles::ByPublisher, ..Scenario::new("").conduct };
    let scenario = Scenario {
        conduct,
        forgets: true,
        last_second: 3,
        edits: 0,
        ..Scenario::new("settled by publisher")
    };
    check_broken(scenario, law::TOLD_THE_TRUTH, 20);
}

/// The body is old enough to be swept before the last copy of its publish has arrived.
#[test]
fn a_sweep_with_too_short_a_grace_takes_a_body_that_is_published_later() {
    let sweep = Some(Sweep { grace: 1, flight: 1, spares_lease: false });
    let scenario =
        Scenario { sweep, last_second: 4, clocks: vec![0], edits: 0, ..Scenario::new("short grace") };
    check_broken(scenario, law::BODY_THERE, 14);
}

/// The intent is begun before the lease is taken; whoever gets no lease, or dies, leaves it STARTED for ever.
#[test]
fn seed_003_leaves_an_intent_stuck() {
    check_broken(intents("seed 003, stuck"), law::NEVER_STUCK, 9);
}

/// The table forgets the intent, and the bare update that completes it makes a row without a hash.
#[test]
fn seed_003_completes_an_intent_that_was_forgotten_without_its_hash() {
    check_broken(intents("seed 003, forgotten"), law::HASH_THERE, 14);
}

fn intents(name: &'static str) -> Scenario {
    let (seed, hashes) = (Some(Seed::Intents), Some(vec![0, 0]));
    Scenario { seed, hashes, lease: 3, last_second: 3, forgets: true, ..Scenario::recipe_a(name) }
}
