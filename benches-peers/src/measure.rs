//! One run: part after part, with a word about what is left.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::args::Plan;
use crate::machine::Machine;
use crate::pages::{clients, fleet, hit, keys};
use crate::part::Part;
use crate::report::Report;
use crate::run::{Measured, Run};
use crate::{comparison, growth, http, limits, publish, reopen};

/// Measures everything that the plan wants. A part that fails takes nothing from the others: it is told, with the reason.
pub(crate) fn run(plan: &Plan) -> Result<(Report, Vec<String>)> {
    std::fs::create_dir_all(&plan.dir).with_context(|| format!("cannot make {}", plan.dir.display()))?;
    let folder = tempfile::Builder::new().prefix("benches-peers-").tempdir_in(&plan.dir)?;
    let mut report = Report { machine: Some(Machine::here(folder.path())), ..Report::default() };
    let wanted: Vec<Part> = Part::ALL.into_iter().filter(|part| is_wanted(plan, *part)).collect();
    let mut failures = Vec::new();
    let start = Instant::now();
    for (number, part) in wanted.iter().enumerate() {
        let left: Vec<&str> = wanted[number + 1..].iter().map(|part| part.name()).collect();
        eprintln!(
            "[{}/{}, {:.0} s so far] {}; left: {}",
            number + 1,
            wanted.len(),
            start.elapsed().as_secs_f64(),
            part.name(),
            if left.is_empty() { "nothing".to_owned() } else { left.join(", ") }
        );
        // Each part's data is gone before the next begins: the disk is not part of the comparison.
        let home = tempfile::tempdir_in(folder.path())?;
        if let Err(error) = take(plan, *part, home.path(), &mut report) {
            eprintln!("!! the part `{}` failed: {error:#}", part.name());
            failures.push(format!("{}: {error:#}", part.name()));
        } else if plan.write {
            // What is measured is kept, whatever happens to the machine next.
            publish::merge(report.clone())?;
        }
    }
    eprintln!("measured in {:.0} s", start.elapsed().as_secs_f64());
    Ok((report, failures))
}

fn is_wanted(plan: &Plan, part: Part) -> bool {
    match part {
        Part::Engine => plan.wants_any(part, &comparison::rows()),
        Part::Http => plan.wants_any(part, &http::rows()),
        Part::Limits => plan.wants_any(part, &limits::KINDS),
        Part::Hits => plan.wants_any(part, &hit::rows().each_ref().map(String::as_str)),
        Part::Clients => plan.wants(part, clients::ROW),
        Part::Keys => plan.wants(part, keys::ROW),
        Part::Fleet => plan.wants(part, fleet::ROW),
        Part::Reopen => plan.wants(part, reopen::ROW),
        Part::Growth => plan.wants(part, growth::ROW),
    }
}

fn take(plan: &Plan, part: Part, folder: &Path, report: &mut Report) -> Result<()> {
    match part {
        Part::Engine => report.engine = Some(measured(plan, part, folder, comparison::run)?),
        Part::Http => report.http = Some(measured(plan, part, folder, http::run)?),
        Part::Limits => report.limits = Some(measured(plan, part, folder, limits::run)?),
        Part::Hits => report.hits = Some(measured(plan, part, folder, hit::run)?),
        Part::Clients => report.clients = Some(measured(plan, part, folder, clients::run)?),
        Part::Keys => report.keys = Some(measured(plan, part, folder, keys::run)?),
        Part::Fleet => report.fleet = Some(measured(plan, part, folder, fleet::run)?),
        Part::Reopen => report.reopen = Some(measured(plan, part, folder, reopen::run)?),
        Part::Growth => report.growth = Some(measured(plan, part, folder, growth::run)?),
    }
    Ok(())
}

fn measured<T>(
    plan: &Plan,
    part: Part,
    folder: &Path,
    work: fn(&Plan, &Path) -> Result<T>,
) -> Result<Measured<T>> {
    Run::measure(plan, part, || work(plan, folder))
}
