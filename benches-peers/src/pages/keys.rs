//! More and more pages in one cache: what does a hit cost when a thousand are kept, and when a million are? Pages are filled
//! by asking for each once. That syncs every page to the disk, so it has a bound in time; what was reached is what is told.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Scene};
use super::origin::Origin;
use super::ours::Keeps;
use super::visitor::{Choice, Pioneer, Visitor};
use crate::args::Plan;
use crate::http::{load, round};
use crate::markdown::{grouped, line};
use crate::sample::{self, Sample};
use crate::server::Server;

pub(crate) const ROW: &str = "keys, pages of 500 bytes";
const BYTES: usize = 500;
/// Longer than any run.
const FRESH_S: u64 = 24 * 3600;
const ROUNDS_AT_MOST: u32 = 3;
/// Who fills.
const PIONEERS: u64 = 64;
/// How long one server may take to be filled, all sizes together.
const FILL_AT_MOST: Duration = Duration::from_secs(15 * 60);
const QUICK_FILL_AT_MOST: Duration = Duration::from_secs(15);

/// One server with so many pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Point {
    /// So many pages were wanted.
    pub(crate) wanted: u64,
    /// So many were there, when the time to fill them was over.
    pub(crate) keys: u64,
    pub(crate) server: String,
    pub(crate) choice: String,
    #[serde(flatten)]
    pub(crate) middle: Sample,
    /// Resident memory afterwards.
    pub(crate) rss_mb: f64,
    /// Pages a second while it was filled to this size.
    pub(crate) fill_per_second: f64,
}

/// A server and how far it is filled.
struct Cache {
    entry: Entry,
    server: Server,
    filled: u64,
    fill_time_left: Duration,
    fill_per_second: f64,
}

/// Servers take turns inside each round.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Point>> {
    let (entries, _) = Entry::present(plan, &[Entry::Ours, Entry::Nginx])?;
    // Ten thousands of files are gone with the folder, long before the run ends.
    let home = tempfile::tempdir_in(folder)?;
    let origin = Origin::start(&tempfile::tempdir_in(&home)?.keep(), FRESH_S, Duration::ZERO)?;
    let scene = Scene { origin: origin.port(), fresh_s: FRESH_S, keeps: Keeps::Alone, first_bytes: BYTES };
    let fill_time_left = if plan.is_quick { QUICK_FILL_AT_MOST } else { FILL_AT_MOST };
    let mut caches = Vec::new();
    for entry in entries {
        let server = entry.start(plan, &tempfile::tempdir_in(&home)?.keep(), &scene)?;
        caches.push(Cache { entry, server, filled: 0, fill_time_left, fill_per_second: 0.0 });
    }
    let mut points = Vec::new();
    for wanted in plan.key_counts() {
        // Who had no time left for the last size has nothing new to show.
        caches.retain(|cache| !cache.fill_time_left.is_zero());
        for cache in &mut caches {
            cache.fill(wanted).with_context(|| format!("filling {}", cache.entry.name()))?;
        }
        for choice in Choice::ALL {
            points.extend(meet(plan, &caches, wanted, choice)?);
        }
    }
    Ok(points)
}

impl Cache {
    fn fill(&mut self, wanted: u64) -> Result<()> {
        let start = Instant::now();
        let next = Rc::new(Cell::new(self.filled));
        let party = Pioneer::party(BYTES, &next, wanted, start + self.fill_time_left, PIONEERS);
        load::run(self.server.address(), party, None)?;
        self.fill_per_second = (next.get() - self.filled) as f64 / start.elapsed().as_secs_f64();
        self.filled = next.get();
        self.fill_time_left = self.fill_time_left.saturating_sub(start.elapsed());
        eprintln!(
            "  {:<16} {} pages, {:.0} filled a second",
            self.entry.name(),
            grouped(self.filled as f64),
            self.fill_per_second
        );
        Ok(())
    }

    fn visit(&self, choice: Choice, number: u32, time: Duration) -> Result<Sample> {
        let visitor = |visitor| Visitor::new(choice, BYTES, self.filled, number, visitor);
        let visitors = (0..load::CONNECTIONS).map(visitor).collect();
        round::watch(&self.server, visitors, time).with_context(|| self.entry.name())
    }
}

fn meet(plan: &Plan, caches: &[Cache], wanted: u64, choice: Choice) -> Result<Vec<Point>> {
    let mut series: Vec<Vec<Sample>> = vec![Vec::new(); caches.len()];
    for number in 0..=plan.rounds.min(ROUNDS_AT_MOST) {
        for (cache, samples) in caches.iter().zip(&mut series) {
            let sample = cache.visit(choice, number, plan.round_time)?;
            // The first round finds cold caches.
            if number > 0 {
                samples.push(sample);
            }
        }
    }
    let mut points = Vec::new();
    for (cache, samples) in caches.iter().zip(&series) {
        let middle = sample::middle(samples);
        eprintln!(
            "  {:<16} {:<8} {:>8.0} /s, p99 {:>8.1} µs",
            cache.entry.name(),
            choice.name(),
            middle.per_second,
            middle.p99_us
        );
        points.push(Point {
            wanted,
            keys: cache.filled,
            server: cache.entry.name().to_owned(),
            choice: choice.name().to_owned(),
            middle,
            rss_mb: cache.server.process().family_rss_mb()?,
            fill_per_second: cache.fill_per_second,
        });
    }
    Ok(points)
}

/// The table.
pub(crate) fn markdown(points: &[Point]) -> String {
    let mut text = format!(
        "| pages of {BYTES} bytes, {} connections | choice | server | hits /s | p50 µs | p99 µs | server CPU µs | of it kernel | \
         memory MB | filled /s |\n|--:|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        load::CONNECTIONS
    );
    for point in points {
        let middle = &point.middle;
        let reached = if point.keys < point.wanted {
            format!("{} (of {})", grouped(point.keys as f64), grouped(point.wanted as f64))
        } else {
            grouped(point.keys as f64)
        };
        let cells = [
            reached,
            point.choice.clone(),
            point.server.clone(),
            grouped(middle.per_second),
            grouped(middle.p50_us),
            grouped(middle.p99_us),
            format!("{:.1}", middle.server_cpu_us),
            format!("{:.1}", middle.server_kernel_us),
            format!("{:.0}", point.rss_mb),
            grouped(point.fill_per_second),
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
    fn a_size_that_was_not_reached_is_told() {
        let point = |keys| Point {
            wanted: 1_000_000,
            keys,
            server: "theory serve".to_owned(),
            choice: "hot".to_owned(),
            middle: Sample::default(),
            rss_mb: 300.4,
            fill_per_second: 4000.0,
        };
        let text = markdown(&[point(400_000), point(1_000_000)]);
        assert!(text.contains("| 400,000 (of 1,000,000) | hot | theory serve |"), "{text}");
        assert!(
            text.contains("| 1,000,000 | hot | theory serve |") && text.contains("| 300 | 4,000 |"),
            "{text}"
        );
    }
}
