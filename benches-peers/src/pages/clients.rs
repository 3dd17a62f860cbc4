//! A cached page of 1 KB with more and more connections: does a server lose its rate or its patience?

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Scene};
use super::origin::Origin;
use super::ours::Keeps;
use super::round;
use crate::args::Plan;
use crate::markdown::{grouped, line};
use crate::sample::{self, Sample};
use crate::server::Server;

pub(crate) const ROW: &str = "clients, cached hit of 1 KB";
const CONNECTIONS: [u32; 4] = [1, 10, 100, 1000];
const BYTES: usize = 1024;
/// Longer than any run.
const FRESH_S: u64 = 24 * 3600;
const ROUNDS_AT_MOST: u32 = 3;
/// A thousand connections have to be made before they can be used.
const ROUND_AT_LEAST: Duration = Duration::from_secs(2);

/// One server with so many connections.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) connections: u32,
    pub(crate) server: String,
    #[serde(flatten)]
    pub(crate) middle: Sample,
}

/// Servers take turns inside each round.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Point>> {
    let (entries, _) = Entry::present(plan, &[Entry::Ours, Entry::Nginx, Entry::Varnish])?;
    let origin = Origin::start(&tempfile::tempdir_in(folder)?.keep(), FRESH_S, Duration::ZERO)?;
    let scene = Scene { origin: origin.port(), fresh_s: FRESH_S, keeps: Keeps::Alone, first_bytes: BYTES };
    let mut servers = Vec::new();
    for entry in entries {
        servers.push((entry, entry.start(plan, &tempfile::tempdir_in(folder)?.keep(), &scene)?));
    }
    let mut points = Vec::new();
    for connections in CONNECTIONS {
        points.extend(meet(plan, &servers, connections)?);
    }
    Ok(points)
}

fn meet(plan: &Plan, servers: &[(Entry, Server)], connections: u32) -> Result<Vec<Point>> {
    let time = plan.round_time.max(if plan.is_quick { Duration::from_secs(1) } else { ROUND_AT_LEAST });
    let mut series: Vec<Vec<Sample>> = vec![Vec::new(); servers.len()];
    for _ in 0..plan.rounds.min(ROUNDS_AT_MOST) {
        for ((entry, server), samples) in servers.iter().zip(&mut series) {
            let sample = round::take(server, &entry.page(BYTES), connections, time)
                .with_context(|| format!("{} with {connections} connections", entry.name()))?;
            samples.push(sample);
        }
    }
    let point = |((entry, _), samples): (&(Entry, Server), &Vec<Sample>)| {
        let middle = sample::middle(samples);
        eprintln!(
            "  {connections:>5} connections  {:<16} {:>8.0} /s, p99 {:>8.1} µs",
            entry.name(),
            middle.per_second,
            middle.p99_us
        );
        Point { connections, server: entry.name().to_owned(), middle }
    };
    Ok(servers.iter().zip(&series).map(point).collect())
}

/// The table.
pub(crate) fn markdown(points: &[Point]) -> String {
    let mut text = String::from(
        "| cached hit of 1 KB, connections | server | /s | p50 µs | p99 µs | server CPU µs | of it kernel |\n\
         |--:|---|--:|--:|--:|--:|--:|\n",
    );
    for Point { connections, server, middle } in points {
        let cells = [
            grouped(f64::from(*connections)),
            server.clone(),
            grouped(middle.per_second),
            grouped(middle.p50_us),
            grouped(middle.p99_us),
            format!("{:.1}", middle.server_cpu_us),
            format!("{:.1}", middle.server_kernel_us),
        ];
        line(&mut text, &cells.each_ref().map(String::as_str));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_a_line() {
        let middle = Sample { per_second: 12_345.0, p99_us: 1500.0, ..Sample::default() };
        let points = [Point { connections: 1000, server: "nginx".to_owned(), middle }];
        assert!(markdown(&points).contains("| 1,000 | nginx | 12,345 | 0 | 1,500 | 0.0 | 0.0 |"));
    }
}
