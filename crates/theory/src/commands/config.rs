//! `theory config`: what a gateway would be told, where each value came from, and an example to begin with.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use theory_gateway::config::{ConfigError, EXAMPLE, Effective, Explained, FILE, Source};

use super::serve::ServeFlags;

/// Wider values push what follows aside.
const VALUE_CHARS_MAX: usize = 44;

const CHECK_EXAMPLES: &str = "\
Examples:
  theory config check                                   theory.toml of this folder, if it is there
  theory config check /etc/theory.toml --json
  theory config check --origin http://127.0.0.1:3000    what this flag would change";

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
    #[command(after_help = "Examples:\n  theory config example > theory.toml")]
    Example,
}

/// Shows every value, and where it came from.
#[derive(Debug, Args)]
struct Check {
    /// The file. theory.toml, if it is there.
    #[arg(value_name = "FILE", conflicts_with = "config")]
    file: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: ServeFlags,
}

impl Config {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Check(check) => check.run(),
            Command::Example => {
                tell(EXAMPLE);
                Ok(())
            }
        }
    }
}

impl Check {
    fn run(self) -> anyhow::Result<()> {
        match (self.flags.with_file(self.file).settings(), self.json) {
            (Ok(effective), true) => tell(&format!("{:#}\n", explained(&effective))),
            (Ok(effective), false) => tell(&told(&effective)),
            (Err(error), true) => {
                tell(&format!("{:#}\n", refused(&error)));
                bail!("there are {} problems", error.problems().len());
            }
            (Err(error), false) => bail!("these settings cannot be:\n{error}"),
        }
        Ok(())
    }
}

/// Writes to stdout. Whoever reads it may stop early.
fn tell(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// The values as people read them: table by table, in columns.
fn told(effective: &Effective) -> String {
    let explanation = &effective.explanation;
    let mut told = match &effective.file {
        Some(file) => format!("{} can be used. Every value, and where it came from:\n", file.display()),
        None => format!("There is no {FILE}, and none is needed. Every value, and where it came from:\n"),
    };
    let mut tables: Vec<&str> = Vec::new();
    for value in explanation.values() {
        if !tables.contains(&value.table.as_str()) {
            tables.push(&value.table);
        }
    }
    for table in tables {
        let values: Vec<&Explained> =
            explanation.values().iter().filter(|value| value.table == table).collect();
        let texts: Vec<String> = values.iter().map(|value| shown(value)).collect();
        let wide = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let keys = wide(&mut values.iter().map(|value| value.key.len()));
        let width = wide(&mut texts.iter().map(|text| text.chars().count().min(VALUE_CHARS_MAX)));
        let _ = write!(told, "\n{}\n", explanation.title(table));
        for (value, text) in values.iter().zip(&texts) {
            let _ = writeln!(told, "  {:keys$}  {text:width$}  {}", value.key, value.source);
        }
    }
    told
}

fn shown(value: &Explained) -> String {
    match value.text() {
        text if text.is_empty() => "—".to_owned(),
        text => text,
    }
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
