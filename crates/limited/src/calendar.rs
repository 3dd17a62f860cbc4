//! Parts of the calendar, in UTC: when the one that holds a moment began, and when the next begins.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{Span, ToSpan};
use tabletheory_core::Timestamp;

/// A part of the calendar.
///
/// ```
/// use limited::Calendar;
/// use tabletheory_core::Timestamp;
///
/// let (start, end) = Calendar::Month.around(Timestamp::from_seconds(1_000_000));
/// assert_eq!((start.seconds(), end.seconds()), (0, 31 * 86_400));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Calendar {
    /// From the full hour.
    Hour,
    /// From midnight.
    Day,
    /// From Monday's midnight.
    Week,
    /// From the first.
    Month,
    /// From the first of January.
    Year,
}

const DAY: i64 = 86_400;
/// 1970 began on a Thursday.
const FIRST_MONDAY: i64 = -3 * DAY;

impl Calendar {
    const ALL: [Self; 5] = [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|calendar| calendar.name() == name)
    }

    /// How long the longest of its kind is.
    pub(crate) const fn longest(self) -> Duration {
        Duration::from_secs(match self {
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 7 * 86_400,
            Self::Month => 31 * 86_400,
            Self::Year => 366 * 86_400,
        })
    }

    /// When the one that holds `now` began, and when the next begins.
    #[must_use]
    pub fn around(self, now: Timestamp) -> (Timestamp, Timestamp) {
        let seconds = now.seconds();
        match self {
            Self::Hour => every(3_600, 0, seconds),
            Self::Day => every(DAY, 0, seconds),
            Self::Week => every(7 * DAY, FIRST_MONDAY, seconds),
            Self::Month => between(seconds, Date::first_of_month, 1.month()),
            Self::Year => between(seconds, Date::first_of_year, 1.year()),
        }
    }
}

fn every(length: i64, origin: i64, now: i64) -> (Timestamp, Timestamp) {
    let start = now.saturating_sub(now.saturating_sub(origin).rem_euclid(length));
    (Timestamp::from_seconds(start), Timestamp::from_seconds(start.saturating_add(length)))
}

/// From the first day to the first of the next. A clock beyond the calendar's end stays in its last part.
fn between(seconds: i64, first: fn(Date) -> Date, length: Span) -> (Timestamp, Timestamp) {
    let known = seconds.clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    let moment = jiff::Timestamp::from_second(known).unwrap_or(jiff::Timestamp::MAX);
    let start = first(Offset::UTC.to_datetime(moment).date());
    let end = start.checked_add(length).unwrap_or(Date::MAX);
    (midnight(start), midnight(end))
}

fn midnight(date: Date) -> Timestamp {
    let beyond = if date.year() < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let moment = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).unwrap_or(beyond);
    Timestamp::from_seconds(moment.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(calendar: Calendar, now: &str, start: &str, end: &str) {
        let at = |text: &str| {
            Timestamp::from_seconds(text.parse::<jiff::Timestamp>().expect("a moment").as_second())
        };
        assert_eq!(calendar.around(at(now)), (at(start), at(end)), "the {} of {now}", calendar.name());
    }

    #[test]
    fn parts_of_the_calendar_begin_where_people_say() {
        let now = "2024-02-29T23:59:59Z";
        check(Calendar::Hour, now, "2024-02-29T23:00:00Z", "2024-03-01T00:00:00Z");
        check(Calendar::Day, now, "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z");
        check(Calendar::Week, now, "2024-02-26T00:00:00Z", "2024-03-04T00:00:00Z");
        check(Calendar::Month, now, "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z");
        check(Calendar::Year, now, "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
        check(Calendar::Month, "2026-12-31T12:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z");
    }

    #[test]
    fn clocks_beyond_the_calendar_do_no_harm() {
        for calendar in Calendar::ALL {
            for millis in [i64::MIN, -1, 0, i64::MAX] {
                let (start, end) = calendar.around(Timestamp::from_millis(millis));
                assert!(start <= end, "the {} of {millis}", calendar.name());
            }
        }
    }
}
