//! Writing exports.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use serde_json::json;
use tabletheory_core::Clock as _;
use tabletheory_core::sys::{SystemClock, SystemEntropy};
use theory_copy::Side;
use theory_copy::export::{ExportStore, Exported, Place, export};
use theory_copy::verify::{Comparing, Comparison};

use super::arguments::Copy;
use super::bar::Bar;
use super::hint::hinted;
use super::store::OpenSide;
use super::{report, room, tables};
use crate::objects::Objects;
use crate::output::{amount, paper};

/// Exports tables, reads what was written, and compares it with its source.
pub(super) async fn run(copy: &Copy, place: &str) -> anyhow::Result<()> {
    if copy.is_resume {
        bail!("an export is not gone on with; begin it anew: what has no manifest is no export");
    }
    if !copy.rename.is_empty() {
        bail!("an export keeps the names of its tables; --rename is for its import");
    }
    let from = copy.from.open(copy).await?;
    let done = exported(copy, &from, place).await;
    done.and(from.close())
}

async fn exported(copy: &Copy, from: &OpenSide, place: &str) -> anyhow::Result<()> {
    let first = from.at_first();
    let pairs = tables::pairs(copy, &first, None).await?;
    let mut described = Vec::new();
    for pair in &pairs {
        let found = first.describe(&pair.from).await.map_err(|error| hinted(error, copy))?;
        let missing =
            || theory_copy::Error::NoTable { table: pair.from.clone(), store: from.side.name.clone() };
        described.push(found.ok_or_else(|| hinted(missing(), copy))?);
    }
    if !place.starts_with("s3://") {
        // Text that is compressed has a quarter of its size, and more.
        room::check(Path::new(place), described.iter().map(|table| table.size_bytes / 8).sum())?;
    }
    if copy.is_dry {
        for table in &described {
            match copy.is_json {
                true => paper::line(
                    json!({ "from": table.name, "to": copy.to.to_string(), "items": table.item_count }),
                )?,
                false => paper::line(format_args!(
                    "{}: about {} would be exported to {place}",
                    table.name,
                    amount::count(table.item_count, "item")
                ))?,
            }
        }
        return Ok(());
    }
    let Objects { store, prefix, name } = Objects::open_or_make(place).await?;
    let (place, bar, mut lines) = (Place { store, prefix, name }, Bar::new(), Vec::new());
    let mut is_equal = true;
    for table in described {
        bar.begin(&format!("exporting {}", table.name), table.item_count);
        let sources = (&SystemClock as _, &SystemEntropy as _);
        let written =
            export(&from.side, &table.name, &place, copy.segments, sources, &|items| bar.add(items)).await;
        let written = written.map_err(|error| hinted(error, copy))?;
        bar.begin(&format!("comparing {}", table.name), 2 * written.found.items);
        let keys = table.keys.iter().map(|key| key.name.clone()).collect();
        let comparison = compare(copy, &from.side, &place, &written, keys, &bar).await?;
        is_equal &= comparison.is_equal();
        lines.push((written, comparison));
    }
    bar.end();
    report::exported(copy, &lines, &from.side.name)?;
    if is_equal {
        Ok(())
    } else {
        bail!("the table was changed while it was exported, or differs for another reason")
    }
}

/// Reads what was written, and compares it with its source.
async fn compare(
    copy: &Copy,
    from: &Side,
    place: &Place,
    written: &Exported,
    keys: Vec<String>,
    bar: &Bar,
) -> anyhow::Result<Comparison> {
    let found = written.found.clone();
    let table = found.table.clone();
    let opened = ExportStore::open(place.clone(), found).await.map_err(|error| hinted(error.into(), copy))?;
    let ttl = from.time_to_live(&table).await.map_err(|error| hinted(error, copy))?;
    let comparing = Comparing {
        from: table.clone(),
        to: table,
        keys,
        // Nothing expires in an export.
        ttl: ttl.into_iter().collect(),
        segments: copy.segments,
        now: SystemClock.now(),
    };
    let to = Side::new(Arc::new(opened), written.folder.clone());
    comparing.run(from, &to, &|items| bar.add(items)).await.map_err(|error| hinted(error, copy))
}
