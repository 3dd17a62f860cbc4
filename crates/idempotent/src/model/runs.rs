//! The walks through all states: our rules keep the laws, and the seed's condition does not.

use stateright::{Checker, HasDiscoveries, Model};

use super::law::{ANSWER_STAYS, NEVER_AGAIN, ONCE, ONE_AT_WORK};
use super::scenario::Scenario;
use super::world::World;

/// Walks through all states; no law may be broken in any.
fn check_laws(scenario: Scenario) {
    let name = scenario.name;
    let checker = World::new(scenario).checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    eprintln!("{name}: {} states, {} deep", checker.unique_state_count(), checker.max_depth());
    println!("counted: request-model scenarios=1 states={}", checker.unique_state_count());
    if let Some((law, path)) = checker.discoveries().into_iter().next() {
        panic!("{name}: «{law}» is broken by {:#?}", path.into_actions());
    }
    assert!(checker.unique_state_count() > 100, "{name}: almost nothing happened");
}

/// Walks until a law is broken, which must happen within this many steps.
fn check_broken(scenario: Scenario, law: &'static str, steps_max: usize) {
    let name = scenario.name;
    let wanted = HasDiscoveries::AllOf([law].into());
    let checker = World::new(scenario).checker().finish_when(wanted).spawn_bfs().join();
    let path = checker.discovery(law).unwrap_or_else(|| panic!("{name}: «{law}» holds")).into_actions();
    eprintln!("{name}: «{law}» is broken in {} steps: {path:?}", path.len());
    println!("counted: unsafe-recipes found=1");
    assert!(path.len() <= steps_max, "{name}: «{law}» takes {} steps", path.len());
}

#[test]
fn two_workers_with_lost_answers_and_a_crash_keep_the_laws() {
    let scenario = Scenario {
        lossy: true,
        sends_max: 2,
        crashes_max: 1,
        time_max: 4,
        ..Scenario::new("lost answers, a crash")
    };
    check_laws(scenario);
}

#[test]
fn clocks_that_differ_by_two_seconds_keep_the_laws() {
    for clocks in [vec![0, 2], vec![2, 0]] {
        let scenario = Scenario { clocks, beats: true, time_max: 6, ..Scenario::new("skewed clocks") };
        check_laws(scenario);
    }
}

#[test]
fn clocks_that_differ_by_more_than_the_margin_run_the_handler_beside_each_other() {
    let scenario = Scenario { clocks: vec![0, 3], ..Scenario::new("clocks too far apart") };
    check_broken(scenario, ONE_AT_WORK, 12);
}

#[test]
fn requests_that_come_twice_keep_the_laws() {
    let scenario = Scenario { doubles_max: 2, beats: true, time_max: 4, ..Scenario::new("doubled requests") };
    check_laws(scenario);
}

#[test]
fn workers_that_give_up_and_come_again_keep_the_laws() {
    check_laws(Scenario { attempts: 2, gives_up: true, time_max: 4, ..Scenario::new("giving up") });
}

#[test]
fn two_requests_with_one_key_keep_the_laws() {
    let scenario = Scenario { hashes: vec![0, 1], attempts: 2, time_max: 4, ..Scenario::new("two requests") };
    check_laws(scenario);
}

#[test]
fn records_whose_time_is_over_keep_the_laws() {
    let scenario = Scenario { keep: 4, attempts: 2, time_max: 7, ..Scenario::new("short records") };
    check_laws(scenario);
}

#[test]
fn three_workers_keep_the_laws() {
    let three = Scenario { clocks: vec![0, 1, 0], hashes: vec![0; 3], ..Scenario::new("three workers") };
    check_laws(three);
}

/// Seed 004, G35: both read "absent", one completes, and the other's condition `Status <> PROCESSING` is true.
#[test]
fn g35_the_seeds_condition_runs_the_handler_twice() {
    let seed = Scenario { seed: true, time_max: 0, ..Scenario::new("the seed") };
    check_broken(seed, NEVER_AGAIN, 12);
}

#[test]
fn g35_the_seeds_condition_overwrites_an_answer() {
    let seed = Scenario { seed: true, time_max: 0, ..Scenario::new("the seed") };
    check_broken(seed, ANSWER_STAYS, 12);
}

/// Even an effect that is a part of the completing transaction: both complete, each with its own token.
#[test]
fn the_seeds_condition_does_the_effect_twice() {
    let seed = Scenario { seed: true, time_max: 0, ..Scenario::new("the seed") };
    check_broken(seed, ONCE, 12);
}
