//! A day of UTC, by which the archive is laid out.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use object_store::path::Path;
use tabletheory_core::Timestamp;

/// The first and the last day of an archive: four digits have no other years, and streams began after 1970.
const FIRST: Date = Date::constant(1970, 1, 1);
const LAST: Date = Date::constant(9999, 12, 31);

/// A day of UTC: that on which an item was removed.
///
/// ```
/// use tabletheory_core::Timestamp;
/// use theory_archive::Day;
///
/// let day = Day::of(Timestamp::from_seconds(1_704_067_199));
/// assert_eq!(day.to_string(), "2023-12-31");
/// assert_eq!("2023-12-31".parse::<Day>(), Ok(day));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(Date);

/// A text is no day.
///
/// ```
/// let error = "2023-02-30".parse::<theory_archive::Day>().unwrap_err();
/// assert_eq!(error.to_string(), r#""2023-02-30" is no day between 1970 and 9999; it is such as 2024-01-31"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no day between 1970 and 9999; it is such as 2024-01-31")]
pub struct NoDay {
    /// The text.
    pub text: String,
}

impl Day {
    /// The day of this moment. What lies before 1970 or after 9999 belongs to the first or the last day.
    ///
    /// ```
    /// # use tabletheory_core::Timestamp;
    /// # use theory_archive::Day;
    /// assert_eq!(Day::of(Timestamp::from_millis(i64::MAX)).to_string(), "9999-12-31");
    /// ```
    #[must_use]
    pub fn of(at: Timestamp) -> Self {
        let outside = if at.millis() < 0 { FIRST } else { LAST };
        let moment = jiff::Timestamp::from_millisecond(at.millis());
        let date = moment.map_or(outside, |moment| TimeZone::UTC.to_datetime(moment).date());
        Self(date.clamp(FIRST, LAST))
    }

    /// The day of a folder `2024/01/31`.
    pub(crate) fn of_parts(year: &str, month: &str, day: &str) -> Option<Self> {
        let has = |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_whole = has(year, 4) && has(month, 2) && has(day, 2);
        let date =
            is_whole.then(|| Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok());
        date.flatten().filter(|date| (FIRST..=LAST).contains(date)).map(Self)
    }

    /// The folder of the day below another.
    pub(crate) fn below(self, folder: &Path) -> Path {
        let Self(date) = self;
        let folder = folder.clone().join(format!("{:04}", date.year()));
        folder.join(format!("{:02}", date.month())).join(format!("{:02}", date.day()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0.year(), self.0.month(), self.0.day())
    }
}

impl FromStr for Day {
    type Err = NoDay;

    fn from_str(text: &str) -> Result<Self, NoDay> {
        let mut parts = text.split('-');
        let day = match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(year), Some(month), Some(day), None) => Self::of_parts(year, month, day),
            _ => None,
        };
        day.ok_or_else(|| NoDay { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_as_it_is_written() {
        for text in ["1970-01-01", "2024-02-29", "9999-12-31"] {
            assert_eq!(text.parse::<Day>().map(|day| day.to_string()), Ok(text.to_owned()));
        }
        for wrong in [
            "",
            "2024",
            "2024-1-1",
            "2023-02-29",
            "1969-12-31",
            "-024-01-01",
            "2024-01-01-",
            "２０２４-01-01",
        ] {
            assert!(wrong.parse::<Day>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_moment_has_a_day_and_its_folder() {
        for (millis, folder) in [
            (0, "a/1970/01/01"),
            (-1, "a/1970/01/01"),
            (i64::MIN, "a/1970/01/01"),
            (1_709_251_199_999, "a/2024/02/29"),
            (1_709_251_200_000, "a/2024/03/01"),
            (i64::MAX, "a/9999/12/31"),
        ] {
            let day = Day::of(Timestamp::from_millis(millis));
            assert_eq!(day.below(&Path::from("a")), Path::from(folder), "{millis}");
        }
    }
}
