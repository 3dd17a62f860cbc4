//! Models of the rules that the code runs. No law is broken in any state.

use super::check::check_laws;
use super::scenario::{Scenario, Sweep};
use super::sight::Sight;
use crate::meta::Guards;

#[test]
fn two_workers_whose_clocks_differ_keep_the_laws() {
    let scenario = Scenario { clocks: vec![0, 1], crashes: 1, ..Scenario::new("two workers, one crash") };
    let sights = [Sight::Published, Sight::TakenOver, Sight::LeaseLost, Sight::Settled, Sight::Recognised];
    check_laws(scenario, &sights);
}

#[test]
fn a_worker_that_tries_again_meets_its_own_doubles() {
    let name = "one worker, three times";
    let scenario = Scenario { clocks: vec![0], attempts: 3, last_second: 1, ..Scenario::new(name) };
    check_laws(scenario, &[Sight::Published, Sight::GrantedAgain, Sight::Ghost, Sight::SecondLook]);
}

#[test]
fn two_workers_that_try_twice_keep_the_laws() {
    let name = "two workers, twice";
    let scenario =
        Scenario { clocks: vec![1, 0], attempts: 2, sends: 1, last_second: 1, ..Scenario::new(name) };
    check_laws(scenario, &[Sight::Published, Sight::TakenOver, Sight::LeaseLost, Sight::SecondLook]);
}

#[test]
fn three_workers_whose_clocks_differ_keep_the_laws() {
    let name = "three workers";
    let scenario = Scenario { clocks: vec![0, 1, 2], sends: 1, last_second: 1, ..Scenario::new(name) };
    check_laws(scenario, &[Sight::Published, Sight::TakenOver, Sight::LeaseLost]);
}

#[test]
fn a_purge_is_not_undone_by_a_render_under_way() {
    let name = "purge";
    let scenario =
        Scenario { clocks: vec![0], attempts: 2, purges: 1, edits: 0, last_second: 1, ..Scenario::new(name) };
    let sights = [Sight::PurgeMetRender, Sight::PurgeMetPublish, Sight::Published, Sight::Settled];
    check_laws(scenario, &sights);
}

#[test]
fn two_purges_are_not_undone_by_either_of_two_workers() {
    let name = "two workers, two purges";
    let scenario = Scenario { purges: 2, sends: 1, edits: 0, last_second: 1, ..Scenario::new(name) };
    check_laws(scenario, &[Sight::PurgeMetRender, Sight::PurgeMetPublish, Sight::Published]);
}

/// The lease goes and comes again with a double of its acquire; tokens of transactions are not known for ever.
#[test]
fn what_the_table_forgets_breaks_no_law() {
    let scenario = Scenario { last_second: 3, edits: 0, forgets: true, ..Scenario::new("time to live") };
    check_laws(scenario, &[Sight::LockForgotten, Sight::Ghost, Sight::Unknown, Sight::Published]);
}

#[test]
fn renewals_and_failures_that_come_late_break_no_law() {
    let name = "renewals and failures";
    let scenario = Scenario { renews: true, fails: true, edits: 0, sends: 1, ..Scenario::new(name) };
    check_laws(scenario, &[Sight::Renewed, Sight::Patience, Sight::Published]);
}

#[test]
fn an_intent_is_done_once_and_never_stuck() {
    let hashes = Some(vec![0, 0]);
    let scenario = Scenario { hashes, crashes: 1, fails: true, edits: 0, ..Scenario::new("intents") };
    check_laws(scenario, &[Sight::Completed, Sight::IntentTaken, Sight::IntentAgain, Sight::Recognised]);
}

#[test]
fn an_intent_that_the_table_forgets_is_not_made_again_without_its_hash() {
    let scenario = Scenario {
        hashes: Some(vec![0, 1]),
        lease: 3,
        last_second: 4,
        sends: 1,
        edits: 0,
        forgets: true,
        ..Scenario::new("intents and time to live")
    };
    check_laws(scenario, &[Sight::HashRefused, Sight::IntentForgotten, Sight::IntentLost]);
}

/// The grace is a lease, the time for which a publish is sent again, and the time for which a request is on its way.
#[test]
fn the_sweep_takes_no_body_that_is_named() {
    let sweep = Some(Sweep { grace: 3, flight: 1, spares_lease: false });
    let scenario =
        Scenario { sweep, last_second: 5, clocks: vec![0], attempts: 2, edits: 0, ..Scenario::new("sweep") };
    check_laws(scenario, &[Sight::Swept, Sight::Spared, Sight::Published]);
}

/// A worker that is stopped between making its publish and sending it may be as late as it likes, if what the lease can still
/// publish is spared too, and no request is doubled.
#[test]
fn a_sweep_that_spares_the_body_of_the_lease_needs_no_grace() {
    let sweep = Some(Sweep { grace: 0, flight: 9, spares_lease: true });
    let scenario = Scenario { sweep, sends: 1, edits: 0, ..Scenario::new("sweep that spares the lease") };
    check_laws(scenario, &[Sight::Swept, Sight::Spared, Sight::Published]);
}

#[test]
fn the_token_alone_is_enough_for_safety() {
    let guards = Guards { expiry: false, ..Guards::default() };
    let name = "no guard of expiry";
    let scenario =
        Scenario { guards, clocks: vec![0, 1], attempts: 2, sends: 1, last_second: 1, ..Scenario::new(name) };
    check_laws(scenario, &[Sight::Published, Sight::TakenOver, Sight::LeaseLost]);
}

#[test]
fn the_guard_of_versions_refuses_no_holder() {
    let guards = Guards { version: true, ..Guards::default() };
    let scenario = Scenario { guards, purges: 1, sends: 1, ..Scenario::new("versions guarded") };
    check_laws(scenario, &[Sight::Published, Sight::PurgeMetRender]);
}

#[test]
fn a_version_that_is_shown_again_is_not_hidden_by_a_render_under_way() {
    let scenario =
        Scenario { versions: true, clocks: vec![0], attempts: 3, sends: 1, ..Scenario::new("versions") };
    check_laws(scenario, &[Sight::Shown, Sight::PurgeMetRender]);
}

/// Another store's publish has no generation. Ours is refused because it replaces the page it saw and no other.
#[test]
fn a_late_double_does_not_overwrite_the_newer_page_of_another_store() {
    let scenario = Scenario { foreign: true, ..Scenario::new("another store") };
    check_laws(scenario, &[Sight::Published, Sight::Ghost]);
}

/// Without metadata the first generation is the time by the publisher's clock, which may be later than that of whoever has
/// taken the lease since.
#[test]
fn a_late_double_does_not_overwrite_a_newer_first_page_though_expiry_is_not_guarded() {
    let guards = Guards { expiry: false, ..Guards::default() };
    let scenario = Scenario { guards, ..Scenario::new("no guard of expiry, doubles") };
    check_laws(scenario, &[Sight::Published, Sight::Ghost]);
}

/// The same with all guards, if the table has forgotten the lease and the next holder's clock is behind.
#[test]
fn a_late_double_does_not_overwrite_a_newer_first_page_though_the_lease_was_forgotten() {
    let name = "a lease forgotten, clocks apart";
    let scenario = Scenario { clocks: vec![2, 0], table_clock: 4, forgets: true, ..Scenario::new(name) };
    let scenario = Scenario { last_second: 1, ..scenario };
    check_laws(scenario, &[Sight::Published, Sight::Ghost]);
}
