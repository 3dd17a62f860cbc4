//! One thing with all that is known of it: names and values below each other, lists as tables of their own. Units are read from the
//! ends of names, as the admin API gives them: `_s`, `_ms`, `_at`, `bytes`.

use serde_json::{Map, Value};

use super::amount;
use super::paper;
use super::shown::shown;
use super::table::{Cell, Table};
use super::tone::Tone;

/// Moments are later than 2001 and spans are shorter than thirty years: a number tells which of the two it is.
const MOMENT_MIN: i64 = 1_000_000_000;

/// Prints an object. Members that are objects or lists of objects come last, each below its name.
pub(crate) fn print(record: &Map<String, Value>) -> anyhow::Result<()> {
    let (nested, plain): (Vec<_>, Vec<_>) = record.iter().partition(|(_, value)| is_nested(value));
    let width = plain.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (name, value) in plain {
        let title = Tone::Title.paint(&format!("{:width$}", shown(name)));
        paper::line(format_args!("{title}  {}", tone(name, value).paint(&shown(&words(name, value)))))?;
    }
    for (name, value) in nested {
        paper::line(format_args!("\n{}", Tone::Title.paint(&shown(name))))?;
        match value {
            Value::Object(record) => print(record)?,
            Value::Array(list) => print_list(list)?,
            _ => {}
        }
    }
    Ok(())
}

/// Prints a list of objects as a table whose columns are the members of the first.
fn print_list(list: &[Value]) -> anyhow::Result<()> {
    let records: Vec<&Map<String, Value>> = list.iter().filter_map(Value::as_object).collect();
    let mut names: Vec<&String> = Vec::new();
    for name in records.iter().flat_map(|record| record.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // A table's columns have fixed titles elsewhere; here the names of the members are the titles.
    let mut rows = vec![names.iter().map(|name| Cell::toned(name, Tone::Quiet)).collect::<Vec<_>>()];
    for record in &records {
        let cell =
            |name: &&String| record.get(*name).map_or_else(|| "-".to_owned(), |value| words(name, value));
        rows.push(names.iter().map(|name| Cell::from(cell(name))).collect());
    }
    Table::bare(names.len(), rows).print()
}

fn is_nested(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(list) => list.iter().any(Value::is_object),
        _ => false,
    }
}

/// A value as people read it, by the unit that its name ends with.
pub(crate) fn words(name: &str, value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::String(text) if is_moment(name) => match text.parse::<jiff::Timestamp>() {
            Ok(moment) => amount::moment(moment.as_millisecond()),
            Err(_) => text.clone(),
        },
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => amount_of(name, number),
            None => number.to_string(),
        },
        Value::Array(list) => {
            // Pairs, such as headers, are lists in a list.
            let inner = |value: &Value| match value {
                Value::Array(pair) => {
                    pair.iter().map(|value| words(name, value)).collect::<Vec<_>>().join(": ")
                }
                value => words(name, value),
            };
            list.iter().map(inner).collect::<Vec<_>>().join(", ")
        }
        Value::Object(_) => value.to_string(),
    }
}

/// Whether a member is a moment, by its name.
fn is_moment(name: &str) -> bool {
    ["_at", "_until", "_since", "_after"].iter().any(|end| name.ends_with(end)) || name == "at"
}

fn amount_of(name: &str, number: i64) -> String {
    let whole = u64::try_from(number);
    if name.ends_with("bytes") {
        return whole.map_or_else(|_| number.to_string(), amount::size);
    }
    let is_millis = name.ends_with("_ms") || name == "ms";
    if is_millis && number / 1000 >= MOMENT_MIN {
        return amount::moment(number);
    }
    if is_millis {
        return format!("{number} ms");
    }
    if is_moment(name) && number >= MOMENT_MIN {
        return amount::moment(number.saturating_mul(1000));
    }
    match whole {
        Ok(seconds) if name.ends_with("_s") => amount::span(seconds),
        _ => number.to_string(),
    }
}

/// The tone of a value: what is well, what is not.
fn tone(name: &str, value: &Value) -> Tone {
    match (name, value.as_str()) {
        ("state" | "outcome", Some(state)) => tone_of_state(state),
        ("error" | "problem", Some(_)) => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// The tone of a page's state.
pub(crate) fn tone_of_state(state: &str) -> Tone {
    match state {
        "fresh" | "published" | "completed" | "ok" => Tone::Good,
        "stale" | "running" | "started" => Tone::Doubtful,
        "gone" | "failed" => Tone::Bad,
        _ => Tone::Plain,
    }
}
