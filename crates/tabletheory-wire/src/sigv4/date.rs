//! `X-Amz-Date`: one moment to the second, written `20150830T123600Z` and in no other way.

use std::fmt;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use tabletheory_core::{Seconds, Timestamp};

/// How far a request's date may be from the time here, in both directions. The service allows fifteen minutes; clocks are better
/// today, and within the window a request that was overheard can be sent again.
pub(super) const WINDOW: Seconds = Seconds(5 * 60);

const LENGTH: usize = "20150830T123600Z".len();

/// A moment as the header writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AmzDate {
    text: [u8; LENGTH],
    moment: Timestamp,
}

impl AmzDate {
    /// Reads the header's value; `None` if it is anything but a moment in ISO 8601's basic format.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let text: [u8; LENGTH] = value.try_into().ok()?;
        if text[8] != b'T' || text[15] != b'Z' {
            return None;
        }
        let year = digits(&text[0..4])?;
        let [month, day, hour, minute, second] = [4..6, 6..8, 9..11, 11..13, 13..15]
            .map(|range| digits(&text[range]).and_then(|n| i8::try_from(n).ok()));
        let civil = DateTime::new(year, month?, day?, hour?, minute?, second?, 0).ok()?;
        let seconds = civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
        Some(Self { text, moment: Timestamp::from_seconds(seconds) })
    }

    /// The whole text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The day alone, `20150830`, as a credential's scope repeats it.
    pub(super) fn day(&self) -> [u8; 8] {
        let mut day = [0; 8];
        day.copy_from_slice(&self.text[..8]);
        day
    }

    /// The moment.
    pub(super) fn moment(&self) -> Timestamp {
        self.moment
    }
}

fn digits(text: &[u8]) -> Option<i16> {
    text.iter().try_fold(0_i16, |number, byte| match byte {
        b'0'..=b'9' => Some(number * 10 + i16::from(byte - b'0')),
        _ => None,
    })
}

/// Prints a moment the way the header writes it.
pub(super) struct Basic(pub(super) Timestamp);

impl fmt::Display for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A clock outside jiff's years is printed as the nearest moment inside: the text is only read by people.
        let nearest = if self.0.seconds() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        let moment = jiff::Timestamp::from_second(self.0.seconds()).unwrap_or(nearest);
        write!(f, "{}", moment.strftime("%Y%m%dT%H%M%SZ"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_in_basic_format_is_the_moment_it_names() {
        let check = |text: &str, seconds: i64| {
            let date = AmzDate::parse(text.as_bytes()).unwrap();
            assert_eq!(date.moment(), Timestamp::from_seconds(seconds), "{text}");
            assert_eq!(Basic(date.moment()).to_string(), text);
        };
        check("19700101T000000Z", 0);
        check("20150830T123600Z", 1_440_938_160);
        check("20240229T235959Z", 1_709_251_199);
        check("00010101T000000Z", -62_135_596_800);
    }

    #[test]
    fn anything_else_is_no_date() {
        for text in [
            "",
            "20150830",
            "20150830T123600",
            "20150830t123600Z",
            "20150830T123600z",
            "2015-08-30T12:36Z",
            "20150230T123600Z",
            "20150830T240000Z",
            "20150830T236000Z",
            "20150830T123660Z",
            "+0150830T123600Z",
            "2015083 T123600Z",
            " 20150830T123600Z",
            "Sun, 30 Aug 2015 12:36:00 GMT",
            "99991231T235959Z0",
        ] {
            assert_eq!(AmzDate::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(AmzDate::parse(&[0xFF; LENGTH]), None);
    }

    #[test]
    fn a_clock_beyond_all_years_still_prints() {
        for millis in [i64::MIN, i64::MAX] {
            assert!(!Basic(Timestamp::from_millis(millis)).to_string().is_empty());
        }
    }
}
