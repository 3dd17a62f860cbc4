//! One test for each scene. The file's name is the claim.

use std::collections::BTreeSet;

use crate::scene::play;

macro_rules! scenes {
    ($($name:ident)*) => {
        /// The scenes, by name, and their scripts.
        pub(crate) const SCENES: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("scenes/", stringify!($name), ".scene")))),*];
        $(
            #[test]
            fn $name() {
                play(stringify!($name), include_str!(concat!("scenes/", stringify!($name), ".scene")));
            }
        )*
    };
}

scenes! {
    a_500_is_covered_by_the_older_page
    a_500_is_passed_on_when_there_is_no_page_and_never_kept
    a_body_that_cannot_be_read_is_a_miss
    a_body_that_cannot_be_stored_is_served_to_all_who_wait
    a_body_that_is_gone_or_altered_is_a_miss
    a_body_that_takes_three_leases_to_store_is_published
    a_clock_that_jumps_ahead_while_rendering_costs_one_more_render
    a_clock_that_jumps_back_while_rendering_costs_nothing
    a_conflict_is_tried_again_and_is_not_a_lost_lease
    a_failing_origin_is_covered_by_the_older_page
    a_failure_with_a_cookie_is_not_shared_with_those_who_wait
    a_group_that_is_purged_while_others_wait_is_rendered_again_for_them
    a_hard_purge_is_never_served_again
    a_hard_purge_is_not_undone_by_a_repeated_request
    a_key_of_any_length_has_a_place
    a_killed_worker_is_taken_over_when_its_lease_ends
    a_lease_is_never_shorter_than_it_was_asked_for
    a_lease_of_another_store_is_respected
    a_lease_that_cannot_be_given_back_is_no_failure
    a_lease_without_end_ends_with_a_purge
    a_lock_that_is_wrong_blocks_nobody
    a_lost_answer_to_the_request_for_a_lease_costs_nothing
    a_nonce_is_never_replayed
    a_page_from_the_future_is_not_believed
    a_page_is_rendered_once_and_then_served_from_the_cache
    a_page_of_another_store_is_served_and_regenerated
    a_page_older_than_the_maximum_is_never_served_stale
    a_page_that_is_purged_again_and_again_is_served_and_not_kept
    a_page_that_knows_its_time_better_than_the_policy_is_believed
    a_path_never_passes_for_a_query
    a_post_is_never_kept_and_never_answered_from_the_cache
    a_private_answer_is_not_shared_with_those_who_wait
    a_process_that_purges_serves_nothing_older_from_then_on
    a_process_that_starts_again_reads_the_page_once
    a_publish_that_nobody_can_settle_is_served_and_not_kept
    a_publish_whose_answers_are_lost_is_a_success
    a_purge_during_a_long_render_ends_it_early
    a_purge_during_a_render_is_not_undone
    a_purge_is_seen_by_other_processes_when_their_memory_ends
    a_purge_of_a_group_during_a_render_is_not_undone
    a_purge_of_one_tenant_leaves_the_others_alone
    a_purged_page_is_stale
    a_raw_key_that_is_too_long_is_refused_by_name
    a_redirect_keeps_where_it_leads
    a_refused_request_is_not_the_answer_for_others_who_wait
    a_regeneration_that_was_dropped_is_offered_to_the_next_visitor
    a_render_of_three_leases_is_published
    a_render_that_takes_too_long_is_given_up
    a_repeated_request_in_the_background_regenerates_once
    a_repeated_request_is_answered_though_others_were_purged
    a_repeated_request_regenerates_once
    a_repeated_request_whose_body_is_gone_renders_again
    a_request_that_failed_may_be_tried_again
    a_request_whose_worker_died_is_taken_over
    a_rollback_during_a_render_is_not_undone
    a_row_that_is_wrong_is_a_miss
    a_stale_page_is_served_while_one_worker_renders
    a_store_that_is_lost_while_rendering_costs_only_the_publish
    a_visitor_waits_no_longer_than_the_budget
    a_visitor_who_leaves_does_not_stop_those_who_wait
    a_worker_that_slept_past_its_lease_publishes_nothing
    a_worker_whose_clock_runs_ahead_takes_over_and_the_other_gives_up
    a_worker_whose_clock_runs_behind_publishes_nothing_it_has_no_lease_for
    after_a_failure_nobody_tries_until_the_pause_is_over
    an_older_version_is_shown_again_and_held
    every_transaction_names_each_row_once
    freshness_ends_to_the_millisecond
    generations_go_on_whatever_clocks_do
    half_a_body_is_never_kept_and_never_served
    head_is_answered_from_the_same_page
    in_blocking_mode_everybody_waits_for_the_new_page
    not_found_is_remembered_for_a_while
    one_process_of_the_fleet_renders_a_cold_page
    one_process_of_the_fleet_renders_an_expired_page
    one_process_renders_a_cold_page_once_for_all_who_ask
    pages_are_purged_by_their_path
    pages_are_purged_by_their_tags
    tenants_never_see_each_others_pages
    the_pause_grows_with_each_failure_and_ends_with_success
    the_same_request_under_way_is_told_so
    the_same_request_with_other_inputs_is_refused_in_every_state
    the_sweep_forgets_old_versions_but_not_the_one_that_is_shown
    the_sweep_leaves_what_a_request_names
    the_sweep_removes_what_nothing_names_and_nothing_else
    the_time_in_which_an_older_page_covers_failures_ends
    the_time_to_live_answers_no_question
    waiters_wake_when_the_lease_ends
    waiters_wake_when_the_page_is_published
    waiters_wake_when_the_render_fails
    what_the_origin_keeps_private_is_not_kept
    when_everybody_left_the_next_visitor_does_not_wait_for_the_lease
    who_waited_too_long_gets_the_older_page
    who_wins_the_lease_looks_again_before_rendering
    without_the_store_a_page_is_rendered_and_not_kept
    without_the_store_the_last_known_page_is_served
}

#[test]
fn every_scene_is_played() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/scenes");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".scene").unwrap_or_else(|| panic!("{name} is no scene")).to_owned())
        .collect();
    assert_eq!(files, SCENES.iter().map(|(name, _)| (*name).to_owned()).collect());
}
