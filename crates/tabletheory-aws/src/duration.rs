//! Spans of time as environment variables write them: `100`, `50ms`, `1.5s`, `1m30s`.

use std::time::Duration;

/// Units and their nanoseconds. A longer name stands before the shorter one that begins it.
const UNITS: [(&str, f64); 7] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];

/// The span that `text` writes, or `None` if it writes none. A bare whole number counts milliseconds; otherwise each
/// number has a unit.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_millis);
    }
    let mut rest = text;
    let mut nanos = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, unit) = rest.split_at(digits);
        let (name, scale) = UNITS.iter().find(|(name, _)| unit.starts_with(name))?;
        nanos += number.parse::<f64>().ok()? * scale;
        rest = &unit[name.len()..];
    }
    // An empty text is no span. Whole nanoseconds are exact up to a hundred days.
    if text.is_empty() { None } else { Duration::try_from_secs_f64(nanos / 1e9).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected_micros: Option<u64>) {
        assert_eq!(parse(text), expected_micros.map(Duration::from_micros), "{text}");
    }

    #[test]
    fn a_bare_number_counts_milliseconds() {
        check("100", Some(100_000));
        check("0", Some(0));
    }

    #[test]
    fn a_span_has_units() {
        check("50ms", Some(50_000));
        check("1s", Some(1_000_000));
        check("1.5s", Some(1_500_000));
        check("1m30s", Some(90_000_000));
        check("1h1m", Some(3_660_000_000));
        check("250us", Some(250));
        check("250µs", Some(250));
    }

    #[test]
    fn what_is_no_span_is_refused() {
        for text in [
            "",
            " ",
            "-1s",
            "1.5",
            "s",
            "1 s",
            "1x",
            "1s2",
            "..s",
            "ms1",
            "99999999999999999999",
            "1e3s",
            "∞s",
        ] {
            check(text, None);
        }
    }
}
