//! A table as `DescribeTable` tells of it.

use tabletheory_core::schema::{IndexDescription, StreamDescription, TableDescription, TableStatus};

use crate::catalog::Catalog;
use crate::table::{Index, Table};

/// The table, with the state the caller knows it to be in.
pub fn table(catalog: &Catalog, table: &Table, status: TableStatus) -> TableDescription {
    let spec = &table.spec;
    let describe = |global: bool| {
        table.indexes.iter().filter(move |index| index.global == global).map(|found| index(table, found)).collect()
    };
    TableDescription {
        name: spec.name.clone(),
        id: spec.id.clone(),
        arn: spec.arn(),
        status,
        created_at: spec.created_at,
        attributes: spec.attributes.clone(),
        keys: spec.keys.clone(),
        local_indexes: describe(false),
        global_indexes: describe(true),
        billing: spec.billing,
        throughput: spec.throughput,
        stream: stream(catalog, table),
        deletion_protection: spec.deletion_protection,
        table_class: spec.table_class.clone(),
        size_bytes: table.rows.counts.bytes(),
        item_count: table.rows.counts.items(),
    }
}

/// The state of a table that is not being made or removed.
pub fn status(table: &Table) -> TableStatus {
    let changing = table.indexes.iter().any(|index| index.spec.backfilling);
    if changing { TableStatus::Updating } else { TableStatus::Active }
}

fn index(table: &Table, index: &Index) -> IndexDescription {
    let spec = &index.spec;
    let status = if spec.backfilling { TableStatus::Creating } else { TableStatus::Active };
    IndexDescription {
        name: spec.name.clone(),
        keys: spec.keys.clone(),
        projection: spec.projection.clone(),
        status: index.global.then_some(status),
        backfilling: (index.global && spec.backfilling).then_some(true),
        throughput: index.global.then_some(spec.throughput),
        size_bytes: index.rows.counts.bytes(),
        item_count: index.rows.counts.items(),
        arn: format!("{}/index/{}", table.spec.arn(), spec.name),
    }
}

fn stream(catalog: &Catalog, table: &Table) -> Option<StreamDescription> {
    let stream = catalog.stream(table.spec.latest_stream?)?;
    Some(StreamDescription {
        view: stream.view,
        label: stream.label.clone(),
        arn: stream.arn(),
        enabled: stream.ended.is_none(),
    })
}
