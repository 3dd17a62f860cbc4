//! The defects of the services that this machine follows, by the numbers of the studies that found them, and the tests that
//! show that they are not here.

/// What shows that a defect is not here.
enum Shown {
    /// Tests of these names, in these files.
    Tests(&'static [(&'static str, &'static str)]),
    /// It concerns something that this crate does not make.
    NotOurs(&'static str),
}

use Shown::{NotOurs, Tests};

const FILES: [(&str, &str); 14] = [
    ("bodies", include_str!("bodies.rs")),
    ("claims", include_str!("claims.rs")),
    ("crowd", include_str!("crowd.rs")),
    ("endings", include_str!("endings.rs")),
    ("hostile", include_str!("hostile.rs")),
    ("orphans", include_str!("orphans.rs")),
    ("process", include_str!("process.rs")),
    ("table", include_str!("table.rs")),
    ("trouble", include_str!("trouble.rs")),
    ("fingerprint", include_str!("../../src/fingerprint.rs")),
    ("keep", include_str!("../../src/keep.rs")),
    ("moment", include_str!("../../src/moment.rs")),
    ("scope", include_str!("../../src/scope.rs")),
    ("model", include_str!("../../src/model/runs.rs")),
];

const DEFECTS: [(&str, &str, Shown); 12] = [
    (
        "G31",
        "duplicates ran beside each other, because a refused claim was swallowed",
        Tests(&[
            ("crowd", "of_a_hundred_duplicates_at_once_one_runs"),
            ("claims", "the_first_runs_the_second_is_told_and_the_third_gets_the_answer"),
        ]),
    ),
    (
        "G32",
        "a store that could not be read passed for a new request",
        Tests(&[
            ("process", "without_the_store_the_handler_does_not_run"),
            ("hostile", "without_a_table_the_error_is_the_stores"),
        ]),
    ),
    (
        "G33",
        "5xx were kept, keys had no scope, headers were lost, and large answers broke the row",
        Tests(&[
            ("keep", "g33_a_failure_of_the_server_is_not_kept_unless_that_is_asked_for"),
            ("claims", "an_answer_is_kept_as_the_rule_says"),
            ("claims", "two_principals_with_one_key_never_meet"),
            ("claims", "time_to_live_frees_space_and_answers_nothing"),
            ("bodies", "bytes_of_any_kind_and_length_come_back"),
            ("bodies", "an_answer_too_large_to_be_kept_is_done_and_not_done_again"),
        ]),
    ),
    ("G34", "a permission was granted that does not exist", NotOurs("roles are made by `theory synth`")),
    (
        "G35",
        "a claim overwrote an answer, and locks were compared as texts of different precision",
        Tests(&[
            ("moment", "g35_a_lock_never_ends_early_whatever_digits_its_text_has"),
            ("model", "g35_the_seeds_condition_runs_the_handler_twice"),
            ("model", "g35_the_seeds_condition_overwrites_an_answer"),
            ("table", "rows_of_the_seeds_services_are_understood"),
        ]),
    ),
    (
        "G36",
        "a crash blocked a request until its row was deleted, anybody could complete, and no hash was compared",
        Tests(&[
            ("orphans", "an_orphan_is_done_again_by_one"),
            ("claims", "only_the_owner_ends_an_attempt"),
            ("claims", "another_request_with_the_same_key_is_a_mismatch_in_every_state"),
            ("claims", "a_record_that_is_over_means_nothing_though_it_is_still_there"),
        ]),
    ),
    ("G37", "a semaphore took 256 writes", NotOurs("slots are the limiter's")),
    (
        "G38",
        "a failure was kept as a success, and a repetition called itself without end",
        Tests(&[("process", "a_handler_that_fails_is_tried_again_unless_it_failed_for_good")]),
    ),
    (
        "F25",
        "a key that a client chose named the row, so that it could be another's",
        Tests(&[
            ("scope", "f25_no_two_scopes_have_one_row"),
            ("claims", "two_principals_with_one_key_never_meet"),
            ("process", "keys_that_are_none_are_refused_and_nothing_is_asked"),
        ]),
    ),
    (
        "F26",
        "the hash was compared only of what was done, and differed with the order of keys",
        Tests(&[
            ("fingerprint", "f26_canonical_json_has_sorted_keys_and_no_blanks"),
            ("claims", "another_request_with_the_same_key_is_a_mismatch_in_every_state"),
        ]),
    ),
    (
        "F27",
        "an update named half a key, and the first read was not consistent",
        Tests(&[("process", "what_is_stored_has_the_shape_of_the_seed")]),
    ),
    (
        "F28",
        "moments as texts of different precision do not sort",
        Tests(&[("moment", "f28_whatever_the_precision_a_lock_that_is_over_has_ended")]),
    ),
];

#[test]
fn every_defect_has_its_tests() {
    for (number, what, shown) in DEFECTS {
        match shown {
            Tests(tests) => {
                for (file, name) in tests {
                    let text = FILES.iter().find(|(other, _)| other == file).map(|(_, text)| *text);
                    let text = text.unwrap_or_else(|| panic!("{number} ({what}) names no file {file}"));
                    assert!(text.contains(&format!("fn {name}(")), "{number} ({what}): {name} is gone");
                }
            }
            NotOurs(why) => assert!(!why.is_empty(), "{number} ({what})"),
        }
    }
}
