//! Everything that was measured over HTTP, and its tables.

use serde::{Deserialize, Serialize};

use super::load::CONNECTIONS;
use super::rows::{Comparison, Figures, Target};
use super::start::{self, Start};
use crate::markdown::{grouped, line, mark};

/// The outcome.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct OverHttp {
    pub(crate) comparisons: Vec<Comparison>,
    pub(crate) starts: Vec<Start>,
}

impl OverHttp {
    /// The tables.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        if !self.comparisons.is_empty() {
            text.push_str(&self.comparison_table());
        }
        if !self.starts.is_empty() {
            text.push_str(&self.start_table());
        }
        text
    }

    fn comparison_table(&self) -> String {
        let mut text = format!(
            "| {CONNECTIONS} connections | server | /s | p50 µs | p99 µs | server CPU µs | of it kernel | generator CPU µs | \
             ours ÷ peer | at least | | by CPU |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|\n"
        );
        for Comparison { operation, servers } in &self.comparisons {
            for Figures { contender, middle, target } in servers {
                let figure = |value: f64| format!("{value:.1}");
                let of_target = |value: fn(&Target) -> String| target.as_ref().map_or(String::new(), value);
                let cells = [
                    operation.clone(),
                    contender.clone(),
                    grouped(middle.per_second),
                    figure(middle.p50_us),
                    figure(middle.p99_us),
                    figure(middle.server_cpu_us),
                    figure(middle.server_kernel_us),
                    figure(middle.generator_cpu_us),
                    of_target(|target| format!("{:.2}", target.ratio)),
                    of_target(|target| target.at_least.to_string()),
                    mark(target.map(|target| target.is_reached())).to_owned(),
                    of_target(|target| format!("{:.2}", target.cpu_ratio)),
                ];
                line(&mut text, &cells.each_ref().map(String::as_str));
            }
        }
        text.push('\n');
        text
    }

    fn start_table(&self) -> String {
        let mut text = format!(
            "| start | first answer after ms (under {}) | idle memory MB (under {}) | threads | |\n|---|--:|--:|--:|---|\n",
            start::MILLISECONDS_AT_MOST,
            start::MEGABYTES_AT_MOST
        );
        for start in &self.starts {
            let [ms, memory] = [start.ms, start.rss_mb].map(|value| format!("{value:.1}"));
            let threads = start.threads.to_string();
            line(&mut text, &[&start.contender, &ms, &memory, &threads, mark(start.is_reached())]);
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn targets_are_marked_and_ours_stands_first_without_one() {
        let middle = Sample {
            per_second: 12_345.0,
            p50_us: 1.0,
            p99_us: 2.0,
            server_cpu_us: 3.0,
            server_kernel_us: 1.5,
            generator_cpu_us: 4.0,
        };
        let figures = |contender: &str, target| Figures { contender: contender.to_owned(), middle, target };
        let target = |ratio| Some(Target { ratio, at_least: 2.5, cpu_ratio: 3.5 });
        let servers = vec![figures("ours", None), figures("a", target(2.5)), figures("b", target(2.4))];
        let outcome = OverHttp {
            comparisons: vec![Comparison { operation: "GetItem".to_owned(), servers }],
            starts: Vec::new(),
        };
        let text = outcome.markdown();
        assert!(
            text.contains("| GetItem | ours | 12,345 | 1.0 | 2.0 | 3.0 | 1.5 | 4.0 |  |  |  |  |"),
            "{text}"
        );
        assert!(text.contains("| 4.0 | 2.50 | 2.5 | ✓ | 3.50 |"), "{text}");
        assert!(text.contains("| 4.0 | 2.40 | 2.5 | ✗ missed | 3.50 |"), "{text}");
    }

    #[test]
    fn only_our_start_has_targets() {
        let start = |contender: &str, is_ours, ms| Start {
            contender: contender.to_owned(),
            ms,
            rss_mb: 9.0,
            threads: 3.0,
            is_ours,
        };
        let starts = vec![start("ours", true, 49.0), start("ours", true, 50.0), start("peer", false, 900.0)];
        let text = OverHttp { comparisons: Vec::new(), starts }.markdown();
        assert!(text.contains("| ours | 49.0 | 9.0 | 3 | ✓ |"), "{text}");
        assert!(text.contains("| ours | 50.0 | 9.0 | 3 | ✗ missed |"), "{text}");
        assert!(text.contains("| peer | 900.0 | 9.0 | 3 |  |"), "{text}");
    }
}
