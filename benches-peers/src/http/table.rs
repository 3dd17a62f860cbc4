//! The rows over HTTP as Markdown.

use super::OverHttp;
use super::rows::{CONNECTIONS, Comparison, Figures};
use super::start;
use crate::markdown::{grouped, line, mark};

impl OverHttp {
    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        self.comparisons.is_empty() && self.starts.is_empty()
    }

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
            "| {CONNECTIONS} connections | server | /s | p50 µs | p99 µs | server CPU µs | generator CPU µs | ours ÷ peer | \
             at least | | by CPU |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|--:|\n"
        );
        for Comparison { operation, servers } in &self.comparisons {
            for Figures { contender, middle, target } in servers {
                let figure = |value: f64| format!("{value:.1}");
                let of_target =
                    |value: fn(&super::rows::Target) -> String| target.as_ref().map_or(String::new(), value);
                let cells = [
                    (*operation).to_owned(),
                    (*contender).to_owned(),
                    grouped(middle.per_second),
                    figure(middle.p50_us),
                    figure(middle.p99_us),
                    figure(middle.server_cpu_us),
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
            line(&mut text, &[start.contender, &ms, &memory, &threads, mark(start.is_reached())]);
        }
        text.push('\n');
        text
    }
}
