//! Everything that was measured, part by part, each with the run it comes from: tables for people, a JSON document for
//! programs. A document can take up the parts of a later run and keep the others.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::comparison::{self, Comparison};
use crate::growth::Growth;
use crate::http::OverHttp;
use crate::limits::{self, Decisions};
use crate::machine::Machine;
use crate::markdown::line;
use crate::pages::clients;
use crate::pages::fleet::{self, Herd};
use crate::pages::hit::Hits;
use crate::pages::keys;
use crate::part::Part;
use crate::reopen::{self, Reopening};
use crate::run::{Measured, Run};

/// A part that was measured, or not.
type Maybe<T> = Option<Measured<T>>;

/// The document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Report {
    pub(crate) machine: Option<Machine>,
    pub(crate) engine: Maybe<Vec<Comparison>>,
    pub(crate) http: Maybe<OverHttp>,
    pub(crate) limits: Maybe<Vec<Decisions>>,
    pub(crate) hits: Maybe<Hits>,
    pub(crate) clients: Maybe<Vec<clients::Point>>,
    pub(crate) keys: Maybe<Vec<keys::Point>>,
    pub(crate) fleet: Maybe<Vec<Herd>>,
    pub(crate) reopen: Maybe<Vec<Reopening>>,
    pub(crate) growth: Maybe<Growth>,
}

/// One part as a reader meets it.
struct Section<'a> {
    part: Part,
    title: &'static str,
    run: &'a Run,
    table: String,
}

impl Report {
    /// This document with the parts of an older one that it does not have itself.
    pub(crate) fn upon(self, older: Self) -> Result<Self> {
        if let (Some(here), Some(there)) = (&self.machine, &older.machine)
            && !here.is_like(there)
        {
            bail!(
                "the older results are of another machine ({}), this one is {}: remove them and measure everything",
                there.text(),
                here.text()
            );
        }
        Ok(Self {
            machine: self.machine.or(older.machine),
            engine: self.engine.or(older.engine),
            http: self.http.or(older.http),
            limits: self.limits.or(older.limits),
            hits: self.hits.or(older.hits),
            clients: self.clients.or(older.clients),
            keys: self.keys.or(older.keys),
            fleet: self.fleet.or(older.fleet),
            reopen: self.reopen.or(older.reopen),
            growth: self.growth.or(older.growth),
        })
    }

    /// The whole document, as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let sections = self.sections();
        let mut text =
            String::from("# Results\n\n`cargo xtask bench --write` wrote this; edits do not last.\n\n");
        if let Some(machine) = &self.machine {
            text.push_str(&format!("**Machine.** {}.\n\n", machine.text()));
        }
        text.push_str(&format!("**Versions.** {}.\n\n", versions(&sections)));
        text.push_str(&runs(&sections));
        for section in &sections {
            text.push_str(&format!("\n## {}\n\n", section.title));
            if section.run.is_quick {
                text.push_str("A quick run: short rounds and small tables. Read the ratios loosely.\n\n");
            }
            text.push_str(section.table.trim_end());
            text.push('\n');
        }
        text
    }

    fn sections(&self) -> Vec<Section<'_>> {
        let parts = [
            section(Part::Engine, "The engine in process", &self.engine, |rows| comparison::markdown(rows)),
            section(Part::Http, "Over HTTP", &self.http, OverHttp::markdown),
            section(Part::Limits, "Rate limits in process", &self.limits, |rows| limits::markdown(rows)),
            section(Part::Hits, "Cached pages", &self.hits, Hits::markdown),
            section(Part::Clients, "More clients", &self.clients, |points| clients::markdown(points)),
            section(Part::Keys, "More pages", &self.keys, |points| keys::markdown(points)),
            section(Part::Fleet, "More instances", &self.fleet, |herds| fleet::markdown(herds)),
            section(Part::Reopen, "Reopening a folder", &self.reopen, |rows| reopen::markdown(rows)),
            section(Part::Growth, "More items", &self.growth, Growth::markdown),
        ];
        parts.into_iter().flatten().collect()
    }
}

fn section<'a, T>(
    part: Part,
    title: &'static str,
    measured: &'a Maybe<T>,
    table: impl FnOnce(&T) -> String,
) -> Option<Section<'a>> {
    measured.as_ref().map(|Measured { run, outcome }| Section { part, title, run, table: table(outcome) })
}

/// Each name once; with several versions, if parts were measured with different ones.
fn versions(sections: &[Section<'_>]) -> String {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, version) in sections.iter().flat_map(|section| &section.run.versions) {
        known.entry(name).or_default().insert(version);
    }
    let text = |(name, versions): (&str, BTreeSet<&str>)| {
        format!("{name} {}", versions.into_iter().collect::<Vec<_>>().join(" and "))
    };
    known.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Which part comes from which run.
fn runs(sections: &[Section<'_>]) -> String {
    let mut text =
        String::from("| part | measured | commit | took s | rounds | command |\n|---|---|---|--:|---|---|\n");
    for Section { part, run, .. } in sections {
        let cells = [
            part.name(),
            &run.date,
            &run.commit,
            &format!("{:.0}", run.seconds),
            &format!("{} of {} s", run.rounds, run.round_seconds),
            &format!("`{}`", run.command),
        ];
        line(&mut text, &cells);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn run(commit: &str) -> Run {
        let versions = [("fjall".to_owned(), format!("of {commit}"))].into();
        Run { commit: commit.to_owned(), versions, ..Run::default() }
    }

    fn reopened(commit: &str) -> Report {
        Report { reopen: Some(Measured { run: run(commit), outcome: Vec::new() }), ..Report::default() }
    }

    #[test]
    fn a_later_part_replaces_the_older_one_and_leaves_the_others() {
        let growth = Some(Measured { run: run("old"), outcome: Growth::default() });
        let older = Report { growth, ..reopened("old") };
        let text = reopened("new").upon(older).expect("no machine is told").markdown();
        assert!(text.contains("| reopen |  | new |") && text.contains("| growth |  | old |"), "{text}");
        assert!(text.contains("**Versions.** fjall of new and of old."), "{text}");
    }

    #[test]
    fn figures_of_two_machines_are_not_mixed() {
        let here = Machine::here(Path::new("."));
        let of = |machine| Report { machine: Some(machine), ..Report::default() };
        let other = Machine { processors: 99, ..here.clone() };
        let error = of(here.clone()).upon(of(other)).expect_err("they differ");
        assert!(error.to_string().contains("99 processors"), "{error}");
        assert!(of(here.clone()).upon(of(here)).is_ok());
    }

    #[test]
    fn a_document_can_be_read_again() {
        let text = serde_json::to_string(&reopened("abc")).expect("it is data");
        let again: Report = serde_json::from_str(&text).expect("it was written here");
        assert_eq!(again.reopen.map(|part| part.run), Some(run("abc")));
    }
}
