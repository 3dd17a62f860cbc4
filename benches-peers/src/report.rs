//! The result: a table for people, or a JSON document for programs.

use std::fmt::Write;

use serde::Serialize;

use crate::comparison::{Comparison, Figures};
use crate::growth::Point;
use crate::http::OverHttp;
use crate::limits::{self, Decisions};
use crate::markdown::{grouped, line, mark};
use crate::pages::Pages;
use crate::reopen::{self, Reopening};

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) is_quick: bool,
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) over_http: OverHttp,
    pub(crate) decisions: Vec<Decisions>,
    pub(crate) pages: Pages,
    pub(crate) reopenings: Vec<Reopening>,
    pub(crate) growth: Vec<Point>,
}

impl Report {
    /// The tables, as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        if self.is_quick {
            text.push_str("A quick run: short rounds and small tables. Read the ratios loosely.\n\n");
        }
        if !self.comparisons.is_empty() {
            text.push_str(&self.comparison_table());
        }
        if !self.over_http.is_empty() {
            text.push_str("## Over HTTP\n\n");
            text.push_str(&self.over_http.markdown());
        }
        if !self.decisions.is_empty() {
            text.push_str(&limits::markdown(&self.decisions));
        }
        if !self.pages.is_empty() {
            text.push_str("## Pages\n\n");
            text.push_str(&self.pages.markdown());
        }
        if !self.reopenings.is_empty() {
            text.push_str(&self.reopening_table());
        }
        if !self.growth.is_empty() {
            text.push_str(&self.growth_table());
        }
        text
    }

    fn comparison_table(&self) -> String {
        let mut text = String::from(
            "| operation, in process | ours /s | p50 µs | peer | peer /s | p50 µs | ours ÷ peer | at least | | by p50 |\n\
             |---|--:|--:|---|--:|--:|--:|--:|---|--:|\n",
        );
        for comparison in &self.comparisons {
            let Comparison { operation, ours, peer, ratio, p50_ratio, at_least } = comparison;
            let (own_rate, own_p50) = pair(ours);
            let (rate, p50) = pair(peer);
            let ratio = format!("{ratio:.2}");
            let at_least = at_least.to_string();
            let mark = mark(Some(comparison.is_reached()));
            let by_p50 = p50_ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
            let name = peer.contender;
            let cells =
                [operation, &*own_rate, &own_p50, name, &rate, &p50, &ratio, &at_least, mark, &by_p50];
            line(&mut text, &cells);
        }
        text.push('\n');
        text
    }

    fn reopening_table(&self) -> String {
        let mut text = format!(
            "| reopening a folder | items | seconds (under {}) | memory MB (under {}) | |\n|---|--:|--:|--:|---|\n",
            reopen::SECONDS_AT_MOST,
            reopen::MEGABYTES_AT_MOST
        );
        for reopening in &self.reopenings {
            let seconds = format!("{:.3}", reopening.seconds);
            let memory = format!("{:.0}", reopening.rss_mb);
            let items = grouped(reopening.items as f64);
            line(&mut text, &[reopening.contender, &items, &seconds, &memory, mark(reopening.is_reached())]);
        }
        text.push('\n');
        text
    }

    /// One line for each operation and contender, one column for each size, and what the growth cost.
    fn growth_table(&self) -> String {
        let mut sizes: Vec<u64> = self.growth.iter().map(|point| point.items).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut text = String::from("| growth, p50 µs (per second) | contender |");
        for size in &sizes {
            let _ = write!(text, " {} items |", grouped(*size as f64));
        }
        text.push_str(" largest ÷ smallest |\n|---|---|");
        text.push_str(&"--:|".repeat(sizes.len() + 1));
        text.push('\n');
        for first in self.growth.iter().filter(|point| point.items == sizes[0]) {
            let points: Vec<&Point> = self.growth.iter().filter(|point| point.is_beside(first)).collect();
            let mut cells = vec![first.operation.to_owned(), first.contender.to_owned()];
            cells.extend(
                points.iter().map(|point| format!("{:.1} ({})", point.p50_us, grouped(point.per_second))),
            );
            let last = points.last().map_or(f64::NAN, |point| point.p50_us);
            cells.push(format!("{:.1}", last / first.p50_us));
            line(&mut text, &cells.iter().map(String::as_str).collect::<Vec<_>>());
        }
        text
    }
}

impl Point {
    /// Whether both are the same operation of the same contender.
    fn is_beside(&self, other: &Self) -> bool {
        self.operation == other.operation && self.contender == other.contender
    }
}

fn pair(figures: &Figures) -> (String, String) {
    (grouped(figures.per_second), format!("{:.1}", figures.p50_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(contender: &'static str) -> Figures {
        Figures { contender, per_second: 1_234_567.0, p50_us: 1.25 }
    }

    #[test]
    fn targets_are_marked() {
        let comparison = |ratio: f64, p50_ratio: Option<f64>| Comparison {
            operation: "GetItem",
            ours: figures("ours"),
            peer: figures("peer"),
            ratio,
            p50_ratio,
            at_least: 8.0,
        };
        let comparisons = vec![comparison(8.0, Some(9.0)), comparison(7.9, None)];
        let report = Report {
            is_quick: false,
            comparisons,
            over_http: OverHttp::default(),
            decisions: Vec::new(),
            pages: Pages::default(),
            reopenings: Vec::new(),
            growth: Vec::new(),
        };
        let text = report.markdown();
        assert!(text.contains("| 1,234,567 |") && text.contains("| 8.00 | 8 | ✓ | 9.00 |"), "{text}");
        assert!(text.contains("| 7.90 | 8 | ✗ missed |  |"), "{text}");
    }

    #[test]
    fn growth_stands_in_columns() {
        let point = |items, p50_us| Point {
            operation: "GetItem",
            contender: "ours",
            items,
            per_second: 1000.0,
            p50_us,
        };
        let growth = vec![point(10_000, 2.0), point(100_000, 3.0)];
        let report = Report {
            is_quick: true,
            comparisons: Vec::new(),
            over_http: OverHttp::default(),
            decisions: Vec::new(),
            pages: Pages::default(),
            reopenings: Vec::new(),
            growth,
        };
        assert!(report.markdown().contains("| GetItem | ours | 2.0 (1,000) | 3.0 (1,000) | 1.5 |"));
    }
}
