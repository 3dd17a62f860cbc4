//! `theory tables describe`.

use anyhow::Context;
use clap::Args;
use serde_json::{Map, Value};
use tabletheory_core::schema::{
    AttributeDefinition, IndexDescription, KeyElement, Projection, TableDescription,
};
use tabletheory_core::store::op::{DescribeTable, DescribeTimeToLive};
use tabletheory_core::{Response, StoreError, StoreExt as _};
use tabletheory_wire::encode;

use crate::output::table::{Side, Table};
use crate::output::tone::Tone;
use crate::output::{amount, paper, shown};
use crate::store::Opened;

/// Describes a table.
#[derive(Debug, Args)]
pub(super) struct Describe {
    /// The table.
    #[arg(value_name = "TABLE")]
    name: String,
}

impl Describe {
    pub(super) async fn run(self, opened: &Opened, is_json: bool) -> anyhow::Result<()> {
        let table = described(opened, &self.name).await?;
        let expiry =
            opened.store.describe_time_to_live(DescribeTimeToLive { table: self.name.clone() }).await;
        let expiry = expiry.with_context(|| format!("cannot describe the time to live of {}", self.name))?;
        if is_json {
            // The service's own JSON of both answers, side by side.
            let mut told = Map::new();
            let response = tabletheory_core::store::op::DescribeTableOutput { table };
            for response in
                [Response::DescribeTable(Box::new(response)), Response::DescribeTimeToLive(Box::new(expiry))]
            {
                let body: Map<String, Value> = serde_json::from_slice(&encode::body(&response))
                    .context("an answer is an object of JSON")?;
                told.extend(body);
            }
            return paper::line(Value::Object(told));
        }
        print(&table, expiry.attribute.as_deref())
    }
}

/// The table, which has to be there.
pub(super) async fn described(opened: &Opened, name: &str) -> anyhow::Result<TableDescription> {
    match opened.store.describe_table(DescribeTable { table: name.to_owned() }).await {
        Ok(described) => Ok(described.table),
        Err(StoreError::ResourceNotFound(_)) => anyhow::bail!(
            "there is no table {} in {}; `theory tables ls` lists those that are there, and `theory tables create` makes those of a \
             gateway",
            shown::shown(name),
            opened.name
        ),
        Err(error) => Err(error).with_context(|| format!("cannot describe {name} in {}", opened.name)),
    }
}

fn print(table: &TableDescription, ttl: Option<&str>) -> anyhow::Result<()> {
    let stream = match table.stream.as_ref().filter(|stream| stream.enabled) {
        Some(stream) => stream.view.name(),
        None => "none",
    };
    let lines = [
        ("table", table.name.clone()),
        ("status", table.status.name().to_owned()),
        ("key", keys_text(&table.keys, &table.attributes)),
        ("expires by", ttl.unwrap_or("nothing").to_owned()),
        ("items", table.item_count.to_string()),
        ("size", amount::size(table.size_bytes)),
        ("stream", stream.to_owned()),
        ("made", amount::moment(table.created_at.millis())),
        ("protected", if table.deletion_protection { "yes" } else { "no" }.to_owned()),
    ];
    for (name, value) in lines {
        paper::line(format_args!("{}  {}", Tone::Title.paint(&format!("{name:10}")), shown::shown(&value)))?;
    }
    let mut indexes = Table::new(&[
        ("INDEX", Side::Left),
        ("KIND", Side::Left),
        ("ITEMS", Side::Right),
        ("SIZE", Side::Right),
        ("CARRIES", Side::Left),
        ("KEY", Side::Left),
    ]);
    let local = table.local_indexes.iter().map(|index| (index, "local"));
    let all: Vec<(&IndexDescription, &str)> =
        local.chain(table.global_indexes.iter().map(|index| (index, "global"))).collect();
    if all.is_empty() {
        return Ok(());
    }
    for (index, kind) in all {
        indexes.row(vec![
            (&index.name).into(),
            kind.into(),
            index.item_count.to_string().into(),
            amount::size(index.size_bytes).into(),
            carries(&index.projection).into(),
            keys_text(&index.keys, &table.attributes).into(),
        ]);
    }
    paper::line("")?;
    indexes.print()
}

/// A key as people write it: `pk (S), sk (S)`.
pub(super) fn keys_text(keys: &[KeyElement], attributes: &[AttributeDefinition]) -> String {
    let kind = |name: &str| {
        attributes.iter().find(|attribute| attribute.name == name).map_or("?", |found| found.kind.name())
    };
    keys.iter().map(|key| format!("{} ({})", key.name, kind(&key.name))).collect::<Vec<_>>().join(", ")
}

fn carries(projection: &Projection) -> String {
    match projection {
        Projection::All => "everything".to_owned(),
        Projection::KeysOnly => "keys".to_owned(),
        Projection::Include(names) => format!("keys, {}", names.join(", ")),
    }
}
