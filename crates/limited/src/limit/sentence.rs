//! A limit in words, with the bound that it keeps.

use std::fmt;
use std::time::Duration;

use super::{Limit, Rule};

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = self.amount();
        if let Some(calendar) = self.calendar() {
            return write!(f, "{amount} per {} of the calendar (UTC)", calendar.name());
        }
        let period = Words(self.period());
        match self.rule() {
            Rule::Bucket { burst } => write!(
                f,
                "{amount} per {period}, and up to {burst} at once: at most {amount} × t + {burst} in any t {}",
                period.plural()
            ),
            Rule::FixedWindow => {
                write!(f, "{amount} in each {period}: at most {} around a boundary", amount.saturating_mul(2))
            }
            Rule::SlidingWindow => {
                write!(f, "{amount} in the last {period}, estimated: within a tenth while traffic is even")
            }
            Rule::SlidingLog | Rule::Quota => write!(f, "{amount} in the last {period}, exactly"),
        }
    }
}

/// A period in words.
struct Words(Duration);

impl Words {
    fn plural(&self) -> String {
        match self.0.as_millis() {
            1_000 => "seconds".to_owned(),
            60_000 => "minutes".to_owned(),
            3_600_000 => "hours".to_owned(),
            86_400_000 => "days".to_owned(),
            _ => format!("times {self}"),
        }
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_millis() {
            1_000 => f.write_str("second"),
            60_000 => f.write_str("minute"),
            3_600_000 => f.write_str("hour"),
            86_400_000 => f.write_str("day"),
            millis if millis % 1_000 == 0 => write!(f, "{} seconds", millis / 1_000),
            millis => write!(f, "{millis} milliseconds"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Calendar;

    #[test]
    fn a_limit_says_its_bound() {
        let check = |limit: Limit, expected: &str| assert_eq!(limit.to_string(), expected);
        check(
            Limit::per_minute(100).burst(10),
            "100 per minute, and up to 10 at once: at most 100 × t + 10 in any t minutes",
        );
        check(Limit::per_hour(5).fixed_window(), "5 in each hour: at most 10 around a boundary");
        check(Limit::per(5, Duration::from_secs(90)).sliding_log(), "5 in the last 90 seconds, exactly");
        check(
            Limit::per_second(5).sliding_window(),
            "5 in the last second, estimated: within a tenth while traffic is even",
        );
        check(Limit::quota(5, Calendar::Day), "5 per day of the calendar (UTC)");
    }
}
