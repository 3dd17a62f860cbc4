//! Everything that was measured with pages, and its tables.

use serde::Serialize;

use super::fleet::{Herd, INSTANCES, VISITORS};
use super::hit::{Figures, Row};
use super::machine::Machine;
use super::round::CONNECTIONS;
use crate::markdown::{grouped, line, mark};

/// The outcome.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Pages {
    pub(crate) machine: Option<Machine>,
    /// Who was missing, and why.
    pub(crate) absent: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) herds: Vec<Herd>,
}

impl Pages {
    /// Whether nothing was measured.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.herds.is_empty()
    }

    /// The tables.
    pub(crate) fn markdown(&self) -> String {
        let mut text = self.machine.as_ref().map(Machine::markdown).unwrap_or_default();
        for line in &self.absent {
            text.push_str(&format!("**{line}.**\n\n"));
        }
        if !self.rows.is_empty() {
            text.push_str(&self.figure_table());
        }
        if self.rows.iter().any(|row| !row.verdicts.is_empty()) {
            text.push_str(&self.verdict_table());
        }
        if !self.herds.is_empty() {
            text.push_str(&self.herd_table());
        }
        text
    }

    fn figure_table(&self) -> String {
        let mut text = format!(
            "| cached hit, {CONNECTIONS} connections | server | /s | p50 µs | p99 µs | server CPU µs | wrk CPU µs |\n\
             |---|---|--:|--:|--:|--:|--:|\n"
        );
        for row in &self.rows {
            for Figures { server, middle } in &row.servers {
                let figure = |value: f64| format!("{value:.1}");
                let cells = [
                    row.size.to_owned(),
                    (*server).to_owned(),
                    grouped(middle.per_second),
                    grouped(middle.p50_us),
                    grouped(middle.p99_us),
                    figure(middle.server_cpu_us),
                    figure(middle.generator_cpu_us),
                ];
                line(&mut text, &cells.each_ref().map(String::as_str));
            }
        }
        text.push('\n');
        text
    }

    fn verdict_table(&self) -> String {
        let mut text = String::from(
            "| cached hit | ours ÷ peer in | peer | ratio | bound | |\n|---|---|---|--:|--:|---|\n",
        );
        for row in &self.rows {
            for verdict in &row.verdicts {
                let ratio = format!("{:.2}", verdict.ratio);
                let limit = verdict.limit.map(|limit| verdict.figure.limit_text(limit)).unwrap_or_default();
                let name = verdict.figure.name();
                line(&mut text, &[row.size, name, verdict.peer, &ratio, &limit, mark(verdict.is_kept())]);
            }
        }
        text.push('\n');
        text
    }

    fn herd_table(&self) -> String {
        let mut text = format!(
            "| {INSTANCES} instances, {VISITORS} visitors | renders of a cold page | renders at each expiry | at most | answers \
             | failed | |\n|---|--:|--:|--:|--:|--:|---|\n"
        );
        for herd in &self.herds {
            let cells = [
                herd.server.to_owned(),
                herd.cold.to_string(),
                herd.expiries.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
                herd.at_most.map(|at_most| at_most.to_string()).unwrap_or_default(),
                grouped(herd.answers as f64),
                herd.refused.to_string(),
                mark(herd.is_kept()).to_owned(),
            ];
            line(&mut text, &cells.each_ref().map(String::as_str));
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::bound::{Figure, Verdict};
    use crate::sample::Sample;

    #[test]
    fn verdicts_and_absences_are_told() {
        let middle = Sample {
            per_second: 54_321.0,
            p50_us: 1.0,
            p99_us: 2.0,
            server_cpu_us: 3.0,
            generator_cpu_us: 4.0,
        };
        let row = Row {
            size: "1 KB",
            servers: vec![Figures { server: "theory serve", middle }],
            verdicts: vec![Verdict {
                peer: "nginx",
                figure: Figure::ServerCpu,
                ratio: 0.81,
                limit: Some(0.8),
            }],
        };
        let herd = Herd {
            server: "theory serve",
            cold: 1,
            expiries: vec![1, 1],
            answers: 1000,
            refused: 0,
            at_most: Some(1),
        };
        let pages = Pages {
            machine: None,
            absent: vec!["Next.js takes no part: it was to be skipped".to_owned()],
            rows: vec![row],
            herds: vec![herd],
        };
        let text = pages.markdown();
        for expected in [
            "**Next.js takes no part: it was to be skipped.**",
            "| 1 KB | theory serve | 54,321 |",
            "| 1 KB | server CPU per request | nginx | 0.81 | ≤ 0.8 | ✗ missed |",
            "| theory serve | 1 | 1, 1 | 1 | 1,000 | 0 | ✓ |",
        ] {
            assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
        }
    }
}
