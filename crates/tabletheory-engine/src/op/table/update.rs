//! `UpdateTable`: billing, throughput, global indexes, the stream, deletion protection.

use std::sync::Arc;

use tabletheory_core::schema::{AttributeDefinition, BillingMode, TableStatus, Throughput};
use tabletheory_core::store::op::{GlobalIndexUpdate, StreamUpdate, UpdateTable, UpdateTableOutput};
use tabletheory_core::{Response, StoreError};

use super::{check_room, index_spec, no_table, redefine};
use crate::catalog::Catalog;
use crate::commit::Work;
use crate::group::Group;
use crate::table::{Table, TableSpec};
use crate::validate::invalid;
use crate::{definition, describe, stream};

/// `UpdateTable`.
pub(crate) fn update(request: UpdateTable) -> impl Work {
    move |group: &mut Group<'_>| {
        let table = group.catalog.find(&request.table).cloned().ok_or_else(|| no_table(&request.table))?;
        check_update(&table, &request)?;
        let is_new = |update: &&GlobalIndexUpdate| matches!(update, GlobalIndexUpdate::Create(_));
        check_room(group, request.global_indexes.iter().filter(is_new).count())?;
        let table = group.apply(|group| change(group, &table, request))?;
        let table = describe::table(&group.catalog, &table, TableStatus::Updating);
        Ok(Response::UpdateTable(Box::new(UpdateTableOutput { table })))
    }
}

fn check_update(table: &Table, request: &UpdateTable) -> Result<(), StoreError> {
    if table.indexes.iter().any(|index| index.spec.backfilling) {
        return Err(StoreError::ResourceInUse(format!(
            "Attempt to change a resource which is still in use: Table is being updated: {}",
            table.spec.name
        )));
    }
    let nothing = UpdateTable {
        table: request.table.clone(),
        attributes: request.attributes.clone(),
        ..UpdateTable::default()
    };
    if *request == nothing {
        return Err(StoreError::validation(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or \
             SSESpecification or ReplicaUpdates is required",
        ));
    }
    let billing = request.billing.unwrap_or(table.spec.billing);
    match (billing, request.throughput) {
        (BillingMode::PayPerRequest, Some(_)) => {
            return Err(invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
            ));
        }
        (_, Some(throughput)) => {
            definition::provisioned(throughput)?;
            if throughput == table.spec.throughput
                && request.global_indexes.is_empty()
                && request.stream.is_none()
            {
                return Err(same_throughput(throughput));
            }
        }
        (BillingMode::Provisioned, None) if table.spec.billing == BillingMode::PayPerRequest => {
            return Err(invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED"));
        }
        (_, None) => {}
    }
    check_stream_update(table, request)?;
    check_index_updates(table, request, billing)
}

fn same_throughput(throughput: Throughput) -> StoreError {
    let Throughput { read_units, write_units } = throughput;
    StoreError::validation(format!(
        "The provisioned throughput for the table will not change. The requested value equals the current value. Current \
         ReadCapacityUnits provisioned for the table: {read_units}. Requested ReadCapacityUnits: {read_units}. Current \
         WriteCapacityUnits provisioned for the table: {write_units}. Requested WriteCapacityUnits: {write_units}. Refer \
         to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    ))
}

fn check_stream_update(table: &Table, request: &UpdateTable) -> Result<(), StoreError> {
    match (request.stream, table.spec.stream) {
        (Some(StreamUpdate::Enable(_)), Some(_)) => {
            Err(StoreError::validation("Table already has an enabled stream: cannot enable it again"))
        }
        (Some(StreamUpdate::Disable), None) => Err(StoreError::validation("Table has no stream to disable")),
        _ => Ok(()),
    }
}

fn check_index_updates(table: &Table, request: &UpdateTable, billing: BillingMode) -> Result<(), StoreError> {
    let online = |update: &&GlobalIndexUpdate| !matches!(update, GlobalIndexUpdate::Update { .. });
    if request.global_indexes.iter().filter(online).count() > 1 {
        return Err(StoreError::LimitExceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
                .to_owned(),
        ));
    }
    let attributes = merged_attributes(table, request);
    for update in &request.global_indexes {
        match update {
            GlobalIndexUpdate::Create(index) => {
                if table.index(&index.name).is_some() {
                    return Err(StoreError::validation(format!(
                        "One or more parameter values were invalid: Duplicate index name: {}",
                        index.name
                    )));
                }
                if table.spec.global_indexes.len() >= tabletheory_core::limits::GLOBAL_INDEXES_MAX {
                    return Err(StoreError::LimitExceeded(
                        "Subscriber limit exceeded: Number of indexes exceeds the per-table limit".to_owned(),
                    ));
                }
                definition::global_index(index, &attributes, billing)?;
            }
            GlobalIndexUpdate::Update { name, .. } | GlobalIndexUpdate::Delete { name } => {
                if !table.spec.global_indexes.iter().any(|index| index.name == *name) {
                    return Err(StoreError::ResourceNotFound(format!(
                        "Requested resource not found: Index: {name} not found"
                    )));
                }
            }
        }
    }
    Ok(())
}

/// The table's attribute definitions and the request's, the request's winning only where the table has none.
fn merged_attributes(table: &Table, request: &UpdateTable) -> Vec<AttributeDefinition> {
    let mut attributes = table.spec.attributes.clone();
    for attribute in &request.attributes {
        if attributes.iter().all(|known| known.name != attribute.name) {
            attributes.push(attribute.clone());
        }
    }
    attributes
}

fn change(group: &mut Group<'_>, table: &Table, request: UpdateTable) -> Result<Arc<Table>, StoreError> {
    let mut spec = table.spec.clone();
    let attributes = merged_attributes(table, &request);
    if let Some(billing) = request.billing {
        spec.billing = billing;
        if billing == BillingMode::PayPerRequest {
            spec.throughput = Throughput::default();
        }
    }
    spec.throughput = request.throughput.unwrap_or(spec.throughput);
    spec.deletion_protection = request.deletion_protection.unwrap_or(spec.deletion_protection);
    spec.table_class = request.table_class.or(spec.table_class);
    match request.stream {
        Some(StreamUpdate::Enable(view)) => stream::start(group, &mut spec, view)?,
        Some(StreamUpdate::Disable) => stream::end(group, &mut spec),
        None => {}
    }
    for update in request.global_indexes {
        match update {
            GlobalIndexUpdate::Create(index) => {
                let number = group.change_catalog(Catalog::take_number);
                spec.global_indexes.push(index_spec(index, number, true));
                spec.attributes.clone_from(&attributes);
            }
            GlobalIndexUpdate::Update { name, throughput } => {
                let found = spec.global_indexes.iter_mut().find(|index| index.name == name);
                found.expect("the update was checked to name an index").throughput = throughput;
            }
            GlobalIndexUpdate::Delete { name } => {
                spec.global_indexes.retain(|index| index.name != name);
                group.drop_rows(&table.index(&name).expect("the update was checked to name an index").rows);
            }
        }
    }
    forget_unused_attributes(&mut spec);
    redefine(group, table, spec)
}

/// Definitions that no key uses any more go with the index that used them.
fn forget_unused_attributes(spec: &mut TableSpec) {
    let indexes = spec.local_indexes.iter().chain(&spec.global_indexes);
    let used: Vec<String> =
        indexes.flat_map(|index| &index.keys).chain(&spec.keys).map(|key| key.name.clone()).collect();
    spec.attributes.retain(|attribute| used.contains(&attribute.name));
}
