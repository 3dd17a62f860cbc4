//! What came of a run, for people and for programs.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Version;
use serde_json::{Value, json};

use super::load::Outcome;
use super::state::is_from_cache;
use crate::output::amount::{count, size};
use crate::output::table::{Cell, Side, Table};
use crate::output::tone::Tone;
use crate::output::{paper, shown::shown};

/// The quantiles that are told: their names, and how many of a thousand.
const QUANTILES: [(&str, u64); 4] = [("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999)];

/// What was asked for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) url: String,
    pub(super) connections: usize,
    pub(super) rate: Option<u32>,
    pub(super) version: Version,
}

/// Prints what came of it.
pub(super) fn print(asked: &Asked, outcome: &Outcome, is_json: bool) -> anyhow::Result<()> {
    if is_json { paper::line(record(asked, outcome)) } else { print_table(asked, outcome) }
}

fn record(asked: &Asked, Outcome { tally, took, behind }: &Outcome) -> Value {
    let mut latency: serde_json::Map<String, Value> = QUANTILES
        .iter()
        .map(|(name, part)| ((*name).to_owned(), millis(tally.latency.quantile(*part)).into()))
        .collect();
    latency.insert("max".to_owned(), millis(tally.latency.max()).into());
    latency.insert("mean".to_owned(), millis(tally.latency.mean()).into());
    json!({
        "url": asked.url,
        "connections": asked.connections,
        "rate": asked.rate,
        "http_version": if asked.version == Version::HTTP_2 { "2" } else { "1.1" },
        "seconds": rounded(took.as_secs_f64()),
        "requests": tally.answered,
        "requests_per_second": rounded(per_second(tally.answered, *took)),
        "bytes": tally.bytes,
        "latency_ms": if tally.answered > 0 { Value::Object(latency) } else { Value::Null },
        "statuses": tally.classes,
        "cache": tally.states,
        "errors": tally.errors,
        "failed": tally.failed,
        "unfinished": tally.unfinished(),
        "behind": behind,
        "connections_made": tally.connections,
    })
}

fn print_table(asked: &Asked, outcome: &Outcome) -> anyhow::Result<()> {
    let Outcome { tally, took, behind } = outcome;
    let version = if asked.version == Version::HTTP_2 { "HTTP/2" } else { "HTTP/1.1" };
    let rate = asked.rate.map(|rate| format!(", {rate} requests a second")).unwrap_or_default();
    let connections = count(asked.connections as u64, "connection");
    paper::line(format_args!(
        "{}: {connections} of {version}{rate}, {:.1} s",
        shown(&asked.url),
        took.as_secs_f64()
    ))?;
    let each = |number: u64| format!("{:.1}/s", per_second(number, *took));
    let mut rows: Vec<[(String, Tone); 3]> = vec![
        row("answers", tally.answered.to_string(), each(tally.answered)),
        row("bytes", size(tally.bytes), format!("{}/s", size(whole(per_second(tally.bytes, *took))))),
    ];
    if tally.answered > 0 {
        let quantiles = QUANTILES.iter().map(|(name, part)| (*name, tally.latency.quantile(*part)));
        for (name, time) in quantiles.chain([("max", tally.latency.max()), ("mean", tally.latency.mean())]) {
            rows.push(row(&format!("latency {name}"), time_text(time), String::new()));
        }
    }
    for (class, number) in &tally.classes {
        let tone = if class.starts_with('5') { Tone::Bad } else { Tone::Plain };
        rows.push(toned(&format!("status {class}"), *number, part(*number, tally.answered), tone));
    }
    rows.extend(cache_rows(&tally.states, tally.answered));
    for (kind, number) in &tally.errors {
        rows.push(toned("error", *number, shown(kind), Tone::Bad));
    }
    let also = [
        ("unfinished", tally.unfinished(), "under way at the end"),
        ("behind", *behind, "not begun in time: all connections were busy"),
    ];
    for (name, number, why) in also.into_iter().filter(|(_, number, _)| *number > 0) {
        rows.push(toned(name, number, why.to_owned(), Tone::Doubtful));
    }
    rows.push(row("connections", tally.connections.to_string(), "made".to_owned()));
    // Titles without words leave a line between this and what was asked.
    let mut table = Table::new(&[("", Side::Left), ("", Side::Right), ("", Side::Left)]);
    for cells in rows {
        table.row(cells.into_iter().map(|(text, tone)| Cell::toned(text, tone)).collect());
    }
    table.print()
}

/// How many answers came from a cache, and in which state.
fn cache_rows(states: &BTreeMap<String, u64>, answered: u64) -> Vec<[(String, Tone); 3]> {
    if states.is_empty() {
        return Vec::new();
    }
    let kept: u64 = states.iter().filter(|(state, _)| is_from_cache(state)).map(|(_, number)| number).sum();
    let all = row("from the cache", kept.to_string(), part(kept, answered));
    let each = states.iter().map(|(state, number)| {
        row(&format!("  {}", shown(state)), number.to_string(), part(*number, answered))
    });
    std::iter::once(all).chain(each).collect()
}

fn row(name: &str, value: String, more: String) -> [(String, Tone); 3] {
    [(name.to_owned(), Tone::Title), (value, Tone::Plain), (more, Tone::Quiet)]
}

fn toned(name: &str, number: u64, more: String, tone: Tone) -> [(String, Tone); 3] {
    [(name.to_owned(), Tone::Title), (number.to_string(), tone), (more, tone)]
}

fn part(number: u64, of: u64) -> String {
    let thousandths = (u128::from(number) * 1000).checked_div(u128::from(of)).unwrap_or_default();
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// A time with three digits or so: `0.412 ms`, `41.2 ms`, `4.12 s`.
fn time_text(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1000.0;
    match millis {
        millis if millis < 10.0 => format!("{millis:.3} ms"),
        millis if millis < 1000.0 => format!("{millis:.1} ms"),
        _ => format!("{:.2} s", time.as_secs_f64()),
    }
}

fn millis(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1000.0)
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "a rate is rough anyway")]
fn per_second(number: u64, took: Duration) -> f64 {
    number as f64 / took.as_secs_f64().max(1e-9)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate of bytes is positive, and rough anyway"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_digits_that_matter() {
        let cases = [(412, "0.412 ms"), (41_234, "41.2 ms"), (4_120_000, "4.12 s"), (0, "0.000 ms")];
        for (micros, expected) in cases {
            assert_eq!(time_text(Duration::from_micros(micros)), expected);
        }
    }

    #[test]
    fn parts_are_cut_off_and_never_rounded_up_to_all() {
        assert_eq!(
            (part(9999, 10_000), part(1, 1), part(0, 0)),
            ("99.9 %".into(), "100.0 %".into(), "0.0 %".into())
        );
    }
}
