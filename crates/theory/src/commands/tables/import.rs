//! `theory tables import`: reads lines, sees what is wrong with them, and hands the items on in batches.

mod batch;
mod source;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use theory_copy::export::line;

use super::describe::described;
use crate::output::shown::shown;
use crate::output::tone::Tone;
use crate::output::{amount, paper};
use crate::store::Opened;
use batch::Batch;
use source::Source;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory tables import facetheory-cache pages.jsonl
  theory tables import facetheory-cache pages.jsonl --dry-run       only looks at the lines
  gunzip -c export.json.gz | theory tables import orders -          an export of DynamoDB to S3

Items that are there already are replaced. A line that is refused is told with its number, and the others go on.";

/// So many refused lines are told one by one.
const TOLD_MAX: u64 = 20;

/// Puts items into a table.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The table, which has to be there.
    #[arg(value_name = "TABLE")]
    name: String,
    /// The file with a line for each item; - is stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only look at the lines, and change nothing.
    #[arg(long = "dry-run")]
    is_dry: bool,
}

/// What has come of the lines so far.
#[derive(Debug, Default)]
struct Tally {
    written: u64,
    refused: u64,
}

impl Import {
    /// The lines.
    pub(super) fn source(&self) -> anyhow::Result<Source> {
        Source::open(&self.file)
    }

    pub(super) async fn run(self, opened: &Opened, mut source: Source, is_json: bool) -> anyhow::Result<()> {
        let table = described(opened, &self.name).await?;
        let mut batch = Batch::new(opened, &table, self.is_dry);
        let (bar, mut tally) = (bar(source.bytes()), Tally::default());
        while let Some((number, text)) = source.next()? {
            match line::read(&text) {
                Ok(item) => {
                    let flushed = batch.add(number, item).await?;
                    tally.add(flushed, &bar);
                }
                // Whoever gave the wrong file learns so before anything is changed.
                Err(reason) if number == 1 => bail!("{} holds no export: line 1: {reason}", source.name()),
                Err(reason) => tally.refuse(number, &reason, &bar),
            }
            bar.set_position(source.position());
        }
        let flushed = batch.flush().await?;
        tally.add(flushed, &bar);
        bar.finish_and_clear();
        self.told(&tally, is_json)
    }

    fn told(&self, tally: &Tally, is_json: bool) -> anyhow::Result<()> {
        let Tally { written, refused } = tally;
        match is_json {
            true => paper::line(
                json!({ "table": self.name, "items": written, "refused": refused, "dry_run": self.is_dry }),
            )?,
            false if self.is_dry => {
                paper::line(format_args!(
                    "{} could be put into {}",
                    amount::count(*written, "item"),
                    self.name
                ))?;
            }
            false => paper::line(format_args!("{} put into {}", amount::count(*written, "item"), self.name))?,
        }
        match refused {
            0 => Ok(()),
            _ => bail!("{} refused", amount::count(*refused, "line")),
        }
    }
}

impl Tally {
    fn add(&mut self, flushed: batch::Flushed, bar: &ProgressBar) {
        self.written += flushed.written;
        for (number, reason) in flushed.refused {
            self.refuse(number, &reason, bar);
        }
    }

    fn refuse(&mut self, number: u64, reason: &str, bar: &ProgressBar) {
        self.refused += 1;
        let told = match self.refused {
            refused if refused <= TOLD_MAX => format!("line {number}: {}", shown(reason)),
            refused if refused == TOLD_MAX + 1 => "further lines are refused as well".to_owned(),
            _ => return,
        };
        bar.suspend(|| paper::aside(format_args!("{} {told}", Tone::Doubtful.paint_aside("refused"))));
    }
}

/// A bar over the bytes of the file; a pipe has no length.
fn bar(bytes: Option<u64>) -> ProgressBar {
    let template = match bytes {
        Some(_) => "{bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}",
        None => "{spinner} {bytes}  {bytes_per_sec}",
    };
    let style = ProgressStyle::with_template(template).expect("the template is written by hand");
    bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_style(style)
}
