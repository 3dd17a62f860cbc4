//! The defects of the cache that this one follows, by the numbers of the study that found them, and what shows that they are
//! not here. Scenes name the number in their first lines.

use crate::scenes::SCENES;

/// What shows that a defect is not here.
enum Shown {
    /// Scenes of these names.
    Scenes(&'static [&'static str]),
    /// It concerns something that this crate does not make.
    NotOurs(&'static str),
}

use Shown::{NotOurs, Scenes};

const DEFECTS: [(&str, &str, Shown); 23] = [
    (
        "G1",
        "a render longer than the lease never succeeded",
        Scenes(&[
            "a_render_of_three_leases_is_published",
            "a_body_that_takes_three_leases_to_store_is_published",
        ]),
    ),
    ("G2", "a page that broke off was kept", Scenes(&["half_a_body_is_never_kept_and_never_served"])),
    ("G3", "a POST poisoned GET", Scenes(&["a_post_is_never_kept_and_never_answered_from_the_cache"])),
    ("G4", "a path passed for a query", Scenes(&["a_path_never_passes_for_a_query"])),
    ("G5", "redirects lost their `Location`", Scenes(&["a_redirect_keeps_where_it_leads"])),
    (
        "G6",
        "private pages were kept",
        Scenes(&[
            "what_the_origin_keeps_private_is_not_kept",
            "a_private_answer_is_not_shared_with_those_who_wait",
        ]),
    ),
    ("G7", "nonces were replayed", Scenes(&["a_nonce_is_never_replayed"])),
    (
        "G8",
        "a failure after the commit was a 500",
        Scenes(&[
            "a_publish_whose_answers_are_lost_is_a_success",
            "a_lease_that_cannot_be_given_back_is_no_failure",
        ]),
    ),
    (
        "G9",
        "a body that could not be read was a 500",
        Scenes(&["a_body_that_cannot_be_read_is_a_miss", "a_body_that_is_gone_or_altered_is_a_miss"]),
    ),
    (
        "G10",
        "a store that was out of reach was a 500",
        Scenes(&[
            "without_the_store_the_last_known_page_is_served",
            "without_the_store_a_page_is_rendered_and_not_kept",
        ]),
    ),
    ("G11", "one expiry was rendered twice", Scenes(&["who_wins_the_lease_looks_again_before_rendering"])),
    (
        "G12",
        "waiters polled blindly",
        Scenes(&[
            "waiters_wake_when_the_page_is_published",
            "waiters_wake_when_the_render_fails",
            "waiters_wake_when_the_lease_ends",
        ]),
    ),
    (
        "G13",
        "failures were repeated at once, and pages served at any age",
        Scenes(&[
            "after_a_failure_nobody_tries_until_the_pause_is_over",
            "a_page_older_than_the_maximum_is_never_served_stale",
        ]),
    ),
    (
        "G14",
        "nothing could be purged, and a purge during a render was a 500",
        Scenes(&[
            "a_purge_during_a_render_is_not_undone",
            "a_page_that_is_purged_again_and_again_is_served_and_not_kept",
        ]),
    ),
    ("G15", "a long key was a 500", Scenes(&["a_key_of_any_length_has_a_place"])),
    ("G16", "bodies were never removed", Scenes(&["the_sweep_removes_what_nothing_names_and_nothing_else"])),
    ("G17", "bodies could be fetched past the cache", NotOurs("a distribution's origins: `theory synth`")),
    ("G17b", "two deployments deleted each other's files", NotOurs("a stack's deployments: `theory synth`")),
    (
        "G17c",
        "`stale-if-error` beside `must-revalidate`",
        NotOurs("`Cache-Control` towards visitors is the gateway's; the origin's own is replayed as it is"),
    ),
    (
        "G17d",
        "a conflict passed for a lost lease",
        Scenes(&["a_conflict_is_tried_again_and_is_not_a_lost_lease"]),
    ),
    (
        "G17e",
        "leases and windows were rounded down",
        Scenes(&["freshness_ends_to_the_millisecond", "a_lease_is_never_shorter_than_it_was_asked_for"]),
    ),
    ("G17f", "one row stood twice in a transaction", Scenes(&["every_transaction_names_each_row_once"])),
    ("G17g", "time to live passed for an answer", Scenes(&["the_time_to_live_answers_no_question"])),
];

#[test]
fn every_defect_has_its_scenes_and_they_name_it() {
    for (number, what, shown) in DEFECTS {
        match shown {
            Scenes(names) => {
                for name in names {
                    let script = SCENES.iter().find(|(other, _)| other == name).map(|(_, script)| *script);
                    let script = script.unwrap_or_else(|| panic!("{number} ({what}) has no scene {name}"));
                    let tag = [format!("# {number}:"), format!("# {number} ")];
                    assert!(tag.iter().any(|tag| script.contains(tag)), "{name} does not name {number}");
                }
            }
            NotOurs(why) => assert!(!why.is_empty(), "{number} ({what})"),
        }
    }
}
