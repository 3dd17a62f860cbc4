//! Operations on tables.

use std::sync::Arc;

use tabletheory_core::limits::LIST_TABLES_MAX;
use tabletheory_core::schema::{BillingMode, GlobalIndex, StreamView, TableStatus, Throughput};
use tabletheory_core::store::op::{
    CreateTable, CreateTableOutput, DeleteTable, DeleteTableOutput, DescribeTable, DescribeTableOutput,
    DescribeTimeToLive, DescribeTimeToLiveOutput, GlobalIndexUpdate, ListTables, ListTablesOutput,
    ListTagsOfResource, ListTagsOfResourceOutput, StreamUpdate, TagResource, TagResourceOutput,
    UntagResource, UntagResourceOutput, UpdateTable, UpdateTableOutput, UpdateTimeToLive,
    UpdateTimeToLiveOutput,
};
use tabletheory_core::{Response, StoreError};

use crate::catalog::{self, StreamSpec};
use crate::commit::Work;
use crate::group::Group;
use crate::table::{IndexSpec, Rows, TABLE_ARN_PREFIX, Table, TableSpec};
use crate::validate::invalid;
use crate::view::View;
use crate::{definition, describe};

/// `CreateTable`; `id` becomes the table's identifier.
pub(crate) fn create(request: CreateTable, id: String) -> Result<Work, StoreError> {
    definition::table(&request)?;
    Ok(Box::new(move |group| {
        if group.catalog.find(&request.table).is_some() {
            return Err(StoreError::ResourceInUse(format!("Table already exists: {}", request.table)));
        }
        let table = group.apply(|group| make(group, request, id))?;
        let table = describe::table(&group.catalog, &table, TableStatus::Active);
        Ok(Response::CreateTable(Box::new(CreateTableOutput { table })))
    }))
}

fn make(group: &mut Group<'_>, request: CreateTable, id: String) -> Result<Arc<Table>, StoreError> {
    let mut number = || group.change_catalog(catalog::Catalog::take_number);
    let rows_number = number();
    let local_indexes = request
        .local_indexes
        .into_iter()
        .map(|index| IndexSpec {
            name: index.name,
            number: number(),
            keys: index.keys,
            projection: index.projection,
            throughput: Throughput::default(),
            backfilling: false,
        })
        .collect();
    let global_indexes =
        request.global_indexes.into_iter().map(|index| index_spec(index, number(), false)).collect();
    let spec = TableSpec {
        name: request.table,
        id,
        number: rows_number,
        created_at: group.now,
        attributes: request.attributes,
        keys: request.keys,
        local_indexes,
        global_indexes,
        billing: request.billing,
        throughput: request.throughput.unwrap_or_default(),
        stream: None,
        latest_stream: None,
        ttl: None,
        deletion_protection: request.deletion_protection,
        table_class: request.table_class,
        tags: request.tags,
    };
    let mut table = build(group, spec, &[])?;
    if let Some(view) = request.stream {
        start_stream(group, &mut table.spec, view);
    }
    Ok(group.store_table(table))
}

fn index_spec(index: GlobalIndex, number: u64, backfilling: bool) -> IndexSpec {
    IndexSpec {
        name: index.name,
        number,
        keys: index.keys,
        projection: index.projection,
        throughput: index.throughput.unwrap_or_default(),
        backfilling,
    }
}

/// The table that `spec` defines, with the rows it has already.
fn build(group: &Group<'_>, spec: TableSpec, known: &[&Arc<Rows>]) -> Result<Table, StoreError> {
    let ground = group.ground();
    Table::new(spec, |number| match known.iter().find(|rows| rows.number == number) {
        Some(rows) => Ok(Arc::clone(rows)),
        None => Ok(catalog::open_rows(&ground.kv, &ground.spaces.catalog, number)?),
    })
}

/// Puts `spec` in place of the definition that `table` has.
pub(crate) fn redefine(
    group: &mut Group<'_>,
    table: &Table,
    spec: TableSpec,
) -> Result<Arc<Table>, StoreError> {
    let mut known = vec![&table.rows];
    known.extend(table.indexes.iter().map(|index| &index.rows));
    let changed = build(group, spec, &known)?;
    Ok(group.store_table(changed))
}

/// Begins a stream with records from now on.
fn start_stream(group: &mut Group<'_>, spec: &mut TableSpec, view: StreamView) {
    let number = group.change_catalog(catalog::Catalog::take_number);
    let stream = StreamSpec {
        number,
        table: spec.name.clone(),
        label: free_label(group, &spec.name),
        view,
        keys: spec.keys.clone(),
        created_at: group.now,
        first_sequence: group.sequence() + 1,
        ended: None,
    };
    group.store_stream(stream);
    spec.stream = Some(number);
    spec.latest_stream = Some(number);
}

