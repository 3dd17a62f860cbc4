//! What a cached page costs: all servers at once in front of one origin, in turns inside each round, with one size after the other.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::body::body;
use super::bound::{Bound, LARGE, SMALL, Verdict};
use super::entry::{Entry, Scene};
use super::origin::Origin;
use super::ours::Keeps;
use super::round::{self, CONNECTIONS};
use crate::args::Plan;
use crate::part::Part;
use crate::sample::{self, Sample};
use crate::server::Server;

/// Longer than any run.
const FRESH_S: u64 = 24 * 3600;
/// A round is this many times as long as elsewhere: p99 wants many answers.
const ROUND_FACTOR: u32 = 2;
/// JavaScript is compiled while it runs.
const NEXT_WARM_UP: Duration = Duration::from_secs(5);

/// A size of pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) name: &'static str,
    pub(crate) bytes: usize,
    bounds: &'static [Bound],
}

pub(crate) const SIZES: [Size; 3] = [
    Size { name: "1 KB", bytes: 1024, bounds: SMALL },
    Size { name: "10 KB", bytes: 10 * 1024, bounds: SMALL },
    Size { name: "100 KB", bytes: 100 * 1024, bounds: LARGE },
];

impl Size {
    fn row(self) -> String {
        format!("cached hit of {}", self.name)
    }
}

/// One server with one size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) server: String,
    /// The median of the rounds in each figure.
    #[serde(flatten)]
    pub(crate) middle: Sample,
}

/// All servers with one size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) size: String,
    pub(crate) servers: Vec<Figures>,
    pub(crate) verdicts: Vec<Verdict>,
}

/// The outcome.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hits {
    /// Who was missing, and why.
    pub(crate) absent: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// The names of the rows.
pub(crate) fn rows() -> [String; 3] {
    SIZES.map(Size::row)
}

/// Runs every size that the plan wants.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Hits> {
    let (entries, absent) = Entry::present(plan, &Entry::ALL)?;
    let origin = Origin::start(&tempfile::tempdir_in(folder)?.keep(), FRESH_S, Duration::ZERO)?;
    let scene =
        Scene { origin: origin.port(), fresh_s: FRESH_S, keeps: Keeps::Alone, first_bytes: SIZES[0].bytes };
    let mut servers = Vec::new();
    for entry in &entries {
        let home = tempfile::tempdir_in(folder)?.keep();
        servers.push((*entry, entry.start(plan, &home, &scene)?));
    }
    let mut rows = Vec::new();
    for size in SIZES.into_iter().filter(|size| plan.wants(Part::Hits, &size.row())) {
        eprintln!("{}", size.row());
        let series = take_turns(plan, size, &origin, &servers)?;
        rows.push(row(size, &series));
    }
    Ok(Hits { absent, rows })
}

fn take_turns(
    plan: &Plan,
    size: Size,
    origin: &Origin,
    servers: &[(Entry, Server)],
) -> Result<Vec<(Entry, Vec<Sample>)>> {
    for (entry, server) in servers {
        warm_up(plan, *entry, server, size).with_context(|| entry.name())?;
    }
    let renders = origin.renders()?;
    let mut series: Vec<_> = servers.iter().map(|(entry, _)| (*entry, Vec::new())).collect();
    let time = plan.round_time * ROUND_FACTOR;
    for _ in 0..plan.rounds {
        for ((entry, server), (_, samples)) in servers.iter().zip(&mut series) {
            let sample = round::take(server, &entry.page(size.bytes), CONNECTIONS, time)
                .with_context(|| format!("{} with {}", entry.name(), size.name))?;
            eprintln!(
                "  {:<16} {:>10.0} /s {:>8.1} µs of the server {:>6.1} of wrk, p99 {:>8.1} µs",
                entry.name(),
                sample.per_second,
                sample.server_cpu_us,
                sample.generator_cpu_us,
                sample.p99_us
            );
            samples.push(sample);
        }
    }
    ensure!(origin.renders()? == renders, "a page that should have been cached was rendered again");
    Ok(series)
}

/// Sees that the page is the right one, and runs the server uncounted.
fn warm_up(plan: &Plan, entry: Entry, server: &Server, size: Size) -> Result<()> {
    let page = entry.page(size.bytes);
    let answer = server.call(&page.request())?;
    if entry == Entry::Next {
        // Its pages are its own, with what it writes around the text.
        ensure!(answer.len() >= page.bytes, "a page of {} bytes instead of {}", answer.len(), page.bytes);
    } else {
        ensure!(answer == body(page.bytes), "another page than the origin's: {} bytes", answer.len());
    }
    let time = if entry == Entry::Next { plan.round_time.max(NEXT_WARM_UP) } else { plan.round_time };
    round::take(server, &page, CONNECTIONS, time)?;
    Ok(())
}

fn row(size: Size, series: &[(Entry, Vec<Sample>)]) -> Row {
    let of = |wanted: Entry| {
        series.iter().find(|(entry, _)| *entry == wanted).map(|(_, samples)| samples.as_slice())
    };
    let verdict = |bound: &Bound| {
        let (ours, peers) = of(Entry::Ours).zip(of(bound.peer))?;
        let ratio = sample::ratio(ours, peers, bound.figure.of());
        Some(Verdict { peer: bound.peer.name().to_owned(), figure: bound.figure, ratio, limit: bound.limit })
    };
    let figures = |(entry, samples): &(Entry, Vec<Sample>)| Figures {
        server: entry.name().to_owned(),
        middle: sample::middle(samples),
    };
    Row {
        size: size.name.to_owned(),
        servers: series.iter().map(figures).collect(),
        verdicts: size.bounds.iter().filter_map(verdict).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(server_cpu_us: f64) -> Sample {
        Sample { per_second: 1.0, p50_us: 1.0, p99_us: 1.0, server_cpu_us, ..Sample::default() }
    }

    #[test]
    fn ours_is_compared_with_whoever_took_part() {
        let row = row(SIZES[0], &[(Entry::Ours, vec![sample(8.0)]), (Entry::Nginx, vec![sample(16.0)])]);
        let ratios: Vec<_> = row.verdicts.iter().map(|verdict| (&*verdict.peer, verdict.ratio)).collect();
        assert_eq!(ratios, [("nginx", 0.5), ("nginx", 1.0)]);
    }

    #[test]
    fn without_ours_there_is_no_verdict() {
        assert!(row(SIZES[0], &[(Entry::Nginx, vec![sample(16.0)])]).verdicts.is_empty());
    }
}
