//! `theory tables ls`.

use anyhow::Context;
use serde_json::{Value, json};
use tabletheory_core::schema::TableDescription;
use tabletheory_core::store::op::{DescribeTable, DescribeTimeToLive, ListTables};
use tabletheory_core::{StoreError, StoreExt as _};

use super::describe::keys_text;
use crate::output::table::{Cell, Side, Table};
use crate::output::{amount, paper};
use crate::store::Opened;

pub(super) async fn run(opened: &Opened, is_json: bool) -> anyhow::Result<()> {
    let mut tables = Vec::new();
    for name in names(opened).await? {
        let described = opened.store.describe_table(DescribeTable { table: name.clone() }).await;
        let table = match described {
            Ok(described) => described.table,
            // It was deleted since it was listed.
            Err(StoreError::ResourceNotFound(_)) => continue,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot describe {name} in {}", opened.name));
            }
        };
        let expiry = opened.store.describe_time_to_live(DescribeTimeToLive { table: name.clone() }).await;
        let expiry = expiry.with_context(|| format!("cannot describe the time to live of {name}"))?;
        tables.push((table, expiry.attribute));
    }
    if is_json {
        let tables: Vec<Value> = tables.iter().map(|(table, ttl)| entry(table, ttl.as_deref())).collect();
        return paper::line(json!({ "tables": tables }));
    }
    if tables.is_empty() {
        paper::aside(format_args!("{} has no tables; make them with `theory tables create`", opened.name));
        return Ok(());
    }
    let mut printed = Table::new(&[
        ("TABLE", Side::Left),
        ("STATUS", Side::Left),
        ("ITEMS", Side::Right),
        ("SIZE", Side::Right),
        ("TTL", Side::Left),
        ("INDEXES", Side::Right),
        ("KEY", Side::Left),
    ]);
    for (table, ttl) in &tables {
        let indexes = table.local_indexes.len() + table.global_indexes.len();
        printed.row(vec![
            Cell::from(&table.name),
            table.status.name().into(),
            table.item_count.to_string().into(),
            amount::size(table.size_bytes).into(),
            ttl.as_deref().unwrap_or("-").into(),
            indexes.to_string().into(),
            keys_text(&table.keys, &table.attributes).into(),
        ]);
    }
    printed.print()
}

/// The names of all tables.
async fn names(opened: &Opened) -> anyhow::Result<Vec<String>> {
    let (mut names, mut start_after) = (Vec::new(), None);
    loop {
        let page = opened.store.list_tables(ListTables { start_after, limit: None }).await;
        let page = page.with_context(|| format!("cannot list the tables of {}", opened.name))?;
        names.extend(page.tables);
        match page.last_evaluated {
            Some(last) => start_after = Some(last),
            None => return Ok(names),
        }
    }
}

fn entry(table: &TableDescription, ttl: Option<&str>) -> Value {
    let indexes: Vec<&str> =
        table.local_indexes.iter().chain(&table.global_indexes).map(|index| index.name.as_str()).collect();
    let keys: Vec<&str> = table.keys.iter().map(|key| key.name.as_str()).collect();
    json!({
        "name": table.name, "status": table.status.name(), "items": table.item_count, "bytes": table.size_bytes,
        "keys": keys, "ttl": ttl, "indexes": indexes,
    })
}