/// Ends the table's stream. Its records can be read for a day.
fn end_stream(group: &mut Group<'_>, spec: &mut TableSpec) {
    let Some(stream) = spec.stream.take().and_then(|number| group.catalog.stream(number).cloned()) else {
        return;
    };
    let ended = Some((group.now, group.sequence()));
    group.store_stream(StreamSpec { ended, ..(*stream).clone() });
}

/// A label that no stream of the table has. A stream that ended within this millisecond, perhaps with its table, can
/// still be read under its own.
fn free_label(group: &Group<'_>, table: &str) -> String {
    let is_free = |label: &String| {
        let mut streams = group.catalog.streams();
        !streams.any(|stream| stream.table == table && stream.label == *label)
    };
    (group.now.millis()..).map(label).find(is_free).expect("there are fewer streams than milliseconds")
}

/// A moment as streams are labelled: `2026-11-15T21:28:59.123`.
fn label(millis: i64) -> String {
    let days = millis.div_euclid(86_400_000);
    let in_day = millis.rem_euclid(86_400_000);
    let (year, month, day) = civil(days);
    let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (second, fraction) = (in_day / 1000 % 60, in_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}")
}

/// The date of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is a year's last; eras are 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// `DescribeTable`.
pub(crate) fn describe(view: &View<'_>, request: &DescribeTable) -> Result<DescribeTableOutput, StoreError> {
    let table = named(view, &request.table)?;
    Ok(DescribeTableOutput { table: describe::table(&view.catalog, table, describe::status(table)) })
}

fn named<'v>(view: &'v View<'_>, name: &str) -> Result<&'v Arc<Table>, StoreError> {
    definition::name(name.strip_prefix(TABLE_ARN_PREFIX).unwrap_or(name), "tableName")?;
    view.catalog.find(name).ok_or_else(|| no_table(name))
}

fn no_table(name: &str) -> StoreError {
    StoreError::ResourceNotFound(format!("Requested resource not found: Table: {name} not found"))
}

/// `ListTables`.
pub(crate) fn list(view: &View<'_>, request: &ListTables) -> Result<ListTablesOutput, StoreError> {
    let limit = request.limit.unwrap_or(LIST_TABLES_MAX);
    if !(1..=LIST_TABLES_MAX).contains(&limit) {
        let (bound, limit) = if limit == 0 { ("greater", 1) } else { ("less", LIST_TABLES_MAX) };
        return Err(StoreError::validation(format!(
            "1 validation error detected: Value '{}' at 'limit' failed to satisfy constraint: Member must have value \
             {bound} than or equal to {limit}",
            request.limit.unwrap_or_default()
        )));
    }
    let after = |name: &&str| request.start_after.as_ref().is_none_or(|start| *name > start.as_str());
    let mut names: Vec<&str> =
        view.catalog.tables().map(|table| table.spec.name.as_str()).filter(after).collect();
    names.sort_unstable();
    let limit = usize::try_from(limit).expect("at most 100");
    let more = names.len() > limit;
    names.truncate(limit);
    let last_evaluated = more.then(|| names.last().map(|name| (*name).to_owned())).flatten();
    Ok(ListTablesOutput { tables: names.into_iter().map(str::to_owned).collect(), last_evaluated })
}

/// `DeleteTable`.
pub(crate) fn delete(request: DeleteTable) -> Work {
    Box::new(move |group| {
        let table = group.catalog.find(&request.table).cloned().ok_or_else(|| no_table(&request.table))?;
        if table.spec.deletion_protection {
            return Err(StoreError::validation(format!(
                "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection \
                 first for table: {}",
                table.spec.name
            )));
        }
        end_stream(group, &mut table.spec.clone());
        group.drop_table(&table);
        let table = describe::table(&group.catalog, &table, TableStatus::Deleting);
        Ok(Response::DeleteTable(Box::new(DeleteTableOutput { table })))
    })
}

