//! What the model finds in the rules that the code runs, and what is not mended yet. When a rule is mended its test here
//! fails, and the scenario moves to `holds`. All need a double of an acquire that arrives after the lease has passed on, and a
//! publish that is as late: the lease is taken once more for a writer that others have overtaken.

use super::check::check_broken;
use super::law;
use super::scenario::Scenario;
use crate::meta::Guards;

/// Another store's publish has no generation, so a generation is no obstacle to ours, however old.
#[test]
fn a_late_double_overwrites_the_newer_page_of_another_store() {
    let scenario = Scenario { foreign: true, ..Scenario::new("another store") };
    check_broken(scenario, law::NEVER_BACK, 20);
}

/// Without metadata the first generation is the time by the publisher's clock, and without the guard of expiry that time may
/// be later than that of whoever has taken the lease since.
#[test]
fn a_late_double_overwrites_a_newer_first_page_if_expiry_is_not_guarded() {
    let guards = Guards { expiry: false, ..Guards::default() };
    let scenario = Scenario { guards, ..Scenario::new("no guard of expiry, doubles") };
    check_broken(scenario, law::NEVER_BACK, 25);
}

/// The same with all guards, if the table has forgotten the lease and the next holder's clock is behind.
#[test]
fn a_late_double_overwrites_a_newer_first_page_if_the_lease_was_forgotten() {
    let name = "a lease forgotten, clocks apart";
    let scenario = Scenario { clocks: vec![2, 0], table_clock: 4, forgets: true, ..Scenario::new(name) };
    let scenario = Scenario { last_second: 1, ..scenario };
    check_broken(scenario, law::NEVER_BACK, 25);
}
