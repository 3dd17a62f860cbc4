//! The table of benchmarks on the front page of the repository: some rows of `docs/bench/results.json`, between two marks of `README.md`.
//! `bench` writes it after it has measured, and `tidy` refuses a front page that says something else.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::Workspace;

/// The front page.
pub(crate) const PATH: &str = "README.md";
/// What was measured.
pub(crate) const RESULTS: &str = "docs/bench/results.json";

const BEGIN: &str = "<!-- bench:begin -->\n";
const END: &str = "<!-- bench:end -->";
const NOT_MEASURED: &str = "not measured";

/// A row: what is measured, beside whom, and where the figure stands.
type Row = (&'static str, &'static str, Figure);

enum Figure {
    /// How many times as many operations of the engine, in process: the operation and the peer.
    InProcess(&'static str, &'static str),
    /// How many times as many requests over HTTP: the operation and the peer.
    OverHttp(&'static str, &'static str),
    /// Of a kept page: its size, the figure and the peer.
    Kept(&'static str, &'static str, &'static str),
    /// Processor time for one of so many pages, beside nginx.
    OneOf(u64),
    /// Renders for an expiry in the largest fleet.
    Renders,
}

const ROWS: [Row; 14] = [
    (
        "GetItem in process, hot key",
        "dynoxide, in memory",
        Figure::InProcess("GetItem, hot key", "dynoxide, memory"),
    ),
    (
        "PutItem in process, not synced, one thread",
        "dynoxide, in memory",
        Figure::InProcess("PutItem, memory durability, 1 thread", "dynoxide, memory"),
    ),
    (
        "PutItem in process, fsync, 64 writers",
        "dynoxide, on a file",
        Figure::InProcess("PutItem, sync, 64 writers", "dynoxide, file"),
    ),
    (
        "Query of 20 items in process",
        "dynoxide, in memory",
        Figure::InProcess("Query of 20 items", "dynoxide, memory"),
    ),
    (
        "GetItem over HTTP, 32 connections",
        "DynamoDB Local",
        Figure::OverHttp("GetItem", "DynamoDB Local, memory"),
    ),
    (
        "PutItem over HTTP, ours with fsync",
        "dynoxide, on a file",
        Figure::OverHttp("PutItem", "dynoxide, file"),
    ),
    (
        "TransactWriteItems over HTTP, ours with fsync",
        "DynamoDB Local, in memory",
        Figure::OverHttp("TransactWriteItems, put and conditional delete", "DynamoDB Local, memory"),
    ),
    ("a kept page of 10 KB, server CPU per request", "nginx", Figure::Kept("10 KB", "server_cpu", "nginx")),
    ("the same", "Varnish", Figure::Kept("10 KB", "server_cpu", "varnish")),
    ("the same, requests per second", "Next.js", Figure::Kept("10 KB", "per_second", "Next.js")),
    ("renders when a page expires in a fleet of eight", "nginx and Varnish", Figure::Renders),
    ("one of 10,000 pages at random, server CPU per request", "nginx", Figure::OneOf(10_000)),
    ("one of 100,000 pages", "nginx", Figure::OneOf(100_000)),
    ("one of 1,000,000 pages, more than memory holds", "nginx", Figure::OneOf(1_000_000)),
];

/// Puts what was measured last on the front page.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    let read = |path| {
        std::fs::read_to_string(workspace.root().join(path)).with_context(|| format!("cannot read {path}"))
    };
    let page = with_table(&read(PATH)?, &read(RESULTS)?)?;
    std::fs::write(workspace.root().join(PATH), page).with_context(|| format!("cannot write {PATH}"))
}

/// The front page as it has to be with these results.
pub(crate) fn with_table(page: &str, results: &str) -> Result<String> {
    let results: Value = serde_json::from_str(results).with_context(|| format!("{RESULTS} is no JSON"))?;
    let marks = || format!("{PATH} has no line `{}` with `{END}` behind it", BEGIN.trim_end());
    let (before, rest) = page.split_once(BEGIN).with_context(marks)?;
    let (_, after) = rest.split_once(END).with_context(marks)?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", table(&results)))
}