/// `UpdateTable`.
pub(crate) fn update(request: UpdateTable) -> Work {
    Box::new(move |group| {
        let table = group.catalog.find(&request.table).cloned().ok_or_else(|| no_table(&request.table))?;
        check_update(&table, &request)?;
        let table = group.apply(|group| change(group, &table, request))?;
        let table = describe::table(&group.catalog, &table, TableStatus::Updating);
        Ok(Response::UpdateTable(Box::new(UpdateTableOutput { table })))
    })
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
fn merged_attributes(
    table: &Table,
    request: &UpdateTable,
) -> Vec<tabletheory_core::schema::AttributeDefinition> {
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
        Some(StreamUpdate::Enable(view)) => start_stream(group, &mut spec, view),
        Some(StreamUpdate::Disable) => end_stream(group, &mut spec),
        None => {}
    }
    for update in request.global_indexes {
        match update {
            GlobalIndexUpdate::Create(index) => {
                let number = group.change_catalog(catalog::Catalog::take_number);
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

/// `UpdateTimeToLive`.
pub(crate) fn update_time_to_live(request: UpdateTimeToLive) -> Result<Work, StoreError> {
    if request.attribute.is_empty() || request.attribute.len() > tabletheory_core::limits::KEY_NAME_BYTES_MAX
    {
        return Err(StoreError::validation(format!(
            "1 validation error detected: Value '{}' at 'timeToLiveSpecification.attributeName' failed to satisfy \
             constraint: Member must have length between 1 and 255",
            request.attribute
        )));
    }
    Ok(Box::new(move |group| {
        let table = group.catalog.find(&request.table).cloned().ok_or_else(|| no_table(&request.table))?;
        let ttl = match (&table.spec.ttl, request.enabled) {
            (Some(current), true) if *current == request.attribute => {
                return Err(StoreError::validation("TimeToLive is already enabled"));
            }
            (Some(current), _) if *current != request.attribute => {
                return Err(StoreError::validation(format!(
                    "TimeToLive is active on a different AttributeName: current AttributeName is {current}"
                )));
            }
            (None, false) => return Err(StoreError::validation("TimeToLive is already disabled")),
            (_, enabled) => enabled.then(|| request.attribute.clone()),
        };
        let spec = TableSpec { ttl, ..table.spec.clone() };
        group.apply(|group| redefine(group, &table, spec))?;
        let output = UpdateTimeToLiveOutput { attribute: request.attribute, enabled: request.enabled };
        Ok(Response::UpdateTimeToLive(Box::new(output)))
    }))
}

/// `DescribeTimeToLive`.
pub(crate) fn describe_time_to_live(
    view: &View<'_>,
    request: &DescribeTimeToLive,
) -> Result<DescribeTimeToLiveOutput, StoreError> {
    Ok(DescribeTimeToLiveOutput { attribute: named(view, &request.table)?.spec.ttl.clone() })
}

fn tagged(catalog: &catalog::Catalog, arn: &str) -> Result<Arc<Table>, StoreError> {
    let Some(name) = arn.strip_prefix(TABLE_ARN_PREFIX) else {
        return Err(StoreError::validation(format!(
            "Invalid TableArn: Invalid ResourceArn provided as input {arn}"
        )));
    };
    catalog.find(name).cloned().ok_or_else(|| {
        StoreError::ResourceNotFound(format!("Requested resource not found: ResourcArn: {arn} not found"))
    })
}

/// `TagResource`.
pub(crate) fn tag(request: TagResource) -> Work {
    Box::new(move |group| {
        let table = tagged(&group.catalog, &request.arn)?;
        let mut spec = table.spec.clone();
        definition::tags(&request.tags)?;
        spec.tags.retain(|tag| request.tags.iter().all(|new| new.key != tag.key));
        spec.tags.extend(request.tags);
        definition::tags(&spec.tags)?;
        group.apply(|group| redefine(group, &table, spec))?;
        Ok(Response::TagResource(Box::new(TagResourceOutput {})))
    })
}

/// `UntagResource`.
pub(crate) fn untag(request: UntagResource) -> Work {
    Box::new(move |group| {
        let table = tagged(&group.catalog, &request.arn)?;
        let mut spec = table.spec.clone();
        spec.tags.retain(|tag| !request.keys.contains(&tag.key));
        group.apply(|group| redefine(group, &table, spec))?;
        Ok(Response::UntagResource(Box::new(UntagResourceOutput {})))
    })
}

/// `ListTagsOfResource`. All tags fit one page.
pub(crate) fn list_tags(
    view: &View<'_>,
    request: &ListTagsOfResource,
) -> Result<ListTagsOfResourceOutput, StoreError> {
    let table = tagged(&view.catalog, &request.arn)?;
    Ok(ListTagsOfResourceOutput { tags: table.spec.tags.clone(), next_token: None })
}
