//! Answers about tables: the description, their names, time to live, tags.

use serde::Serialize;
use tabletheory_core::schema::{TableDescription, Tag};
use tabletheory_core::store::op::{
    DescribeTimeToLiveOutput, ListTablesOutput, ListTagsOfResourceOutput, UpdateTimeToLiveOutput,
};

use super::description::Table;
use super::list::List;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Changed<'a> {
    table_description: Table<'a>,
}

/// `CreateTable`, `UpdateTable`, `DeleteTable`.
pub(super) fn changed(table: &TableDescription) -> impl Serialize {
    Changed { table_description: Table::from(table) }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Described<'a> {
    table: Table<'a>,
}

/// `DescribeTable`.
pub(super) fn described(table: &TableDescription) -> impl Serialize {
    Described { table: Table::from(table) }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Listed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated_table_name: Option<&'a str>,
    table_names: &'a [String],
}

/// `ListTables`.
pub(super) fn listed(output: &ListTablesOutput) -> impl Serialize {
    Listed { last_evaluated_table_name: output.last_evaluated.as_deref(), table_names: &output.tables }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLiveSet<'a> {
    time_to_live_specification: TimeToLiveSpecification<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLiveSpecification<'a> {
    attribute_name: &'a str,
    enabled: bool,
}

/// `UpdateTimeToLive`.
pub(super) fn time_to_live_set(output: &UpdateTimeToLiveOutput) -> impl Serialize {
    TimeToLiveSet {
        time_to_live_specification: TimeToLiveSpecification {
            attribute_name: &output.attribute,
            enabled: output.enabled,
        },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLive<'a> {
    time_to_live_description: TimeToLiveDescription<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLiveDescription<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    attribute_name: Option<&'a str>,
    time_to_live_status: &'static str,
}

/// `DescribeTimeToLive`.
pub(super) fn time_to_live(output: &DescribeTimeToLiveOutput) -> impl Serialize {
    TimeToLive {
        time_to_live_description: TimeToLiveDescription {
            attribute_name: output.attribute.as_deref(),
            time_to_live_status: if output.attribute.is_some() { "ENABLED" } else { "DISABLED" },
        },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Tags<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<&'a str>,
    tags: List<'a, Tag, TagView<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TagView<'a> {
    key: &'a str,
    value: &'a str,
}

/// `ListTagsOfResource`.
pub(super) fn tags(output: &ListTagsOfResourceOutput) -> impl Serialize {
    Tags {
        next_token: output.next_token.as_deref(),
        tags: List(&output.tags, |tag| TagView { key: &tag.key, value: &tag.value }),
    }
}