fn table(results: &Value) -> String {
    let mut text = String::from("| what | beside | ours ÷ peer |\n|---|---|--:|\n");
    for (what, beside, figure) in &ROWS {
        let cell = figure.of(results).unwrap_or_else(|| NOT_MEASURED.to_owned());
        text.push_str(&format!("| {what} | {beside} | {cell} |\n"));
    }
    text
}

impl Figure {
    fn of(&self, results: &Value) -> Option<String> {
        match *self {
            Self::InProcess(operation, peer) => {
                let rows = results["engine"]["outcome"].as_array()?;
                let is_it = |row: &&Value| row["operation"] == operation && row["peer"]["contender"] == peer;
                times(rows.iter().find(is_it)?["ratio"].as_f64()?)
            }
            Self::OverHttp(operation, peer) => {
                let rows = results["http"]["outcome"]["comparisons"].as_array()?;
                let row = rows.iter().find(|row| row["operation"] == operation)?;
                let server = row["servers"].as_array()?.iter().find(|server| server["contender"] == peer)?;
                times(server["target"]["ratio"].as_f64()?)
            }
            Self::Kept(size, figure, peer) => {
                let rows = results["hits"]["outcome"]["rows"].as_array()?;
                let verdicts = rows.iter().find(|row| row["size"] == size)?["verdicts"].as_array()?;
                let is_it = |verdict: &&Value| verdict["figure"] == figure && verdict["peer"] == peer;
                let ratio = verdicts.iter().find(is_it)?["ratio"].as_f64()?;
                if figure == "per_second" { times(ratio) } else { Some(format!("{ratio:.2}")) }
            }
            Self::OneOf(pages) => {
                let points = results["keys"]["outcome"].as_array()?;
                let cost = |server: &str| {
                    let is_it = |point: &&Value| {
                        point["keys"] == pages && point["choice"] == "uniform" && point["server"] == server
                    };
                    points.iter().find(is_it)?["server_cpu_us"].as_f64()
                };
                let ratio = cost("theory serve")? / cost("nginx")?;
                Some(if ratio < 1.05 { format!("{ratio:.2}") } else { format!("{ratio:.1}, slower") })
            }
            Self::Renders => {
                let herds = results["fleet"]["outcome"].as_array()?;
                let renders = |server: &str| {
                    let is_it = |herd: &&Value| herd["instances"] == 8 && herd["server"] == server;
                    let expiries = herds.iter().find(is_it)?["expiries"].as_array()?;
                    expiries.iter().map(Value::as_u64).max()?
                };
                let (ours, nginx, varnish) =
                    (renders("theory serve")?, renders("nginx")?, renders("varnish")?);
                Some(format!("{ours} beside {nginx} and {varnish}"))
            }
        }
    }
}

fn times(ratio: f64) -> Option<String> {
    Some(if ratio < 20.0 { format!("{ratio:.1} ×") } else { format!("{ratio:.0} ×") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Name\n<!-- bench:begin -->\n| 99 × |\n<!-- bench:end -->\nrest\n";

    #[test]
    fn the_results_of_this_repository_have_every_row() {
        let workspace = Workspace::find().unwrap();
        let results = std::fs::read_to_string(workspace.root().join(RESULTS)).unwrap();
        let page = with_table(PAGE, &results).unwrap();
        assert!(page.starts_with("# Name\n<!-- bench:begin -->\n\n| what |"), "{page}");
        assert!(page.ends_with("|\n\n<!-- bench:end -->\nrest\n") && !page.contains("99 ×"), "{page}");
        assert!(!page.contains(NOT_MEASURED), "{page}");
        assert_eq!(with_table(&page, &results).unwrap(), page, "once is enough");
    }

    #[test]
    fn what_is_missing_is_told() {
        let told = |page, results| format!("{:#}", with_table(page, results).unwrap_err());
        assert!(told("# Name\n", "{}").contains("<!-- bench:begin -->"));
        assert_eq!(with_table(PAGE, "{}").unwrap().matches(NOT_MEASURED).count(), ROWS.len());
        assert!(told(PAGE, "[").contains("results.json is no JSON"));
    }
}
