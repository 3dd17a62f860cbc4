//! What a copy will do, and what came of it, for people or for programs.

use anyhow::bail;
use serde_json::{Value, json};
use theory_copy::export::Exported;
use theory_copy::plan::{TablePlan, Target};
use theory_copy::verify::{Comparison, ItemDifference, NAMED_MAX};
use theory_copy::{Outcome, Plan, Report};

use super::arguments::Copy;
use crate::output::shown::shown;
use crate::output::table::{Cell, Side, Table};
use crate::output::tone::Tone;
use crate::output::{amount, paper};

/// What would be done.
pub(super) fn planned(copy: &Copy, plan: &Plan, from: &str, to: &str) -> anyhow::Result<()> {
    if copy.is_json {
        let tables: Vec<Value> = plan.tables.iter().map(planned_json).collect();
        return paper::line(json!({ "dry_run": true, "from": from, "to": to, "tables": tables }));
    }
    paper::line(format_args!("from {} to {}; nothing was changed", shown(from), shown(to)))?;
    let mut table = Table::new(&[
        ("TABLE", Side::Left),
        ("ITEMS", Side::Right),
        ("SIZE", Side::Right),
        ("INTO", Side::Left),
        ("WOULD", Side::Left),
    ]);
    for one in &plan.tables {
        table.row(vec![
            (&one.pair.from).into(),
            format!("~{}", one.items).into(),
            amount::size(one.bytes).into(),
            (&one.pair.to).into(),
            would(one).into(),
        ]);
    }
    table.print()?;
    for one in &plan.tables {
        for difference in &one.differences {
            paper::line(format_args!(
                "{}: {difference}; `theory tables migrate` can add what is missing",
                shown(&one.pair.to)
            ))?;
        }
    }
    Ok(())
}

fn would(table: &TablePlan) -> String {
    let ttl = table
        .layout
        .time_to_live()
        .map(|ttl| format!(", items expire by {ttl} at the end"))
        .unwrap_or_default();
    match table.target {
        Target::Missing => format!("be made and filled{ttl}"),
        Target::Empty => "be filled".to_owned(),
        Target::HasItems => "be filled beside what is there".to_owned(),
        Target::Begun => "go on".to_owned(),
        Target::Done => "stay: it is done".to_owned(),
    }
}

fn planned_json(table: &TablePlan) -> Value {
    let target = match table.target {
        Target::Missing => "missing",
        Target::Empty => "empty",
        Target::HasItems => "has_items",
        Target::Begun => "begun",
        Target::Done => "done",
    };
    let differences: Vec<String> = table.differences.iter().map(ToString::to_string).collect();
    json!({
        "from": table.pair.from, "to": table.pair.to, "items": table.items, "bytes": table.bytes, "target": target,
        "ttl": table.layout.time_to_live(), "differences": differences,
    })
}

/// What came of it. That tables differ is told with the exit code as well.
pub(super) fn told(copy: &Copy, reports: &[Report], from: &str, to: &str) -> anyhow::Result<()> {
    let is_equal = reports.iter().all(Report::is_equal);
    if copy.is_json {
        let tables: Vec<Value> = reports.iter().map(told_json).collect();
        paper::line(json!({ "from": from, "to": to, "equal": is_equal, "tables": tables }))?;
    } else {
        let mut table = Table::new(&[
            ("TABLE", Side::Left),
            ("INTO", Side::Left),
            ("ITEMS", Side::Right),
            ("OUTCOME", Side::Left),
            ("CHECKSUM", Side::Left),
        ]);
        for report in reports {
            let Some(comparison) = &report.comparison else {
                let done = Cell::toned("was done before", Tone::Quiet);
                table.row(vec![
                    (&report.plan.pair.from).into(),
                    (&report.plan.pair.to).into(),
                    "".into(),
                    done,
                    "".into(),
                ]);
                continue;
            };
            let tone = match report.outcome {
                Outcome::Equal | Outcome::Beside => Tone::Good,
                Outcome::Extra | Outcome::Differs => Tone::Bad,
            };
            let outcome = Cell::toned(word(report.outcome), tone);
            table.row(vec![
                (&report.plan.pair.from).into(),
                (&report.plan.pair.to).into(),
                comparison.to.items.to_string().into(),
                outcome,
                comparison.to.checksum().into(),
            ]);
        }
        table.print()?;
        reports.iter().for_each(aside);
    }
    let is = |outcome: Outcome| reports.iter().any(|report| report.outcome == outcome);
    match copy.is_verify {
        true if is(Outcome::Differs) => bail!("the tables differ"),
        false if is(Outcome::Differs) => bail!(
            "the tables differ: they were written to while they were copied; stop what writes to them, and copy what differs with the same \
             command and --resume"
        ),
        _ if is(Outcome::Extra) => bail!(
            "everything is copied, and there are items in the target that the source does not have: they were deleted from the source after \
             they were copied, or somebody else put them there; delete those that are not wanted, and see with --verify-only whether any is left"
        ),
        _ => Ok(()),
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Equal => "equal",
        Outcome::Beside => "beside",
        Outcome::Extra => "extra",
        Outcome::Differs => "differs",
    }
}

