//! Operations on tables: making, describing, listing and removing them. Changes are in the files below.

pub(crate) mod tags;
pub(crate) mod time_to_live;
mod update;

use std::sync::Arc;

use tabletheory_core::limits::LIST_TABLES_MAX;
use tabletheory_core::schema::{GlobalIndex, TableStatus, Throughput};
use tabletheory_core::store::op::{
    CreateTable, CreateTableOutput, DeleteTable, DeleteTableOutput, DescribeTable, DescribeTableOutput,
    ListTables, ListTablesOutput,
};
use tabletheory_core::{Response, StoreError};

use crate::catalog::{self, Catalog};
use crate::commit::Work;
use crate::group::Group;
use crate::table::{IndexSpec, Rows, TABLE_ARN_PREFIX, Table, TableSpec};
use crate::view::View;
use crate::{definition, describe, stream};

pub(crate) use update::update;

/// `CreateTable`; `id` becomes the table's identifier.
pub(crate) fn create(request: CreateTable, id: String) -> Result<impl Work + use<>, StoreError> {
    definition::table(&request)?;
    Ok(move |group: &mut Group<'_>| {
        if group.catalog.find(&request.table).is_some() {
            return Err(StoreError::ResourceInUse(format!("Table already exists: {}", request.table)));
        }
        let indexes = request.global_indexes.len() + request.local_indexes.len();
        check_room(group, 1 + indexes + usize::from(!request.local_indexes.is_empty()))?;
        let table = group.apply(|group| make(group, request, id))?;
        let table = describe::table(&group.catalog, &table, TableStatus::Active);
        Ok(Response::CreateTable(Box::new(CreateTableOutput { table })))
    })
}

/// Refuses so many new spaces if the folder has no room for them, before one is made.
fn check_room(group: &Group<'_>, spaces: usize) -> Result<(), StoreError> {
    let left = group.ground().kv.spaces_left();
    if spaces <= left {
        return Ok(());
    }
    Err(StoreError::LimitExceeded(format!(
        "Subscriber limit exceeded: There is a limit to the tables and indexes of one folder: {left} can be added, {spaces} are \
         needed. Delete tables that nobody uses"
    )))
}

fn make(group: &mut Group<'_>, request: CreateTable, id: String) -> Result<Arc<Table>, StoreError> {
    let mut number = || group.change_catalog(Catalog::take_number);
    let rows_number = number();
    let collections = if request.local_indexes.is_empty() { None } else { Some(number()) };
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
        created_at: group.now.get(),
        attributes: request.attributes,
        keys: request.keys,
        local_indexes,
        global_indexes,
        collections,
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
        stream::start(group, &mut table.spec, view)?;
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
    let known: Vec<&Arc<Rows>> = table.all_rows().collect();
    let changed = build(group, spec, &known)?;
    Ok(group.store_table(changed))
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
pub(crate) fn delete(request: DeleteTable) -> impl Work {
    move |group: &mut Group<'_>| {
        let table = group.catalog.find(&request.table).cloned().ok_or_else(|| no_table(&request.table))?;
        if table.spec.deletion_protection {
            return Err(StoreError::validation(format!(
                "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection \
                 first for table: {}",
                table.spec.name
            )));
        }
        group.apply(|group| {
            stream::end(group, &mut table.spec.clone());
            group.drop_table(&table);
            Ok(())
        })?;
        let table = describe::table(&group.catalog, &table, TableStatus::Deleting);
        Ok(Response::DeleteTable(Box::new(DeleteTableOutput { table })))
    }
}
