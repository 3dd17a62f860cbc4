//! Operations on tables: create, describe, list, update, delete, time to live, tags.

use aws_sdk_dynamodb::types::{
    DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, TimeToLiveSpecification, TimeToLiveStatus,
    UpdateGlobalSecondaryIndexAction,
};
use tabletheory_core::StoreError;
use tabletheory_core::store::op::{
    CreateTable, CreateTableOutput, DeleteTable, DeleteTableOutput, DescribeTable, DescribeTableOutput,
    DescribeTimeToLive, DescribeTimeToLiveOutput, GlobalIndexUpdate, ListTables, ListTablesOutput,
    ListTagsOfResource, ListTagsOfResourceOutput, StreamUpdate, TagResource, TagResourceOutput,
    UntagResource, UntagResourceOutput, UpdateTable, UpdateTableOutput, UpdateTimeToLive,
    UpdateTimeToLiveOutput,
};

use crate::call::{Call, send_to_tables};
use crate::describe as told;
use crate::integer::integer;
use crate::schema::{self, COMPLETE};

pub(super) async fn create(call: &Call<'_>, request: CreateTable) -> Result<CreateTableOutput, StoreError> {
    let asked = call
        .tables
        .create_table()
        .table_name(request.table)
        .set_attribute_definitions(Some(request.attributes.into_iter().map(schema::attribute).collect()))
        .set_key_schema(Some(request.keys.into_iter().map(schema::key).collect()))
        .set_local_secondary_indexes(schema::list(request.local_indexes, schema::local_index))
        .set_global_secondary_indexes(schema::list(request.global_indexes, schema::global_index))
        .billing_mode(schema::billing(request.billing))
        .set_provisioned_throughput(request.throughput.map(schema::throughput))
        .set_stream_specification(request.stream.map(|view| schema::stream(Some(view))))
        // Unprotected is what tables are without a word, and older local services know no such word.
        .set_deletion_protection_enabled(request.deletion_protection.then_some(true))
        .set_table_class(schema::table_class(request.table_class))
        .set_tags(schema::list(request.tags, schema::tag));
    let answer = send_to_tables!(call, asked)?;
    Ok(CreateTableOutput { table: told::table(answer.table_description)? })
}

pub(super) async fn describe(
    call: &Call<'_>,
    request: DescribeTable,
) -> Result<DescribeTableOutput, StoreError> {
    let answer = send_to_tables!(call, call.tables.describe_table().table_name(request.table))?;
    Ok(DescribeTableOutput { table: told::table(answer.table)? })
}

pub(super) async fn list(call: &Call<'_>, request: ListTables) -> Result<ListTablesOutput, StoreError> {
    let asked = call
        .tables
        .list_tables()
        .set_exclusive_start_table_name(request.start_after)
        .set_limit(integer(request.limit));
    let answer = send_to_tables!(call, asked)?;
    Ok(ListTablesOutput {
        tables: answer.table_names.unwrap_or_default(),
        last_evaluated: answer.last_evaluated_table_name,
    })
}

pub(super) async fn update(call: &Call<'_>, request: UpdateTable) -> Result<UpdateTableOutput, StoreError> {
    let stream = request.stream.map(|update| match update {
        StreamUpdate::Enable(view) => schema::stream(Some(view)),
        StreamUpdate::Disable => schema::stream(None),
    });
    let asked = call
        .tables
        .update_table()
        .table_name(request.table)
        .set_attribute_definitions(schema::list(request.attributes, schema::attribute))
        .set_billing_mode(request.billing.map(schema::billing))
        .set_provisioned_throughput(request.throughput.map(schema::throughput))
        .set_global_secondary_index_updates(schema::list(request.global_indexes, index_update))
        .set_stream_specification(stream)
        .set_deletion_protection_enabled(request.deletion_protection)
        .set_table_class(schema::table_class(request.table_class));
    let answer = send_to_tables!(call, asked)?;
    Ok(UpdateTableOutput { table: told::table(answer.table_description)? })
}

fn index_update(update: GlobalIndexUpdate) -> GlobalSecondaryIndexUpdate {
    let updates = GlobalSecondaryIndexUpdate::builder();
    match update {
        GlobalIndexUpdate::Create(index) => updates.create(schema::new_global_index(index)),
        GlobalIndexUpdate::Update { name, throughput } => updates.update(
            UpdateGlobalSecondaryIndexAction::builder()
                .index_name(name)
                .provisioned_throughput(schema::throughput(throughput))
                .build()
                .expect(COMPLETE),
        ),
        GlobalIndexUpdate::Delete { name } => updates
            .delete(DeleteGlobalSecondaryIndexAction::builder().index_name(name).build().expect(COMPLETE)),
    }
    .build()
}

pub(super) async fn delete(call: &Call<'_>, request: DeleteTable) -> Result<DeleteTableOutput, StoreError> {
    let answer = send_to_tables!(call, call.tables.delete_table().table_name(request.table))?;
    Ok(DeleteTableOutput { table: told::table(answer.table_description)? })
}

pub(super) async fn update_time_to_live(
    call: &Call<'_>,
    request: UpdateTimeToLive,
) -> Result<UpdateTimeToLiveOutput, StoreError> {
    let specification = TimeToLiveSpecification::builder()
        .attribute_name(&request.attribute)
        .enabled(request.enabled)
        .build()
        .expect(COMPLETE);
    let asked =
        call.tables.update_time_to_live().table_name(request.table).time_to_live_specification(specification);
    let answer = send_to_tables!(call, asked)?;
    Ok(match answer.time_to_live_specification {
        Some(set) => UpdateTimeToLiveOutput { attribute: set.attribute_name, enabled: set.enabled },
        // The service accepted what was asked for, whether it repeats it or not.
        None => UpdateTimeToLiveOutput { attribute: request.attribute, enabled: request.enabled },
    })
}

pub(super) async fn describe_time_to_live(
    call: &Call<'_>,
    request: DescribeTimeToLive,
) -> Result<DescribeTimeToLiveOutput, StoreError> {
    let answer = send_to_tables!(call, call.tables.describe_time_to_live().table_name(request.table))?;
    let attribute = answer.time_to_live_description.and_then(|told| match told.time_to_live_status {
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling) => told.attribute_name,
        _ => None,
    });
    Ok(DescribeTimeToLiveOutput { attribute })
}

pub(super) async fn tag(call: &Call<'_>, request: TagResource) -> Result<TagResourceOutput, StoreError> {
    let tags = request.tags.into_iter().map(schema::tag).collect();
    send_to_tables!(call, call.tables.tag_resource().resource_arn(request.arn).set_tags(Some(tags)))?;
    Ok(TagResourceOutput {})
}

pub(super) async fn untag(
    call: &Call<'_>,
    request: UntagResource,
) -> Result<UntagResourceOutput, StoreError> {
    let asked = call.tables.untag_resource().resource_arn(request.arn).set_tag_keys(Some(request.keys));
    send_to_tables!(call, asked)?;
    Ok(UntagResourceOutput {})
}

pub(super) async fn list_tags(
    call: &Call<'_>,
    request: ListTagsOfResource,
) -> Result<ListTagsOfResourceOutput, StoreError> {
    let asked =
        call.tables.list_tags_of_resource().resource_arn(request.arn).set_next_token(request.next_token);
    let answer = send_to_tables!(call, asked)?;
    Ok(ListTagsOfResourceOutput { tags: told::tags(answer.tags), next_token: answer.next_token })
}
