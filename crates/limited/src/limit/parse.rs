//! Limits as they stand in settings: `20/s burst 60`, `100/min sliding`, `5/90s log`, `1000/h fixed`, `1000000/month quota`.

use std::str::FromStr;
use std::time::Duration;

use super::{Limit, Period, Rule};
use crate::calendar::Calendar;
use crate::error::Error;

const FORM: &str =
    "write `20/s burst 60`, `100/min sliding`, `1000/h fixed`, `10/30s log` or `5000/day quota`";
/// Nothing longer is looked at, so that what is repeated in an error stays short.
const TEXT_BYTES_MAX: usize = 64;

impl Limit {
    /// The limit as it stands in settings.
    ///
    /// ```
    /// use limited::Limit;
    ///
    /// let limit = Limit::per_minute(100).sliding_window();
    /// assert_eq!(limit.text(), "100/min sliding");
    /// assert_eq!(limit.text().parse::<Limit>()?, limit);
    /// # Ok::<(), limited::Error>(())
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let period = match self.period {
            Period::Calendar(calendar) => calendar.name().to_owned(),
            Period::Span(span) => span_text(span),
        };
        let rule = match self.rule {
            Rule::Bucket { burst } => format!("burst {burst}"),
            Rule::FixedWindow => "fixed".to_owned(),
            Rule::SlidingWindow => "sliding".to_owned(),
            Rule::SlidingLog => "log".to_owned(),
            Rule::Quota => "quota".to_owned(),
        };
        format!("{}/{period} {rule}", self.amount)
    }
}

fn span_text(span: Duration) -> String {
    match span.as_millis() {
        1_000 => "s".to_owned(),
        60_000 => "min".to_owned(),
        3_600_000 => "h".to_owned(),
        86_400_000 => "d".to_owned(),
        millis if millis % 1_000 == 0 => format!("{}s", millis / 1_000),
        millis => format!("{millis}ms"),
    }
}

impl FromStr for Limit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = |reason| Error::Limit { text: shown(text), reason };
        if text.len() > TEXT_BYTES_MAX {
            return Err(refuse(FORM));
        }
        let mut words = text.split_whitespace();
        let rate = words.next().ok_or_else(|| refuse(FORM))?;
        let (amount, period) = rate.split_once('/').ok_or_else(|| refuse(FORM))?;
        let amount = number(amount).ok_or_else(|| refuse("the amount is not a whole number"))?;
        let limit = match (words.next(), words.next()) {
            (Some("quota"), None) => Calendar::named(period).map(|calendar| Self::quota(amount, calendar)),
            (rule, burst) => match span(period) {
                None => None,
                Some(span) => Some(ruled(Self::per(amount, span), rule, burst).ok_or_else(|| refuse(FORM))?),
            },
        };
        let limit = limit.ok_or_else(|| {
            refuse("the period is unknown; write s, min, h, d, `30s` or, with quota, day or month")
        })?;
        if words.next().is_some() {
            return Err(refuse(FORM));
        }
        limit.check()?;
        Ok(limit)
    }
}

fn ruled(limit: Limit, rule: Option<&str>, burst: Option<&str>) -> Option<Limit> {
    match (rule, burst) {
        (None, None) => Some(limit),
        (Some("burst"), Some(burst)) => number(burst).map(|burst| limit.burst(burst)),
        (Some("fixed"), None) => Some(limit.fixed_window()),
        (Some("sliding"), None) => Some(limit.sliding_window()),
        (Some("log"), None) => Some(limit.sliding_log()),
        _ => None,
    }
}

/// A whole number; `1_000` reads better than `1000`. A sign is none of it.
fn number(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|letter| *letter != '_').collect();
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { digits.parse().ok() } else { None }
}

fn span(text: &str) -> Option<Duration> {
    let split = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (count, unit) = text.split_at(split);
    let count = if count.is_empty() { 1 } else { count.parse::<u64>().ok()? };
    let millis = match unit {
        "ms" => 1,
        "s" | "sec" | "second" => 1_000,
        "m" | "min" | "minute" => 60_000,
        "h" | "hour" => 3_600_000,
        "d" | "day" => 86_400_000,
        _ => return None,
    };
    count.checked_mul(millis).map(Duration::from_millis)
}

/// As much of a text as an error repeats.
fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(TEXT_BYTES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let said = match text.parse::<Limit>() {
            Ok(limit) => limit.text(),
            Err(Error::Limit { reason, .. }) => format!("error: {reason}"),
            Err(other) => format!("error: {other}"),
        };
        assert!(said.starts_with(expected), "{text:?} is {said:?}, not {expected:?}");
    }

    #[test]
    fn limits_are_read_as_they_are_written() {
        check("20/s burst 60", "20/s burst 60");
        check("  20/s   burst  60 ", "20/s burst 60");
        check("20/s", "20/s burst 20");
        check("20/1s", "20/s burst 20");
        check("1_000/minute sliding", "1000/min sliding");
        check("5/90s log", "5/90s log");
        check("5/250ms fixed", "5/250ms fixed");
        check("7/2h fixed", "7/7200s fixed");
        check("1000000/month quota", "1000000/month quota");
        check("10/day", "10/d burst 10");
        check("10/day quota", "10/day quota");
    }

    #[test]
    fn what_is_no_limit_says_what_one_looks_like() {
        for text in
            ["", " ", "20", "20/s burst", "20/s burst 60 70", "20/s leaky", "20/s sliding 5", "20 per second"]
        {
            check(text, "error: write `20/s burst 60`");
        }
        check("x/s", "error: the amount");
        check("-1/s", "error: the amount");
        check("+1/s", "error: the amount");
        check("1.5/s", "error: the amount");
        check("99999999999999999999/s", "error: the amount");
        check("1/fortnight", "error: the period");
        check("1/month", "error: the period");
        check("1/30", "error: the period");
        check("1/99999999999999999999s", "error: the period");
        check(&"9".repeat(100), "error: write");
    }

    #[test]
    fn absurd_limits_are_refused() {
        check("0/s", "error: it would never");
        check("5/s burst 0", "error: it would never");
        check("2000000000000/d", "error: it is larger");
        check("2000000/s", "error: it is faster");
        check("1/1ms", "error: its period");
        check("1/367d fixed", "error: its period");
        check("101/min log", "error: a log keeps");
        check("1/d burst 400", "error: its bucket");
    }
}
