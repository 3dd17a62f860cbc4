//! The text format in which Prometheus reads numbers: a line of help and of type for each family, then its numbers.

use std::fmt::{Display, Write};

use super::numbers::{EXPONENTS, Kind, Numbers, bucket_end};
use crate::telemetry::Distribution;

/// A text that grows.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    text: String,
    /// The family that was begun last.
    name: &'static str,
}

impl Numbers for Exposition {
    fn family(&mut self, name: &'static str, kind: Kind, help: &'static str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        self.name = name;
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn number(&mut self, labels: &[(&'static str, &str)], value: u64) {
        self.line("", labels, None, value);
    }

    fn times(&mut self, labels: &[(&'static str, &str)], times: &Distribution) {
        // Answers may be counted while this reads: what is beyond the last bucket is never less than what is in it.
        let count = times.count();
        for exponent in EXPONENTS {
            let end = bucket_end(exponent).to_string();
            self.line("_bucket", labels, Some(&end), times.count_up_to(exponent));
        }
        self.line("_bucket", labels, Some("+Inf"), count);
        self.line("_sum", labels, None, times.seconds());
        self.line("_count", labels, None, count);
    }
}

impl Exposition {
    fn line(&mut self, end: &str, labels: &[(&str, &str)], up_to: Option<&str>, value: impl Display) {
        self.text.push_str(self.name);
        self.text.push_str(end);
        self.labels(labels, up_to);
        let _ = writeln!(self.text, " {value}");
    }

    pub(super) fn text(self) -> String {
        self.text
    }

    fn labels(&mut self, labels: &[(&str, &str)], up_to: Option<&str>) {
        let up_to = up_to.map(|up_to| ("le", up_to));
        let mut sign = '{';
        for (name, value) in labels.iter().copied().chain(up_to) {
            let _ = write!(self.text, "{sign}{name}=\"");
            for letter in value.chars() {
                match letter {
                    '\\' => self.text.push_str("\\\\"),
                    '"' => self.text.push_str("\\\""),
                    '\n' => self.text.push_str("\\n"),
                    letter => self.text.push(letter),
                }
            }
            self.text.push('"');
            sign = ',';
        }
        if sign == ',' {
            self.text.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_prometheus_reads_them() {
        let mut text = Exposition::default();
        text.alone("up", Kind::Gauge, "Whether it is.", 1);
        text.family("served", Kind::Counter, "How often.");
        text.number(&[("route", "/a\"\\\n{x}"), ("site", "b")], 2);
        assert_eq!(
            text.text(),
            "# HELP up Whether it is.\n# TYPE up gauge\nup 1\n# HELP served How often.\n# TYPE served counter\n\
             served{route=\"/a\\\"\\\\\\n{x}\",site=\"b\"} 2\n"
        );
    }

    #[test]
    fn buckets_grow_to_the_count() {
        let mut text = Exposition::default();
        text.family("took", Kind::Histogram, "How long.");
        text.times(&[], &Distribution::default());
        let text = text.text();
        assert!(text.contains("histogram\ntook_bucket{le=\"0.000064\"} 0\n"), "{text}");
        assert!(text.ends_with("took_bucket{le=\"+Inf\"} 0\ntook_sum 0\ntook_count 0\n"), "{text}");
    }
}
