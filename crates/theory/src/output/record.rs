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
    print_first(record, &[])
}

/// Prints an object whose members of these names come first.
pub(crate) fn print_first(record: &Map<String, Value>, first: &[&str]) -> anyhow::Result<()> {
    let place = |name: &String| first.iter().position(|first| first == name).unwrap_or(first.len());
    let mut members: Vec<(&String, &Value)> = record.iter().collect();
    members.sort_by_key(|(name, _)| place(name));
    let (nested, plain): (Vec<_>, Vec<_>) = members.into_iter().partition(|(_, value)| is_nested(value));
    let width = plain.iter().map(|(name, _)| label(name).chars().count()).max().unwrap_or_default();
    for (name, value) in plain {
        let title = Tone::Title.paint(&format!("{:width$}", shown(&label(name))));
        paper::line(format_args!("{title}  {}", tone(name, value).paint(&shown(&words(name, value)))))?;
    }
    nested.into_iter().try_for_each(|(name, value)| print_section(name, value))
}

/// Prints an object or a list below its name.
pub(crate) fn print_section(name: &str, value: &Value) -> anyhow::Result<()> {
    paper::line(format_args!("\n{}", Tone::Title.paint(&shown(&label(name)))))?;
    match value {
        Value::Object(record) => print(record),
        Value::Array(list) => print_list(list),
        _ => Ok(()),
    }
}

/// Prints a list of objects as a table whose columns are their members.
fn print_list(list: &[Value]) -> anyhow::Result<()> {
    let records: Vec<&Map<String, Value>> = list.iter().filter_map(Value::as_object).collect();
    let mut names: Vec<&String> = Vec::new();
    for name in records.iter().flat_map(|record| record.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut rows = vec![names.iter().map(|name| Cell::toned(label(name), Tone::Quiet)).collect::<Vec<_>>()];
    for record in &records {
        let cell =
            |name: &&String| record.get(*name).map_or_else(|| "-".to_owned(), |value| words(name, value));
        rows.push(names.iter().map(|name| Cell::from(cell(name))).collect());
    }
    Table::bare(names.len(), rows).print()
}

/// A name as people read it: its unit stands in the value.
fn label(name: &str) -> String {
    let name = name.strip_prefix("is_").unwrap_or(name);
    let name = name.strip_suffix("_s").or_else(|| name.strip_suffix("_ms")).unwrap_or(name);
    match name {
        "ms" => "took".to_owned(),
        name => name.replace('_', " "),
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_by_the_unit_in_their_name() {
        let cases = [
            ("age_s", json!(200), "3m20s"),
            ("ms", json!(12), "12 ms"),
            ("bytes", json!(2048), "2.0 KB"),
            ("status", json!(200), "200"),
            ("is_held", json!(true), "yes"),
            ("tags", json!(["a", "b"]), "a, b"),
            ("headers", json!([["vary", "accept"], ["x", "y"]]), "vary: accept, x: y"),
            ("etag", json!(null), "-"),
            ("generated_at", json!("not a time"), "not a time"),
            ("age_s", json!(-5), "-5"),
        ];
        for (name, value, expected) in cases {
            assert_eq!(words(name, &value), expected, "{name}");
        }
        assert!(words("generated_at", &json!("2001-09-09T01:46:40.000Z")).ends_with(" ago"));
        assert!(words("next_attempt_ms", &json!(1_000_000_000_000_i64)).ends_with(" ago"));
        assert!(words("lease_expires_at", &json!(4_000_000_000_i64)).starts_with("in "));
    }

    #[test]
    fn names_are_written_without_their_unit() {
        let cases = [
            ("age_s", "age"),
            ("is_held", "held"),
            ("ms", "took"),
            ("fresh_left_s", "fresh left"),
            ("url", "url"),
        ];
        for (name, expected) in cases {
            assert_eq!(label(name), expected);
        }
    }
}
