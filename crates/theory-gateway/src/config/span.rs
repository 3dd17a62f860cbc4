//! Durations as people write them: `500ms`, `60s`, `5m`, `2h`, `1d`.

use std::time::Duration;

use tabletheory_core::Seconds;

use super::form::Word;

const FORM: &str = "write a number and its unit, such as `500ms`, `60s`, `5m`, `2h` or `1d`";
/// No time is longer: ten years.
const MILLIS_MAX: u64 = 10 * 365 * 86_400_000;
/// The units, the longest first, in milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// How long something takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span(pub(super) Duration);

impl Word for Span {
    fn word(text: &str) -> Result<Self, String> {
        let split = text.find(|letter: char| !letter.is_ascii_digit()).ok_or(FORM)?;
        let (number, unit) = text.split_at(split);
        let unit = match unit.trim_start() {
            "min" => "m",
            "sec" => "s",
            unit => unit,
        };
        let (_, millis) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(FORM)?;
        if number.is_empty() {
            return Err(FORM.to_owned());
        }
        number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(*millis))
            .filter(|millis| *millis <= MILLIS_MAX)
            .map(|millis| Self(Duration::from_millis(millis)))
            .ok_or_else(|| "nothing takes longer than ten years, `3650d`".to_owned())
    }

    fn written(&self) -> String {
        let millis = self.0.as_millis();
        // A minute is better known as 60 seconds.
        let fits = |unit: u64| {
            millis > 0 && millis.is_multiple_of(u128::from(unit)) && !(millis == 60_000 && unit == 60_000)
        };
        let (name, unit) = UNITS.iter().find(|(_, unit)| fits(*unit)).unwrap_or(&("s", 1000));
        format!("{}{name}", millis / u128::from(*unit))
    }
}

/// How long something lasts, in whole seconds, as rows keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window(pub(super) Seconds);

impl Word for Window {
    fn word(text: &str) -> Result<Self, String> {
        let Span(span) = Span::word(text)?;
        match (span.subsec_nanos(), i64::try_from(span.as_secs())) {
            (0, Ok(seconds)) => Ok(Self(Seconds(seconds))),
            _ => Err("write whole seconds, such as `1s`".to_owned()),
        }
    }

    fn written(&self) -> String {
        Span(Duration::from_secs(u64::try_from(self.0.0).unwrap_or(0))).written()
    }
}

/// How long somebody waits: never nothing, which would mean that nothing ever succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patience(pub(super) Duration);

impl Word for Patience {
    fn word(text: &str) -> Result<Self, String> {
        match Span::word(text)? {
            Span(Duration::ZERO) => Err("nothing could ever succeed; write a longer time".to_owned()),
            Span(span) => Ok(Self(span)),
        }
    }

    fn written(&self) -> String {
        Span(self.0).written()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let millis = Span::word(text).ok().map(|Span(span)| span.as_millis());
        assert_eq!(millis, expected.map(u128::from), "{text:?}");
    }

    #[test]
    fn durations_have_units() {
        check("500ms", Some(500));
        check("60s", Some(60_000));
        check("60 s", Some(60_000));
        check("5m", Some(300_000));
        check("5min", Some(300_000));
        check("2h", Some(7_200_000));
        check("1d", Some(86_400_000));
        check("0s", Some(0));
        check("3650d", Some(MILLIS_MAX));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "60", "s", "-1s", "+1s", "1.5h", "1 fortnight", "1h30m", "ä", "1ä", "3651d", "1S"]
        {
            check(text, None);
        }
        check("99999999999999999999s", None);
        check("18446744073709551615d", None);
        assert!(Window::word("500ms").is_err() && Patience::word("0s").is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_as_the_same(millis in 0..=MILLIS_MAX) {
            let span = Span(Duration::from_millis(millis));
            prop_assert_eq!(Span::word(&span.written()).expect("it was written by us"), span);
        }
    }
}
