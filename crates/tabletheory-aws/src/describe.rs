//! What the service tells of tables and indexes, in the store's words. A field that is missing takes the value that means
//! nothing; a state that has no word is an error.

use aws_sdk_dynamodb::types;
use aws_smithy_types::DateTime;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, IndexDescription, KeyElement, KeyType, Projection, StreamDescription,
    StreamView, TableDescription, TableStatus, Tag, Throughput,
};
use tabletheory_core::{StoreError, Timestamp};

use crate::value::unreadable;

/// A table's description, which every answer about a table carries.
pub(crate) fn table(table: Option<types::TableDescription>) -> Result<TableDescription, StoreError> {
    let table = table.ok_or_else(|| unreadable("no table"))?;
    let status = table.table_status.as_ref().map(types::TableStatus::as_str);
    let billing = table.billing_mode_summary.and_then(|summary| summary.billing_mode);
    let global = table.global_secondary_indexes.unwrap_or_default().into_iter().map(global_index);
    Ok(TableDescription {
        status: status_of(status)?,
        created_at: moment(table.creation_date_time.as_ref()),
        attributes: table
            .attribute_definitions
            .unwrap_or_default()
            .into_iter()
            .map(attribute)
            .collect::<Result<_, _>>()?,
        keys: keys(table.key_schema)?,
        local_indexes: table
            .local_secondary_indexes
            .unwrap_or_default()
            .into_iter()
            .map(local_index)
            .collect::<Result<_, _>>()?,
        global_indexes: global.collect::<Result<_, _>>()?,
        billing: match billing {
            Some(types::BillingMode::PayPerRequest) => BillingMode::PayPerRequest,
            _ => BillingMode::Provisioned,
        },
        throughput: table.provisioned_throughput.as_ref().map(throughput).unwrap_or_default(),
        stream: stream(table.stream_specification, table.latest_stream_label, table.latest_stream_arn),
        deletion_protection: table.deletion_protection_enabled.unwrap_or_default(),
        table_class: table
            .table_class_summary
            .and_then(|summary| summary.table_class)
            .map(|class| class.as_str().to_owned()),
        size_bytes: count(table.table_size_bytes),
        item_count: count(table.item_count),
        name: table.table_name.unwrap_or_default(),
        id: table.table_id.unwrap_or_default(),
        arn: table.table_arn.unwrap_or_default(),
    })
}

fn status_of(name: Option<&str>) -> Result<TableStatus, StoreError> {
    let name = name.ok_or_else(|| unreadable("no status of a table or index"))?;
    TableStatus::from_name(name)
        .ok_or_else(|| unreadable(&format!("the table status {name}, which has no use here")))
}

fn attribute(attribute: types::AttributeDefinition) -> Result<AttributeDefinition, StoreError> {
    let kind = attribute.attribute_type.as_str();
    let kind = KeyType::from_name(kind).ok_or_else(|| unreadable(&format!("the key type {kind}")))?;
    Ok(AttributeDefinition { name: attribute.attribute_name, kind })
}

fn keys(keys: Option<Vec<types::KeySchemaElement>>) -> Result<Vec<KeyElement>, StoreError> {
    let keys = keys.unwrap_or_default().into_iter();
    keys.map(|key| key_element(key.attribute_name, key.key_type.as_str())).collect()
}

/// One attribute of a key, by the service's name of its role.
pub(crate) fn key_element(name: String, role: &str) -> Result<KeyElement, StoreError> {
    match role {
        "HASH" => Ok(KeyElement::hash(name)),
        "RANGE" => Ok(KeyElement::range(name)),
        other => Err(unreadable(&format!("the key role {other}"))),
    }
}

fn projection(projection: Option<types::Projection>) -> Result<Projection, StoreError> {
    let Some(projection) = projection else { return Ok(Projection::default()) };
    let names = projection.non_key_attributes.unwrap_or_default();
    match projection.projection_type.as_ref().map_or("ALL", types::ProjectionType::as_str) {
        "ALL" => Ok(Projection::All),
        "KEYS_ONLY" => Ok(Projection::KeysOnly),
        "INCLUDE" => Ok(Projection::Include(names)),
        other => Err(unreadable(&format!("the projection {other}"))),
    }
}

fn local_index(index: types::LocalSecondaryIndexDescription) -> Result<IndexDescription, StoreError> {
    Ok(IndexDescription {
        name: index.index_name.unwrap_or_default(),
        keys: keys(index.key_schema)?,
        projection: projection(index.projection)?,
        status: None,
        backfilling: None,
        throughput: None,
        size_bytes: count(index.index_size_bytes),
        item_count: count(index.item_count),
        arn: index.index_arn.unwrap_or_default(),
    })
}

fn global_index(index: types::GlobalSecondaryIndexDescription) -> Result<IndexDescription, StoreError> {
    let status = index.index_status.as_ref().map(types::IndexStatus::as_str);
    Ok(IndexDescription {
        name: index.index_name.unwrap_or_default(),
        keys: keys(index.key_schema)?,
        projection: projection(index.projection)?,
        status: Some(status_of(status)?),
        backfilling: index.backfilling,
        throughput: index.provisioned_throughput.as_ref().map(throughput),
        size_bytes: count(index.index_size_bytes),
        item_count: count(index.item_count),
        arn: index.index_arn.unwrap_or_default(),
    })
}

fn throughput(throughput: &types::ProvisionedThroughputDescription) -> Throughput {
    Throughput {
        read_units: count(throughput.read_capacity_units),
        write_units: count(throughput.write_capacity_units),
    }
}

/// The newest stream. Of one that was disabled the service tells no view here, and without one there is nothing to say:
/// `ListStreams` and `DescribeStream` know it.
fn stream(
    specification: Option<types::StreamSpecification>,
    label: Option<String>,
    arn: Option<String>,
) -> Option<StreamDescription> {
    let specification = specification?;
    Some(StreamDescription {
        view: StreamView::from_name(specification.stream_view_type?.as_str())?,
        enabled: specification.stream_enabled,
        label: label.unwrap_or_default(),
        arn: arn.unwrap_or_default(),
    })
}

/// A moment that may be missing.
pub(crate) fn moment(moment: Option<&DateTime>) -> Timestamp {
    Timestamp::from_millis(moment.and_then(|moment| moment.to_millis().ok()).unwrap_or_default())
}

/// A number that cannot be negative.
pub(crate) fn count(number: Option<i64>) -> u64 {
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default()
}

/// Tags of a table.
pub(crate) fn tags(tags: Option<Vec<types::Tag>>) -> Vec<Tag> {
    tags.unwrap_or_default().into_iter().map(|tag| Tag { key: tag.key, value: tag.value }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_tells_only_its_state_is_read() {
        let told = types::TableDescription::builder().table_status(types::TableStatus::Creating).build();
        let table = table(Some(told)).unwrap();
        assert_eq!((table.status, table.billing), (TableStatus::Creating, BillingMode::Provisioned));
        assert_eq!(table.created_at, Timestamp::from_millis(0));
    }

    #[test]
    fn a_state_without_a_word_is_named() {
        let told = types::TableDescription::builder().table_status(types::TableStatus::Archived).build();
        let error = table(Some(told)).unwrap_err();
        assert!(error.to_string().contains("ARCHIVED"), "{error}");
        assert!(table(None).is_err());
    }
}
