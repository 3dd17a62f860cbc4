//! `theory synth --check`: whether the runtime can work with the tables of a template.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;
use theory_synth::Kind;
use theory_synth::check::{Claims, Need, Report, check};

use super::models;
use crate::output::paper;

/// Checks a template.
#[derive(Debug, Args)]
#[command(next_help_heading = "Check a template")]
pub(super) struct Check {
    /// The template, as JSON or YAML; `-` is the standard input. It ends with 1 if the runtime would refuse a table.
    #[arg(long = "check", value_name = "TEMPLATE")]
    template: Option<PathBuf>,
    /// What the one table of the template holds: cache, limits or requests.
    #[arg(long, value_name = "KIND", requires = "template", value_parser = models::kind)]
    kind: Option<Kind>,
    /// What a table holds, by its logical id or its name; more than one may be given.
    #[arg(long = "table", value_name = "TABLE=KIND", requires = "template", value_parser = claim)]
    tables: Vec<(String, Kind)>,
    /// Models (DMS, as YAML or JSON) whose tables are compared, by their names; more than one may be given.
    #[arg(long = "model", value_name = "FILE", requires = "template")]
    models: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long = "json", requires = "template")]
    is_json: bool,
}

impl Check {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Some(file) = &self.template else {
            bail!("say what to make, or which template to check; `theory synth --help` teaches both");
        };
        let text = models::text(file)?;
        let named = || file.display().to_string();
        let template = theory_synth::read(&text).with_context(|| format!("{} is no template", named()))?;
        let report = check(&template, &self.claims()?).with_context(named)?;
        self.print(&report)?;
        if !report.is_good() {
            let refused = report.checked.iter().filter(|checked| !checked.faults.is_empty());
            let mut ids: Vec<&str> = refused.map(|checked| checked.id.as_str()).collect();
            ids.dedup();
            bail!("the runtime cannot work with {} of {}", ids.join(", "), named());
        }
        Ok(())
    }

    fn claims(&self) -> anyhow::Result<Claims> {
        let mut claims = Claims::default().layouts(models::read(&self.models)?.layouts());
        if let Some(kind) = self.kind {
            claims = claims.only(kind);
        }
        let tables = self.tables.iter().cloned();
        Ok(tables.fold(claims, |claims, (table, kind)| claims.table(table, Need::Kind(kind))))
    }

    fn print(&self, report: &Report) -> anyhow::Result<()> {
        if !self.is_json {
            return paper::text_of(report.to_string());
        }
        let tables: Vec<_> = report
            .checked
            .iter()
            .map(|checked| {
                let fault = |fault: &theory_synth::check::Fault| json!({"found": fault.to_string(), "advice": fault.advice()});
                let faults: Vec<_> = checked.faults.iter().map(fault).collect();
                json!({"table": checked.id, "because": checked.because, "faults": faults})
            })
            .collect();
        paper::line(json!({"good": report.is_good(), "tables": tables, "not_compared": report.unknown}))
    }
}

/// `TABLE=KIND`.
fn claim(text: &str) -> Result<(String, Kind), String> {
    let (table, kind) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`"))?;
    Ok((table.to_owned(), models::kind(kind)?))
}
