//! Instructions of typed operations beside those of the same requests made by hand. The bench `typed` of `tabletheory` does
//! the work under valgrind, which counts the same instructions on every run; gungraun starts it and tells the counts.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::figure::Figure;
use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

/// The head of the table.
pub(super) const HEAD: &str = "\
| operation on an order of ten fields | typed, instructions | by hand, instructions | typed ÷ by hand | at most | |
|---|--:|--:|--:|--:|---|
";

/// The operations, as the bench's functions begin, and how many times the instructions of the untyped one the typed may take.
const BOUNDS: [(&str, f64); 3] = [("get", 1.3), ("put", 1.3), ("update", 1.3)];

/// Runs the bench.
pub(super) fn measure(workspace: &Workspace) -> Result<Vec<Figure>> {
    program::VALGRIND.ensure()?;
    let mut bench = workspace.cargo(&["bench", "--locked", "--package", "tabletheory", "--bench", "typed"]);
    bench.args(["--", "--output-format=json"]).env("GUNGRAUN_RUNNER", runner(workspace)?);
    let done = bench.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    ensure!(done.status.success(), "the bench `typed` ended with {}", done.status);
    let counts = Counts::read(&String::from_utf8_lossy(&done.stdout))?;
    BOUNDS.iter().map(|(operation, bound)| counts.compare(operation, *bound)).collect()
}

/// The program that starts valgrind; it has to be of the very version of the library in the bench.
fn runner(workspace: &Workspace) -> Result<PathBuf> {
    let lock =
        std::fs::read_to_string(workspace.root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let version = locked(&lock, "gungraun").context("Cargo.lock has no `gungraun`")?;
    let folder = tool::ensure(workspace, "gungraun-runner", &[version.as_bytes()], |draft| {
        eprintln!("installing gungraun-runner {version}");
        let mut install = workspace.cargo(&["install", "gungraun-runner", "--locked", "--version"]);
        succeed(install.arg(format!("={version}")).arg("--root").arg(draft))
    })?;
    Ok(folder.join("bin/gungraun-runner"))
}

fn locked<'l>(lock: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}

/// What gungraun tells: a line of JSON for each function.
#[derive(Debug)]
struct Counts(Vec<Value>);

impl Counts {
    fn read(lines: &str) -> Result<Self> {
        let counts = lines.lines().filter(|line| line.starts_with('{')).map(serde_json::from_str);
        counts.collect::<Result<_, _>>().map(Self).context("gungraun prints JSON")
    }

    /// One row: the function `<operation>_typed` beside `<operation>_untyped`.
    fn compare(&self, operation: &str, bound: f64) -> Result<Figure> {
        let typed = self.instructions(&format!("{operation}_typed"))?;
        let untyped = self.instructions(&format!("{operation}_untyped"))?;
        let ratio = typed / untyped;
        let row = format!("| {operation} | {typed:.0} | {untyped:.0} | {ratio:.2} | {bound} |");
        Ok(Figure { row, holds: ratio <= bound })
    }

    /// Instructions of one operation, on the average.
    fn instructions(&self, function: &str) -> Result<f64> {
        let summary = self.0.iter().find(|summary| summary["function_name"] == function);
        let summary = summary.with_context(|| format!("the bench has no function `{function}`"))?;
        let count = summary.pointer("/profiles/0/data/total/metrics/Ir/values/new").and_then(Value::as_f64);
        let count = count.with_context(|| format!("gungraun gives no count for `{function}`"))?;
        Ok(count / operations(summary)?)
    }
}

/// How many operations were counted: the bench says it at the end of the measurement's id.
fn operations(summary: &Value) -> Result<f64> {
    let id = summary["id"].as_str().unwrap_or_default();
    let number = id.rsplit('_').next().and_then(|number| number.parse().ok());
    number.with_context(|| format!("the id `{id}` does not say how many operations there were"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(function: &str, instructions: u64) -> String {
        format!(
            r#"{{"function_name":"{function}","id":"orders_8","profiles":[{{"data":{{"total":{{"metrics":{{"Ir":{{"values":{{"new":{instructions},"old":1}}}}}}}}}}}}]}}"#
        )
    }

    fn figure(typed: u64, untyped: u64) -> Figure {
        let lines =
            format!("{}\nnot a summary\n{}\n", summary("get_typed", typed), summary("get_untyped", untyped));
        Counts::read(&lines).unwrap().compare("get", 1.3).unwrap()
    }

    #[test]
    fn a_figure_holds_up_to_its_bound() {
        let figure = figure(1040, 800);
        assert_eq!((figure.row.as_str(), figure.holds), ("| get | 130 | 100 | 1.30 | 1.3 |", true));
    }

    #[test]
    fn a_figure_beyond_its_bound_is_missed() {
        assert!(!figure(1041, 800).holds);
    }

    #[test]
    fn a_function_that_was_not_counted_is_named() {
        let counts = Counts::read(&summary("get_typed", 8)).unwrap();
        let error = counts.compare("get", 1.3).unwrap_err();
        assert!(error.to_string().contains("`get_untyped`"), "{error}");
    }

    #[test]
    fn the_runner_has_the_version_of_the_library() {
        let lock = "[[package]]\nname = \"gungraun-common\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"gungraun\"\nversion = \"0.20.0\"\n";
        assert_eq!(locked(lock, "gungraun"), Some("0.20.0"));
        assert_eq!(locked(lock, "valgrind"), None);
    }
}
