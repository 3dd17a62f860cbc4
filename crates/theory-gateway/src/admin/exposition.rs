//! The text format in which Prometheus reads numbers: a line of help and of type for each family, then its numbers.

use std::fmt::{Display, Write};

use crate::telemetry::Distribution;

/// Times are told in buckets that end with two to the power of these, in microseconds: 64 µs to 67 s.
const EXPONENTS: std::ops::RangeInclusive<u32> = 6..=26;

/// A text that grows.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

impl Exposition {
    /// Begins a family.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// Adds a number.
    pub(super) fn number(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        self.labels(labels, None);
        let _ = writeln!(self.0, " {value}");
    }

    /// A family of one number.
    pub(super) fn alone(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.number(name, &[], value);
    }

    /// Adds how long things took.
    #[expect(clippy::cast_precision_loss, reason = "powers of two are exact")]
    pub(super) fn times(&mut self, name: &str, labels: &[(&str, &str)], times: &Distribution) {
        // Answers may be counted while this reads: what is beyond the last bucket is never less than what is in it.
        let count = times.count();
        for exponent in EXPONENTS {
            let _ = write!(self.0, "{name}_bucket");
            self.labels(labels, Some(&((1_u64 << exponent) as f64 / 1e6).to_string()));
            let _ = writeln!(self.0, " {}", times.count_up_to(exponent));
        }
        let _ = write!(self.0, "{name}_bucket");
        self.labels(labels, Some("+Inf"));
        let _ = writeln!(self.0, " {count}");
        self.number(&format!("{name}_sum"), labels, times.seconds());
        self.number(&format!("{name}_count"), labels, count);
    }

    pub(super) fn text(self) -> String {
        self.0
    }

    fn labels(&mut self, labels: &[(&str, &str)], up_to: Option<&str>) {
        let up_to = up_to.map(|up_to| ("le", up_to));
        let mut sign = '{';
        for (name, value) in labels.iter().copied().chain(up_to) {
            let _ = write!(self.0, "{sign}{name}=\"");
            for letter in value.chars() {
                match letter {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    letter => self.0.push(letter),
                }
            }
            self.0.push('"');
            sign = ',';
        }
        if sign == ',' {
            self.0.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_prometheus_reads_them() {
        let mut text = Exposition::default();
        text.alone("up", "gauge", "Whether it is.", 1);
        text.number("served", &[("route", "/a\"\\\n{x}"), ("site", "b")], 2.5);
        assert_eq!(
            text.text(),
            "# HELP up Whether it is.\n# TYPE up gauge\nup 1\nserved{route=\"/a\\\"\\\\\\n{x}\",site=\"b\"} 2.5\n"
        );
    }

    #[test]
    fn buckets_grow_to_the_count() {
        let mut text = Exposition::default();
        text.times("took", &[], &Distribution::default());
        let text = text.text();
        assert!(text.starts_with("took_bucket{le=\"0.000064\"} 0\n"), "{text}");
        assert!(text.ends_with("took_bucket{le=\"+Inf\"} 0\ntook_sum 0\ntook_count 0\n"), "{text}");
    }
}
