//! `TableDescription`: a table, its keys and its indexes.

use serde::{Serialize, Serializer};
use tabletheory_core::Timestamp;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, IndexDescription, KeyElement, KeyRole, Projection, StreamDescription,
    TableDescription, Throughput,
};

use super::list::List;
use super::timestamp;

/// A table as the service describes it.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Table<'a> {
    attribute_definitions: List<'a, AttributeDefinition, Attribute<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    billing_mode_summary: Option<Billing>,
    #[serde(serialize_with = "timestamp::exact")]
    creation_date_time: Timestamp,
    deletion_protection_enabled: bool,
    #[serde(skip_serializing_if = "List::is_empty")]
    global_secondary_indexes: List<'a, IndexDescription, Index<'a>>,
    item_count: u64,
    key_schema: Keys<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_stream_arn: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_stream_label: Option<&'a str>,
    #[serde(skip_serializing_if = "List::is_empty")]
    local_secondary_indexes: List<'a, IndexDescription, Index<'a>>,
    provisioned_throughput: Provisioned,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_specification: Option<StreamSpecification>,
    table_arn: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_class_summary: Option<Class<'a>>,
    table_id: &'a str,
    table_name: &'a str,
    table_size_bytes: u64,
    table_status: &'static str,
}

impl<'a> From<&'a TableDescription> for Table<'a> {
    fn from(table: &'a TableDescription) -> Self {
        let stream = table.stream.as_ref();
        Self {
            attribute_definitions: List(&table.attributes, Attribute::from),
            billing_mode_summary: Billing::of(table.billing),
            creation_date_time: table.created_at,
            deletion_protection_enabled: table.deletion_protection,
            global_secondary_indexes: List(&table.global_indexes, Index::global),
            item_count: table.item_count,
            key_schema: Keys(&table.keys),
            latest_stream_arn: stream.map(|stream| stream.arn.as_str()),
            latest_stream_label: stream.map(|stream| stream.label.as_str()),
            local_secondary_indexes: List(&table.local_indexes, Index::local),
            provisioned_throughput: Provisioned::from(table.throughput),
            stream_specification: stream.and_then(StreamSpecification::of),
            table_arn: &table.arn,
            table_class_summary: table.table_class.as_deref().map(|table_class| Class { table_class }),
            table_id: &table.id,
            table_name: &table.name,
            table_size_bytes: table.size_bytes,
            table_status: table.status.name(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Attribute<'a> {
    attribute_name: &'a str,
    attribute_type: &'static str,
}

impl<'a> From<&'a AttributeDefinition> for Attribute<'a> {
    fn from(attribute: &'a AttributeDefinition) -> Self {
        Self { attribute_name: &attribute.name, attribute_type: attribute.kind.name() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Billing {
    billing_mode: &'static str,
}

impl Billing {
    /// The service says nothing of the billing mode of a provisioned table.
    fn of(mode: BillingMode) -> Option<Self> {
        match mode {
            BillingMode::Provisioned => None,
            BillingMode::PayPerRequest => Some(Self { billing_mode: "PAY_PER_REQUEST" }),
        }
    }
}

/// `KeySchema`.
pub(super) struct Keys<'a>(pub(super) &'a [KeyElement]);

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Key<'a> {
    attribute_name: &'a str,
    key_type: &'static str,
}

impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|key| Key {
            attribute_name: &key.name,
            key_type: match key.role {
                KeyRole::Hash => "HASH",
                KeyRole::Range => "RANGE",
            },
        }))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Provisioned {
    number_of_decreases_today: u64,
    read_capacity_units: u64,
    write_capacity_units: u64,
}

impl From<Throughput> for Provisioned {
    fn from(throughput: Throughput) -> Self {
        Self {
            number_of_decreases_today: 0,
            read_capacity_units: throughput.read_units,
            write_capacity_units: throughput.write_units,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct StreamSpecification {
    stream_enabled: bool,
    stream_view_type: &'static str,
}

impl StreamSpecification {
    /// A stream that has ended keeps its name in the description, and nothing else.
    fn of(stream: &StreamDescription) -> Option<Self> {
        stream.enabled.then(|| Self { stream_enabled: true, stream_view_type: stream.view.name() })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Class<'a> {
    table_class: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Index<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    backfilling: Option<bool>,
    index_arn: &'a str,
    index_name: &'a str,
    index_size_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    index_status: Option<&'static str>,
    item_count: u64,
    key_schema: Keys<'a>,
    projection: Projected<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provisioned_throughput: Option<Provisioned>,
}

impl<'a> Index<'a> {
    fn local(index: &'a IndexDescription) -> Self {
        Self {
            backfilling: None,
            index_arn: &index.arn,
            index_name: &index.name,
            index_size_bytes: index.size_bytes,
            index_status: None,
            item_count: index.item_count,
            key_schema: Keys(&index.keys),
            projection: Projected::from(&index.projection),
            provisioned_throughput: None,
        }
    }

    fn global(index: &'a IndexDescription) -> Self {
        Self {
            backfilling: index.backfilling,
            index_status: index.status.map(|status| status.name()),
            // An index that is paid by request has a throughput of zero, as its table has.
            provisioned_throughput: Some(Provisioned::from(index.throughput.unwrap_or_default())),
            ..Self::local(index)
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Projected<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    non_key_attributes: Option<&'a [String]>,
    projection_type: &'static str,
}

impl<'a> From<&'a Projection> for Projected<'a> {
    fn from(projection: &'a Projection) -> Self {
        let (projection_type, non_key_attributes) = match projection {
            Projection::All => ("ALL", None),
            Projection::KeysOnly => ("KEYS_ONLY", None),
            Projection::Include(names) => ("INCLUDE", Some(names.as_slice())),
        };
        Self { non_key_attributes, projection_type }
    }
}
