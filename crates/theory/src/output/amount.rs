//! Spans, moments, sizes and counts in the few characters that a column has.

use tabletheory_core::{Clock as _, Timestamp, sys::SystemClock};

/// The units of a span, from the largest: their letter and their seconds.
const UNITS: [(&str, u64); 4] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];
const SIZES: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];

/// A span in its two largest units: `12s`, `3m20s`, `2h`, `5d4h`.
pub(crate) fn span(seconds: u64) -> String {
    let Some(at) = UNITS.iter().position(|(_, unit)| seconds >= *unit) else { return "0s".to_owned() };
    let (letter, unit) = UNITS[at];
    let rest = seconds % unit;
    let small = UNITS.get(at + 1).map(|(letter, unit)| (letter, rest / unit)).filter(|(_, count)| *count > 0);
    match small {
        Some((small, count)) => format!("{}{letter}{count}{small}", seconds / unit),
        None => format!("{}{letter}", seconds / unit),
    }
}

/// A moment, as seen from now: `3m20s ago`, `in 12s`.
pub(crate) fn moment(millis: i64) -> String {
    moment_at(millis, SystemClock.now())
}

fn moment_at(millis: i64, now: Timestamp) -> String {
    let ahead = millis.saturating_sub(now.millis());
    let seconds = ahead.unsigned_abs() / 1000;
    match (seconds, ahead > 0) {
        (0, _) => "now".to_owned(),
        (_, true) => format!("in {}", span(seconds)),
        (_, false) => format!("{} ago", span(seconds)),
    }
}

/// A size: `912 B`, `12.4 KB`.
pub(crate) fn size(bytes: u64) -> String {
    let mut at = 0;
    let mut whole = bytes;
    let mut tenth = 0;
    while whole >= 1024 && at + 1 < SIZES.len() {
        tenth = whole % 1024 * 10 / 1024;
        whole /= 1024;
        at += 1;
    }
    match at {
        0 => format!("{whole} B"),
        _ => format!("{whole}.{tenth} {}", SIZES[at]),
    }
}

/// A count with its noun: `1 page`, `12 pages`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Reads a span: `90`, `90s`, `10m`, `1h30m`, `2d`.
pub(crate) fn read_span(text: &str) -> Result<u64, String> {
    let wrong = || "it is a span such as 90s, 10m, 1h30m or 2d".to_owned();
    if let Ok(seconds) = text.parse() {
        return Ok(seconds);
    }
    let (mut rest, mut total) = (text, 0_u64);
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit()).ok_or_else(wrong)?;
        let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = UNITS.iter().find(|(letter, _)| rest[digits..].starts_with(letter)).ok_or_else(wrong)?;
        total = number.checked_mul(unit.1).and_then(|span| total.checked_add(span)).ok_or_else(wrong)?;
        rest = &rest[digits + 1..];
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_two_units() {
        let cases = [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (200, "3m20s"),
            (7200, "2h"),
            (7259, "2h"),
            (446_400, "5d4h"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(span(seconds), expected);
        }
    }

    #[test]
    fn spans_are_read_as_they_are_written() {
        let cases = [("90", 90), ("90s", 90), ("1h30m", 5400), ("2d", 172_800), ("0", 0)];
        for (text, expected) in cases {
            assert_eq!(read_span(text), Ok(expected), "{text}");
        }
        for wrong in
            ["", "h", "10x", "1h30", "-5", "1.5h", "99999999999999999999d", "9999999999999999d", "5é"]
        {
            assert!(read_span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn moments_are_seen_from_now() {
        let now = Timestamp::from_millis(1_000_000);
        let cases = [
            (1_000_400, "now"),
            (999_000, "1s ago"),
            (1_090_000, "in 1m30s"),
            (i64::MIN, "106751991167d7h ago"),
        ];
        for (millis, expected) in cases {
            assert_eq!(moment_at(millis, now), expected);
        }
    }

    #[test]
    fn sizes_have_one_decimal() {
        let cases =
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (12_698, "12.4 KB"), (5 << 40, "5.0 TB")];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
        assert!(size(u64::MAX).ends_with(" TB"));
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!((count(1, "page"), count(2, "page")), ("1 page".to_owned(), "2 pages".to_owned()));
    }
}
