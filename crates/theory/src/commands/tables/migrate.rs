//! `theory tables migrate`: what a table lacks is added, and nothing is ever taken away.

mod missing;
mod needs;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tabletheory::table::{Layout, MigrationProgress, Plan, Table};
use theory_copy::Side;
use theory_copy::fill::Filling;
use theory_synth::Kind;

use super::describe::described;
use crate::commands::synth::models;
use crate::output::shown::shown;
use crate::output::tone::Tone;
use crate::output::{amount, paper};
use crate::store::Opened;
use missing::Missing;
use needs::Read;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory tables migrate facetheory-cache --kind cache              says what is missing, and changes nothing
  theory tables migrate facetheory-cache --kind cache --apply      adds it
  theory tables migrate users --model users.yml --apply            as a document about models (DMS) says
  theory tables migrate users --set-missing 'status={\"S\":\"new\"}' --apply

Indexes are added one after the other and waited for, time to live is switched on, and attributes are given to the items that lack
them; an item that has one keeps it. It may be stopped at any time and done again. Keys, local indexes and the types of key
attributes never change: copy such a table into a new one with `theory copy`.";

/// So many parts of a table are read at once.
const SEGMENTS: u32 = 4;

/// Adds what a table lacks.
#[derive(Debug, Args)]
pub(super) struct Migrate {
    /// The table, which has to be there.
    #[arg(value_name = "TABLE")]
    name: String,
    /// What the gateway keeps in it: cache, limits or requests.
    #[arg(long, value_name = "KIND", value_parser = models::kind, conflicts_with = "model")]
    kind: Option<Kind>,
    /// A document about models (DMS), in YAML or JSON.
    #[arg(long, value_name = "FILE")]
    model: Option<std::path::PathBuf>,
    /// An attribute for items that lack it, its value in DynamoDB's JSON.
    #[arg(long, value_name = "NAME=JSON")]
    set_missing: Vec<Missing>,
    /// Do it. Without this, it is only said what would be done.
    #[arg(long)]
    apply: bool,
}

impl Migrate {
    pub(super) async fn run(self, opened: &Opened, is_json: bool) -> anyhow::Result<()> {
        // Read once: it may be the standard input.
        let read = self.model.as_deref().map(Read::open).transpose()?;
        let needs = needs::of(self.kind, read.as_ref(), &self.name)?;
        if needs.is_none() && self.set_missing.is_empty() {
            bail!("say what {} needs: --kind, --model FILE or --set-missing NAME=JSON", shown(&self.name));
        }
        needs::check(read.as_ref(), &self.name, &self.set_missing)?;
        described(opened, &self.name).await?;
        let table = needs.map(|layout| self.table(opened, &layout));
        let plan = match &table {
            Some(table) => table.plan().await.with_context(|| format!("cannot look at {}", self.name))?,
            None => Plan::default(),
        };
        let side = Side::new(std::sync::Arc::clone(&opened.store), opened.name.clone());
        let filling = match &self.set_missing[..] {
            [] => None,
            values => {
                let values = values.iter().map(Missing::pair).collect();
                Some(Filling::open(&side, &self.name, values, SEGMENTS).await?)
            }
        };
        let lacking = match &filling {
            Some(filling) => filling.count(&side).await?,
            None => 0,
        };
        self.refuse(&plan, is_json)?;
        if !self.apply {
            return self.planned(&plan, lacking, is_json);
        }
        if let Some(table) = &table {
            self.migrate(table).await?;
        }
        let mut filled = 0;
        if let Some(filling) = filling {
            let bar = bar(lacking);
            filled = filling.run(&side, &|items| bar.inc(items)).await?;
            bar.finish_and_clear();
        }
        self.done(&plan, filled, is_json)
    }

    fn table(&self, opened: &Opened, layout: &Layout) -> Table<()> {
        Table::laid_out(std::sync::Arc::clone(&opened.store), &layout.clone().named(self.name.clone()))
    }

    /// What no step can do is told, and nothing is done.
    fn refuse(&self, plan: &Plan, is_json: bool) -> anyhow::Result<()> {
        if plan.refused().is_empty() {
            return Ok(());
        }
        if is_json {
            let refused: Vec<_> = plan
                .refused()
                .iter()
                .map(|one| json!({ "is": one.to_string(), "advice": one.advice() }))
                .collect();
            paper::line(json!({ "table": self.name, "refused": refused }))?;
        }
        let refused: Vec<String> =
            plan.refused().iter().map(|one| format!("{one} ({})", one.advice())).collect();
        bail!(
            "{} cannot be migrated, and nothing was changed: {}; `theory copy --rename {}=NEW` copies into a new table",
            shown(&self.name),
            refused.join("; "),
            shown(&self.name)
        )
    }

    fn planned(&self, plan: &Plan, lacking: u64, is_json: bool) -> anyhow::Result<()> {
        let steps: Vec<String> = plan.steps().iter().map(ToString::to_string).collect();
        if is_json {
            return paper::line(
                json!({ "table": self.name, "dry_run": true, "steps": steps, "lacking": lacking }),
            );
        }
        for step in &steps {
            paper::line(format_args!("{} {step}", Tone::Title.paint("would")))?;
        }
        if lacking > 0 {
            let names: Vec<&str> = self.set_missing.iter().map(Missing::name).collect();
            let names = names.join(", ");
            paper::line(format_args!(
                "{} give {names} to {}",
                Tone::Title.paint("would"),
                amount::count(lacking, "item")
            ))?;
        }
        match steps.is_empty() && lacking == 0 {
            true => paper::line(format_args!("{} lacks nothing", shown(&self.name))),
            false => paper::line("nothing was changed; say --apply to do it"),
        }
    }

    async fn migrate(&self, table: &Table<()>) -> anyhow::Result<()> {
        let spinner = ProgressBar::new_spinner();
        let tell = |progress: &MigrationProgress| spinner.set_message(progress.to_string());
        let done = table.migrate().on_progress(tell).await;
        spinner.finish_and_clear();
        done.map(drop).with_context(|| format!("{} was not migrated to the end; do it again", self.name))
    }

    fn done(&self, plan: &Plan, filled: u64, is_json: bool) -> anyhow::Result<()> {
        let steps: Vec<String> = plan.steps().iter().map(ToString::to_string).collect();
        if is_json {
            return paper::line(
                json!({ "table": self.name, "dry_run": false, "steps": steps, "filled": filled }),
            );
        }
        for step in &steps {
            paper::line(format_args!("{} {step}", Tone::Good.paint("done")))?;
        }
        if !self.set_missing.is_empty() {
            paper::line(format_args!(
                "{} {} filled",
                Tone::Good.paint("done"),
                amount::count(filled, "item")
            ))?;
        }
        match steps.is_empty() && self.set_missing.is_empty() {
            true => paper::line(format_args!("{} lacks nothing", shown(&self.name))),
            false => Ok(()),
        }
    }
}

fn bar(items: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} items  {per_sec}  {eta}");
    ProgressBar::new(items).with_style(style.expect("the template is written by hand"))
}
