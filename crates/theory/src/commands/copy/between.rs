//! Copying from store to store, and comparing stores.

use std::path::Path;
use std::sync::Arc;

use tabletheory_engine::Engine;
use theory_copy::pace::Rate;
use theory_copy::plan::Target;
use theory_copy::{Error, Event, Journal, Outcome, Plan, Report, Side, TableCopy};

use super::arguments::Copy;
use super::bar::Bar;
use super::hint::hinted;
use super::store::OpenSide;
use super::store_name::StoreName;
use super::{report, room, tables};

/// Copies, compares, or says what would be done.
pub(super) async fn run(copy: &Copy, from: &StoreName, to: &StoreName) -> anyhow::Result<()> {
    // What is wrong with the journal is said before a store is opened.
    if !copy.is_resume && !copy.is_dry && !copy.is_verify {
        Journal::look(&copy.journal).map_err(|error| hinted(error, copy))?;
    }
    let from = from.open(copy).await?;
    let to = match target(copy, &from, to).await {
        Ok(Some(to)) => to,
        Ok(None) => return from.close(),
        Err(error) => return from.close().and(Err(error)),
    };
    let done = carried_out(copy, &from, &to).await;
    // What went wrong first is told, and both stores are closed in any case.
    let closed = [to.close(), from.close()].into_iter().find(Result::is_err).unwrap_or(Ok(()));
    done.and(closed)
}

/// The target; none if it is not there and nothing is to be made.
async fn target(copy: &Copy, from: &OpenSide, to: &StoreName) -> anyhow::Result<Option<OpenSide>> {
    if let Some(folder) = to.new_folder().filter(|_| !copy.is_verify && !copy.is_resume) {
        // A folder is made when it is known that there is something to put into it.
        let plan = planned_new(copy, from, folder).await?;
        if copy.is_dry {
            let name = folder.display().to_string();
            return report::planned(copy, &plan, &from.side.name, &name).map(|()| None);
        }
    }
    let opened =
        if copy.is_dry || copy.is_verify { to.open(copy).await } else { to.open_or_make(copy).await };
    opened.map(Some)
}

/// What would be done with a folder that holds no store: as with a store that has no tables.
async fn planned_new(copy: &Copy, from: &OpenSide, folder: &Path) -> anyhow::Result<Plan> {
    let side = from.at_first();
    let pairs = tables::pairs(copy, &side, None).await?;
    let empty = Side::new(Arc::new(Engine::memory()), folder.display().to_string());
    let plan = Plan::make(&side, &empty, &pairs, None, false).await.map_err(|error| hinted(error, copy))?;
    room::check(folder, plan.tables.iter().fold(0, |all, table| table.bytes.saturating_add(all)))?;
    Ok(plan)
}

async fn carried_out(copy: &Copy, from: &OpenSide, to: &OpenSide) -> anyhow::Result<()> {
    let hint = |error: Error| hinted(error, copy);
    let mut journal = match (copy.is_dry || copy.is_verify, copy.is_resume) {
        (true, _) => None,
        (false, true) => Some(Journal::resume(&copy.journal, &from.side.name, &to.side.name).map_err(hint)?),
        // It is made when there is something to write.
        (false, false) => None,
    };
    let (first, second) = (from.at_first(), to.at_first());
    let pairs = tables::pairs(copy, &first, journal.as_ref()).await?;
    let into_existing = copy.into_existing || copy.is_verify;
    let plan = Plan::make(&first, &second, &pairs, journal.as_ref(), into_existing).await.map_err(hint)?;
    if let Some(folder) = to.folder.as_deref().filter(|_| !copy.is_verify) {
        let new = plan.tables.iter().filter(|table| !matches!(table.target, Target::Done | Target::Begun));
        room::check(folder, new.fold(0, |all, table| table.bytes.saturating_add(all)))?;
    }
    if copy.is_dry {
        return report::planned(copy, &plan, &from.side.name, &to.side.name);
    }
    let bar = Bar::new();
    if !copy.is_resume && !copy.is_verify {
        bar.begin("checking", plan.items());
        let names: Vec<String> = pairs.iter().map(|pair| pair.from.clone()).collect();
        from.check(&names, &|items| bar.add(items)).await?;
    }
    let tell = |event: Event<'_>| bar.tell(&event);
    let reports = match copy.is_verify {
        true => compared(copy, from, to, plan, &tell).await,
        false => {
            if journal.is_none() {
                let begun = Journal::begin(&copy.journal, &from.side.name, &to.side.name).map_err(hint)?;
                journal = Some(begun);
            }
            let journal = journal.as_mut().expect("it was begun above");
            let copying = TableCopy {
                from: from.side.clone(),
                to: to.side.clone(),
                segments: copy.segments,
                rate: Rate { items: copy.rate, units: copy.write_units },
                with_streams: copy.with_streams,
            };
            copying.run(plan, journal, &tell).await
        }
    };
    bar.end();
    let reports = reports.map_err(hint)?;
    if reports.iter().all(Report::is_complete)
        && let Some(journal) = journal
    {
        journal.finish().map_err(hint)?;
    }
    report::told(copy, &reports, &from.side.name, &to.side.name)
}

async fn compared(
    copy: &Copy,
    from: &OpenSide,
    to: &OpenSide,
    plan: Plan,
    tell: &(dyn Fn(Event<'_>) + Sync),
) -> Result<Vec<Report>, Error> {
    let mut reports = Vec::new();
    for table in plan.tables {
        if table.target == Target::Missing {
            return Err(Error::NoTable { table: table.pair.to, store: to.side.name.clone() });
        }
        tell(Event::Verifying(&table));
        let comparison =
            theory_copy::copy::compare(&from.side, &to.side, &table, copy.segments, tell).await?;
        let outcome = if comparison.is_equal() { Outcome::Equal } else { Outcome::Differs };
        reports.push(Report { plan: table, copied: None, comparison: Some(comparison), outcome });
    }
    Ok(reports)
}
