//! `theory config`: what a gateway would be told, where each value came from, and an example to begin with.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use theory_gateway::config::{ConfigError, EXAMPLE, Effective, Explained, FILE, Source};

use super::flags::ServeFlags;
use crate::output::paper;
use crate::output::shown::shown;
use crate::output::table::{Cell, Table};
use crate::output::tone::Tone;

pub(crate) const EXAMPLES: &str = "\
Examples:
  theory config example > theory.toml     a file to begin with
  theory config check                     what is in it, and where each value came from";
const CHECK_EXAMPLES: &str = "\
Examples:
  theory config check                                        theory.toml, the environment and the defaults
  theory config check other.toml --listen 127.0.0.1:8081     another file, and flags of `theory serve`
  theory config check --json                                 for programs";
const EXAMPLE_EXAMPLES: &str = "\
Examples:
  theory config example > theory.toml";

/// Explains settings.
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows every value that `theory serve` would be told, and where it came from: a line of the file, a variable, a flag or the
    /// default. If something is wrong, it says all of it, and ends with 1.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
    /// Prints a complete theory.toml, with every key and what it means.
    #[command(after_help = EXAMPLE_EXAMPLES)]
    Example,
}

/// Shows every value, and where it came from.
#[derive(Debug, Args)]
struct Check {
    /// The file. theory.toml, if it is there.
    #[arg(value_name = "FILE", conflicts_with = "config")]
    file: Option<PathBuf>,
    /// Print JSON.
    #[arg(long = "json")]
    is_json: bool,
    #[command(flatten)]
    flags: ServeFlags,
}

impl Config {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Check(check) => check.run(),
            Command::Example => paper::text_of(EXAMPLE),
        }
    }
}

impl Check {
    fn run(self) -> anyhow::Result<()> {
        match (self.flags.with_file(self.file).settings(), self.is_json) {
            (Ok(effective), true) => paper::line(format_args!("{:#}", explained(&effective))),
            (Ok(effective), false) => tell(&effective),
            (Err(error), true) => {
                paper::line(format_args!("{:#}", refused(&error)))?;
                bail!("these settings cannot be: {} problems", error.problems().len());
            }
            (Err(error), false) => bail!("these settings cannot be:\n{error}"),
        }
    }
}

/// The values as people read them: table by table, in columns.
fn tell(effective: &Effective) -> anyhow::Result<()> {
    let explanation = &effective.explanation;
    match &effective.file {
        Some(file) => {
            paper::line(format_args!("{} can be used. Every value, and where it came from:", file.display()))?
        }
        None => paper::line(format_args!(
            "There is no {FILE}, and none is needed. Every value, and where it came from:"
        ))?,
    }
    let mut tables: Vec<&str> = Vec::new();
    for value in explanation.values() {
        if !tables.contains(&value.table.as_str()) {
            tables.push(&value.table);
        }
    }
    for table in tables {
        let values = explanation.values().iter().filter(|value| value.table == table);
        paper::line(format_args!("\n{}", Tone::Title.paint(&shown(explanation.title(table)))))?;
        Table::bare(3, values.map(row).collect()).print()?;
    }
    Ok(())
}

fn row(value: &Explained) -> Vec<Cell> {
    let text = match value.text() {
        text if text.is_empty() => "—".to_owned(),
        text => text,
    };
    let tone = if value.source == Source::Default { Tone::Quiet } else { Tone::Plain };
    vec![
        Cell::from(format!("  {}", value.key)),
        Cell::from(text),
        Cell::toned(value.source.to_string(), tone),
    ]
}

/// The values for programs.
fn explained(effective: &Effective) -> Value {
    let values: Vec<Value> = effective
        .explanation
        .values()
        .iter()
        .map(|value| json!({ "table": value.table, "key": value.key, "value": value.value, "source": source(&value.source) }))
        .collect();
    json!({ "ok": true, "file": effective.file, "values": values, "problems": [] })
}

fn refused(error: &ConfigError) -> Value {
    let problems: Vec<Value> = error
        .problems()
        .iter()
        .map(|problem| json!({ "text": problem.text, "source": source(&problem.source) }))
        .collect();
    json!({ "ok": false, "problems": problems })
}

fn source(source: &Source) -> Value {
    match source {
        Source::Default => json!({ "kind": "default" }),
        Source::File { name, line, column } => {
            json!({ "kind": "file", "name": name.as_ref(), "line": line, "column": column })
        }
        Source::Variable(name) => json!({ "kind": "variable", "name": name }),
        Source::Flag(name) => json!({ "kind": "flag", "name": name }),
    }
}
