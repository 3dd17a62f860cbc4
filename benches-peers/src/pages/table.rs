//! The tables of cached pages.

use super::hit::{Figures, Hits};
use super::round::CONNECTIONS;
use crate::markdown::{grouped, line, mark};

impl Hits {
    /// The tables.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        for line in &self.absent {
            text.push_str(&format!("**{line}.**\n\n"));
        }
        text.push_str(&self.figure_table());
        if self.rows.iter().any(|row| !row.verdicts.is_empty()) {
            text.push_str(&self.verdict_table());
        }
        text
    }

    fn figure_table(&self) -> String {
        let mut text = format!(
            "| cached hit, {CONNECTIONS} connections | server | /s | p50 µs | p99 µs | server CPU µs | of it kernel | \
             wrk CPU µs |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
        );
        for row in &self.rows {
            for Figures { server, middle } in &row.servers {
                let figure = |value: f64| format!("{value:.1}");
                let cells = [
                    row.size.clone(),
                    server.clone(),
                    grouped(middle.per_second),
                    grouped(middle.p50_us),
                    grouped(middle.p99_us),
                    figure(middle.server_cpu_us),
                    figure(middle.server_kernel_us),
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
                line(&mut text, &[&row.size, name, &verdict.peer, &ratio, &limit, mark(verdict.is_kept())]);
            }
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::bound::{Figure, Verdict};
    use crate::pages::hit::Row;
    use crate::sample::Sample;

    #[test]
    fn verdicts_and_absences_are_told() {
        let middle = Sample { per_second: 54_321.0, p50_us: 1.0, p99_us: 2.0, ..Sample::default() };
        let row = Row {
            size: "1 KB".to_owned(),
            servers: vec![Figures { server: "theory serve".to_owned(), middle }],
            verdicts: vec![Verdict {
                peer: "nginx".to_owned(),
                figure: Figure::ServerCpu,
                ratio: 0.81,
                limit: Some(0.8),
            }],
        };
        let hits =
            Hits { absent: vec!["Next.js takes no part: it was to be skipped".to_owned()], rows: vec![row] };
        let text = hits.markdown();
        for expected in [
            "**Next.js takes no part: it was to be skipped.**",
            "| 1 KB | theory serve | 54,321 |",
            "| 1 KB | server CPU per request | nginx | 0.81 | ≤ 0.8 | ✗ missed |",
        ] {
            assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
        }
    }
}
