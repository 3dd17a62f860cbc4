//! What tables are asked to be, for the SDK. What they are told to be stands in `describe`.

use aws_sdk_dynamodb::types;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyRole, KeyType, LocalIndex, Projection,
    StreamView, Tag, Throughput,
};

/// Why a builder of the SDK does not refuse.
pub(crate) const COMPLETE: &str = "every field that the SDK requires is set";

/// A list for a request; the service refuses empty ones where it takes none at all.
pub(crate) fn list<T, U>(all: Vec<T>, write: impl Fn(T) -> U) -> Option<Vec<U>> {
    (!all.is_empty()).then(|| all.into_iter().map(write).collect())
}

pub(crate) fn attribute(attribute: AttributeDefinition) -> types::AttributeDefinition {
    let kind = match attribute.kind {
        KeyType::S => types::ScalarAttributeType::S,
        KeyType::N => types::ScalarAttributeType::N,
        KeyType::B => types::ScalarAttributeType::B,
    };
    types::AttributeDefinition::builder()
        .attribute_name(attribute.name)
        .attribute_type(kind)
        .build()
        .expect(COMPLETE)
}

pub(crate) fn key(key: KeyElement) -> types::KeySchemaElement {
    let role = match key.role {
        KeyRole::Hash => types::KeyType::Hash,
        KeyRole::Range => types::KeyType::Range,
    };
    types::KeySchemaElement::builder().attribute_name(key.name).key_type(role).build().expect(COMPLETE)
}

fn keys(keys: Vec<KeyElement>) -> Option<Vec<types::KeySchemaElement>> {
    Some(keys.into_iter().map(key).collect())
}

fn projection(projection: Projection) -> types::Projection {
    let (kind, carried) = match projection {
        Projection::All => (types::ProjectionType::All, None),
        Projection::KeysOnly => (types::ProjectionType::KeysOnly, None),
        Projection::Include(names) => (types::ProjectionType::Include, Some(names)),
    };
    types::Projection::builder().projection_type(kind).set_non_key_attributes(carried).build()
}

pub(crate) fn throughput(throughput: Throughput) -> types::ProvisionedThroughput {
    types::ProvisionedThroughput::builder()
        .read_capacity_units(units(throughput.read_units))
        .write_capacity_units(units(throughput.write_units))
        .build()
        .expect(COMPLETE)
}

/// More than the wire can carry is more than the service gives.
fn units(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}

pub(crate) fn billing(billing: BillingMode) -> types::BillingMode {
    match billing {
        BillingMode::Provisioned => types::BillingMode::Provisioned,
        BillingMode::PayPerRequest => types::BillingMode::PayPerRequest,
    }
}

pub(crate) fn local_index(index: LocalIndex) -> types::LocalSecondaryIndex {
    types::LocalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(keys(index.keys))
        .projection(projection(index.projection))
        .build()
        .expect(COMPLETE)
}

pub(crate) fn global_index(index: GlobalIndex) -> types::GlobalSecondaryIndex {
    types::GlobalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(keys(index.keys))
        .projection(projection(index.projection))
        .set_provisioned_throughput(index.throughput.map(throughput))
        .build()
        .expect(COMPLETE)
}

/// The action of `UpdateTable` that adds an index.
pub(crate) fn new_global_index(index: GlobalIndex) -> types::CreateGlobalSecondaryIndexAction {
    types::CreateGlobalSecondaryIndexAction::builder()
        .index_name(index.name)
        .set_key_schema(keys(index.keys))
        .projection(projection(index.projection))
        .set_provisioned_throughput(index.throughput.map(throughput))
        .build()
        .expect(COMPLETE)
}

/// A stream with this view, or none.
pub(crate) fn stream(view: Option<StreamView>) -> types::StreamSpecification {
    let kind = view.map(|view| match view {
        StreamView::KeysOnly => types::StreamViewType::KeysOnly,
        StreamView::NewImage => types::StreamViewType::NewImage,
        StreamView::OldImage => types::StreamViewType::OldImage,
        StreamView::NewAndOldImages => types::StreamViewType::NewAndOldImages,
    });
    types::StreamSpecification::builder()
        .stream_enabled(view.is_some())
        .set_stream_view_type(kind)
        .build()
        .expect(COMPLETE)
}

pub(crate) fn table_class(class: Option<String>) -> Option<types::TableClass> {
    class.map(|class| types::TableClass::from(class.as_str()))
}

pub(crate) fn tag(tag: Tag) -> types::Tag {
    types::Tag::builder().key(tag.key).value(tag.value).build().expect(COMPLETE)
}