/// What a person should know of a comparison beside its outcome.
fn aside(report: &Report) {
    for difference in &report.plan.differences {
        let target = shown(&report.plan.pair.to);
        paper::aside(format_args!("{target}: {difference}; `theory tables migrate` can add what is missing"));
    }
    let (Some(comparison), table) = (&report.comparison, shown(&report.plan.pair.from)) else { return };
    let (ours, theirs) = comparison.expiring;
    if ours.items + theirs.items > 0 {
        let how = if ours == theirs { "they are equal" } else { "a store removes them when it likes" };
        paper::aside(format_args!(
            "{table}: {} here and {} there have expired or will within an hour, and are not compared with the others; {how}",
            amount::count(ours.items, "item"),
            theirs.items
        ));
    }
    match report.outcome {
        Outcome::Equal => return,
        Outcome::Beside => {
            let extra = amount::count(report.extra_items(), "item");
            paper::aside(format_args!(
                "{table}: everything is there, beside {extra} that the source does not have"
            ));
            return;
        }
        Outcome::Extra | Outcome::Differs => {}
    }
    paper::aside(format_args!(
        "{table}: {} here, {} there, without those that expire",
        amount::count(comparison.from.items, "item"),
        comparison.to.items
    ));
    for difference in &comparison.differences {
        let (word, key) = named(difference);
        paper::aside(format_args!("  {word} {key}"));
    }
    if comparison.differences.len() == NAMED_MAX {
        paper::aside("  and others");
    }
}

fn named(difference: &ItemDifference) -> (&'static str, Value) {
    let (word, key) = match difference {
        ItemDifference::Missing(key) => ("missing", key),
        ItemDifference::Extra(key) => ("extra", key),
        ItemDifference::Different(key) => ("different", key),
    };
    (word, serde_json::to_value(key).unwrap_or_default())
}

fn told_json(report: &Report) -> Value {
    let copied = report.copied.map(|copied| copied.written);
    let mut told = json!({ "from": report.plan.pair.from, "to": report.plan.pair.to, "copied": copied });
    if let Some(comparison) = &report.comparison {
        told["comparison"] = comparison_json(comparison);
    }
    told["equal"] = json!(report.is_equal());
    told["outcome"] = json!(word(report.outcome));
    told["extra"] = json!(report.extra_items());
    let differences: Vec<String> = report.plan.differences.iter().map(ToString::to_string).collect();
    told["differences"] = json!(differences);
    told
}

fn comparison_json(comparison: &Comparison) -> Value {
    let differences = comparison.differences.iter().map(named);
    let differences: Vec<Value> = differences.map(|(word, key)| json!({ "is": word, "key": key })).collect();
    json!({
        "from": { "items": comparison.from.items, "checksum": comparison.from.checksum() },
        "to": { "items": comparison.to.items, "checksum": comparison.to.checksum() },
        "expiring": { "from": comparison.expiring.0.items, "to": comparison.expiring.1.items },
        "differences": differences,
    })
}

/// What was exported.
pub(super) fn exported(copy: &Copy, exports: &[(Exported, Comparison)], from: &str) -> anyhow::Result<()> {
    if copy.is_json {
        let tables = exports.iter().map(|(export, comparison)| {
            json!({
                "table": export.found.table, "items": export.found.items, "export": export.folder, "files": export.files,
                "bytes": export.bytes, "equal": comparison.is_equal(), "comparison": comparison_json(comparison),
            })
        });
        return paper::line(json!({ "from": from, "tables": tables.collect::<Vec<_>>() }));
    }
    for (export, comparison) in exports {
        let outcome = if comparison.is_equal() { "equal" } else { "differs" };
        paper::line(format_args!(
            "{} of {} in {} ({}, {}): {outcome}",
            amount::count(export.found.items, "item"),
            shown(&export.found.table),
            shown(&export.folder),
            amount::count(u64::try_from(export.files)?, "file"),
            amount::size(export.bytes)
        ))?;
    }
    Ok(())
}
