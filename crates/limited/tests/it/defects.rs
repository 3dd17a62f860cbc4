//! The defects of the limiters that this one follows, and of the seed's recipe, by the numbers of the studies that found them, and which
//! tests show that they are not here. Tests are named by their file below the crate.

mod regressions;

/// Tests, each with its file.
type Tests = &'static [(&'static str, &'static str)];

const ORACLE: &str = "tests/it/oracle.rs";
const SMOOTH: &str = "tests/it/oracle/smooth.rs";
const RETRY: &str = "tests/it/oracle/retry.rs";
const FIGURES: &str = "tests/it/figures.rs";
const TROUBLE: &str = "tests/it/trouble.rs";
const CROWD: &str = "tests/it/limiter/crowd.rs";
const HERE: &str = "tests/it/defects/regressions.rs";
const LAYER: &str = "src/service/tests";

const DEFECTS: [(&str, &str, Tests); 28] = [
    (
        "G18",
        "a table of another shape was no limit at all, in silence",
        &[
            (TROUBLE, "a_table_of_another_shape_is_an_error_and_never_open"),
            (TROUBLE, "no_table_is_an_error_and_never_open"),
            (TROUBLE, "a_table_that_is_gone_after_an_outage_is_loud_for_everyone"),
            (LAYER, "a_store_that_cannot_be_asked_is_an_error_of_the_server"),
        ],
    ),
    (
        "G19",
        "a sliding window allowed its limit in each of its parts",
        &[
            (HERE, "ten_in_ten_minutes_are_ten_however_they_are_spread"),
            (ORACLE, "a_sliding_window_decides_as_its_weighted_count_says"),
        ],
    ),
    (
        "G20",
        "of several windows only the advertised limit changed, and their use was told as nothing",
        &[
            (HERE, "every_limit_of_several_is_kept_and_told"),
            ("tests/it/limiter/overridden.rs", "limits_of_ones_own_are_kept_and_told"),
            (ORACLE, "several_limits_allow_together_or_nothing_is_counted"),
        ],
    ),
    (
        "G21",
        "windows of other lengths shared a count",
        &[
            (HERE, "limits_of_other_lengths_never_share_a_count"),
            ("src/whole_row.rs", "windows_of_other_lengths_have_other_rows"),
        ],
    ),
    (
        "G22",
        "names of attributes and windows differed between languages and time zones",
        &[(HERE, "a_window_has_the_attributes_of_the_seed_and_a_name_in_utc")],
    ),
    (
        "G23",
        "who met others at a row was denied, or let through uncounted",
        &[
            (CROWD, "who_loses_a_log_to_others_again_and_again_is_decided_by_the_store_all_the_same"),
            (CROWD, "of_200_at_once_exactly_the_limit_is_allowed_in_one_process_and_in_four"),
            (TROUBLE, "each_outage_is_answered_as_the_settings_say_and_shows_in_the_counts"),
        ],
    ),
    (
        "G24",
        "random keys opened new buckets, and secrets became keys",
        &[
            (LAYER, "random_keys_are_bounded_by_the_address_that_sends_them"),
            (LAYER, "a_secret_never_reaches_the_store"),
            ("src/address/tests.rs", "whatever_a_client_sends_it_is_who_called_the_first_proxy"),
        ],
    ),
    (
        "G25",
        "denied callers were not told when to come again, and fail-closed could be defeated",
        &[
            (LAYER, "who_is_denied_is_told_why_and_until_when_and_the_handler_does_not_run"),
            (LAYER, "a_store_that_does_not_answer_is_told_as_it_is"),
            (TROUBLE, "each_outage_is_answered_as_the_settings_say_and_shows_in_the_counts"),
        ],
    ),
    (
        "G26",
        "Retry-After was rounded down to 0, and who was let through without a store was told 0",
        &[
            (RETRY, "who_comes_when_told_is_allowed_and_one_millisecond_earlier_denied"),
            (
                "src/headers/tests.rs",
                "retry_after_is_rounded_up_and_at_least_a_second_and_not_before_the_reset",
            ),
            ("src/headers/tests.rs", "nothing_is_told_of_what_nobody_counted_or_only_watches"),
        ],
    ),
    (
        "G27",
        "a fixed window doubled around its boundary, and one row carried a hot key",
        &[
            (HERE, "at_a_boundary_only_a_fixed_window_doubles"),
            (FIGURES, "leases_of_fifty_take_five_calls_for_a_hundred_decisions_at_most"),
            (
                "tests/it/limiter.rs",
                "shards_together_allow_no_more_than_the_limit_and_are_seen_and_forgotten_as_one",
            ),
        ],
    ),
    (
        "G28",
        "rows expired by an attribute that nobody wrote",
        &[(HERE, "rows_expire_by_the_attribute_that_the_table_names_and_not_while_they_count")],
    ),
    (
        "G29",
        "counts were lost between reading and writing",
        &[(CROWD, "of_200_at_once_exactly_the_limit_is_allowed_in_one_process_and_in_four")],
    ),
    (
        "G30",
        "the seed's increment was refused, its first request denied, its sliding window not weighed",
        &[
            (FIGURES, "allow_first_hit_and_denial_cost_one_call_each_whatever_the_rule"),
            (SMOOTH, "smooth_traffic_is_admitted_to_110_of_100_at_most_and_never_denied_below_90"),
        ],
    ),
    (
        "G37",
        "a semaphore tried 256 slots one after the other, and gave one owner several",
        &[("tests/it/slots.rs", "never_more_holders_than_slots_whatever_happens_at_once")],
    ),
    (
        "F28",
        "moments as text were compared by their letters, in local time",
        &[
            (HERE, "moments_that_decide_are_numbers"),
            (HERE, "a_window_has_the_attributes_of_the_seed_and_a_name_in_utc"),
        ],
    ),
    (
        "F29",
        "one path was changed twice in an expression",
        &[(HERE, "no_request_changes_an_attribute_twice")],
    ),
    (
        "F30",
        "a bare comparison denied the first request of a window for ever",
        &[(HERE, "the_first_request_of_a_window_is_allowed_by_every_rule")],
    ),
    (
        "F31",
        "reserved words were written out, and indexes got empty keys",
        &[(HERE, "nobody_is_written_as_an_empty_key")],
    ),
    (
        "F32",
        "a lost answer counted twice",
        &[
            (HERE, "a_charge_whose_answer_is_lost_is_sent_once"),
            (TROUBLE, "with_lost_answers_nothing_is_admitted_uncounted_when_closed"),
        ],
    ),
    (
        "F33",
        "windows let too many or too few through",
        &[
            (SMOOTH, "smooth_traffic_is_admitted_to_110_of_100_at_most_and_never_denied_below_90"),
            (ORACLE, "a_bucket_allows_at_most_its_rate_and_its_burst_in_any_time"),
            (HERE, "at_a_boundary_only_a_fixed_window_doubles"),
        ],
    ),
    (
        "F34",
        "two windows were read and a third written",
        &[(FIGURES, "allow_first_hit_and_denial_cost_one_call_each_whatever_the_rule")],
    ),
    ("§6.1", "as F29", &[(HERE, "no_request_changes_an_attribute_twice")]),
    ("§6.2", "as F30", &[(HERE, "the_first_request_of_a_window_is_allowed_by_every_rule")]),
    (
        "§6.5",
        "the whole window before was added",
        &[(HERE, "a_saturated_sliding_window_gives_its_whole_limit")],
    ),
    ("§6.8", "as G19", &[(HERE, "ten_in_ten_minutes_are_ten_however_they_are_spread")]),
    (
        "§6.9",
        "overrides were told and not kept",
        &[("tests/it/limiter/overridden.rs", "limits_of_ones_own_are_kept_and_told")],
    ),
    ("§6.10", "settings were never read", &[(HERE, "every_setting_and_the_burst_change_what_happens")]),
    (
        "§6.11",
        "the left end of X-Forwarded-For was believed, secrets were keys, Retry-After could be 0",
        &[
            ("src/address/tests.rs", "hops_are_counted_from_the_right"),
            (LAYER, "a_secret_never_reaches_the_store"),
            (
                "src/headers/tests.rs",
                "retry_after_is_rounded_up_and_at_least_a_second_and_not_before_the_reset",
            ),
        ],
    ),
];

#[test]
fn every_defect_has_its_tests_and_they_exist() {
    for (number, what, tests) in DEFECTS {
        assert!(!tests.is_empty(), "{number} ({what})");
        for (place, name) in tests {
            assert!(
                texts(place).contains(&format!("fn {name}(")),
                "{number} ({what}) has no {name} in {place}"
            );
        }
    }
}

/// A file of this crate, or all files of a folder.
fn texts(place: &str) -> String {
    let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(place);
    if place.is_file() {
        return std::fs::read_to_string(place).unwrap();
    }
    let files = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}
