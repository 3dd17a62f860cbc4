//! One limit: how much in how long, and by which rule. Reading it from text stands in `parse`, saying it in `sentence`.

mod parse;
mod sentence;

use std::time::Duration;

use crate::calendar::Calendar;
use crate::error::Error;

/// No limit is larger: a number that counts requests and not mistakes.
pub const AMOUNT_MAX: u64 = 1_000_000_000_000;
/// No period is longer: a year.
pub const PERIOD_MAX: Duration = Duration::from_secs(366 * 86_400);
/// A log keeps every moment, so its limit is small.
pub const LOG_MAX: u64 = 100;
/// One unit of a bucket takes at least this long to come back, so that rounding stays below a thousandth.
const INTERVAL_MIN_NS: u64 = 1_000;
/// A period is at least as long as the clock's grain is fine.
const PERIOD_MIN: Duration = Duration::from_millis(10);

/// How much is allowed in how long, and by which rule.
///
/// ```
/// use limited::Limit;
///
/// let limit = Limit::per_second(20).burst(60);
/// assert_eq!("20/s burst 60".parse::<Limit>()?, limit);
/// assert_eq!(
///     limit.to_string(),
///     "20 per second, and up to 60 at once: at most 20 × t + 60 in any t seconds",
/// );
/// assert!(Limit::per_second(0).check().is_err());
/// # Ok::<(), limited::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limit {
    amount: u64,
    period: Period,
    rule: Rule,
}

/// How long the amount is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Period {
    Span(Duration),
    Calendar(Calendar),
}

/// By which rule it is counted.
///
/// ```
/// use limited::{Limit, Rule};
///
/// assert_eq!(Limit::per_minute(100).rule(), Rule::Bucket { burst: 100 });
/// assert_eq!(Limit::per_minute(100).sliding_window().rule(), Rule::SlidingWindow);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// A bucket of `burst` units that fills evenly (GCRA): at most rate × t + burst in any time t.
    Bucket {
        /// How much at once.
        burst: u64,
    },
    /// Windows that begin at multiples of the period: at most the amount in each, and twice as much around a boundary.
    FixedWindow,
    /// Two windows, the earlier weighed by how much of it the last period still covers: close to the amount in any period
    /// while traffic is even.
    SlidingWindow,
    /// The moments themselves: exactly the amount in any period. For amounts up to [`LOG_MAX`].
    SlidingLog,
    /// A day, a month or another part of the calendar, in UTC.
    Quota,
}

impl Limit {
    /// So many each second, in a bucket that holds as many.
    ///
    /// ```
    /// # use limited::Limit;
    /// assert_eq!(Limit::per_second(20).text(), "20/s burst 20");
    /// ```
    #[must_use]
    pub const fn per_second(amount: u64) -> Self {
        Self::per(amount, Duration::from_secs(1))
    }

    /// So many each minute, in a bucket that holds as many.
    ///
    /// ```
    /// # use limited::Limit;
    /// assert_eq!(Limit::per_minute(100).burst(10).text(), "100/min burst 10");
    /// ```
    #[must_use]
    pub const fn per_minute(amount: u64) -> Self {
        Self::per(amount, Duration::from_secs(60))
    }

    /// So many each hour, in a bucket that holds as many.
    ///
    /// ```
    /// # use limited::Limit;
    /// assert_eq!(Limit::per_hour(5_000).fixed_window().text(), "5000/h fixed");
    /// ```
    #[must_use]
    pub const fn per_hour(amount: u64) -> Self {
        Self::per(amount, Duration::from_secs(3600))
    }

    /// So many in a period, in a bucket that holds as many.
    ///
    /// ```
    /// # use limited::Limit;
    /// use std::time::Duration;
    ///
    /// assert_eq!(Limit::per(5, Duration::from_secs(90)).sliding_log().text(), "5/90s log");
    /// ```
    #[must_use]
    pub const fn per(amount: u64, period: Duration) -> Self {
        Self { amount, period: Period::Span(period), rule: Rule::Bucket { burst: amount } }
    }

    /// So many in each part of the calendar, in UTC.
    ///
    /// ```
    /// # use limited::{Calendar, Limit};
    /// assert_eq!(Limit::quota(1_000_000, Calendar::Month).text(), "1000000/month quota");
    /// ```
    #[must_use]
    pub const fn quota(amount: u64, calendar: Calendar) -> Self {
        Self { amount, period: Period::Calendar(calendar), rule: Rule::Quota }
    }

    /// A bucket that holds `burst`, whatever its rate. Without effect on a quota.
    ///
    /// ```
    /// # use limited::{Limit, Rule};
    /// assert_eq!(Limit::per_second(20).burst(60).rule(), Rule::Bucket { burst: 60 });
    /// ```
    #[must_use]
    pub const fn burst(self, burst: u64) -> Self {
        self.by(Rule::Bucket { burst })
    }

    /// Counted in fixed windows. Without effect on a quota.
    ///
    /// ```
    /// # use limited::{Limit, Rule};
    /// assert_eq!(Limit::per_minute(9).fixed_window().rule(), Rule::FixedWindow);
    /// ```
    #[must_use]
    pub const fn fixed_window(self) -> Self {
        self.by(Rule::FixedWindow)
    }

    /// Counted in a sliding window. Without effect on a quota.
    ///
    /// ```
    /// # use limited::{Limit, Rule};
    /// assert_eq!(Limit::per_minute(9).sliding_window().rule(), Rule::SlidingWindow);
    /// ```
    #[must_use]
    pub const fn sliding_window(self) -> Self {
        self.by(Rule::SlidingWindow)
    }

    /// Counted exactly, moment by moment. Without effect on a quota.
    ///
    /// ```
    /// # use limited::{Limit, Rule};
    /// assert_eq!(Limit::per_minute(9).sliding_log().rule(), Rule::SlidingLog);
    /// ```
    #[must_use]
    pub const fn sliding_log(self) -> Self {
        self.by(Rule::SlidingLog)
    }

    const fn by(mut self, rule: Rule) -> Self {
        if matches!(self.period, Period::Span(_)) {
            self.rule = rule;
        }
        self
    }

    /// How much in each period.
    #[must_use]
    pub const fn amount(&self) -> u64 {
        self.amount
    }

    /// By which rule.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// How long the amount is for. A part of the calendar counts as long as it can be.
    ///
    /// ```
    /// # use limited::{Calendar, Limit};
    /// assert_eq!(Limit::quota(1, Calendar::Month).period().as_secs(), 31 * 86_400);
    /// ```
    #[must_use]
    pub const fn period(&self) -> Duration {
        match self.period {
            Period::Span(span) => span,
            Period::Calendar(calendar) => calendar.longest(),
        }
    }

    /// The most that one request may cost: more would never be allowed.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        match self.rule {
            Rule::Bucket { burst } => burst,
            _ => self.amount,
        }
    }

    /// What tells its attributes in a row from those of other limits. It has no amounts, so that what was counted stays counted
    /// when they change.
    pub(crate) fn mark(&self) -> String {
        let rule = match self.rule {
            Rule::Bucket { .. } => 'b',
            Rule::FixedWindow => 'f',
            Rule::SlidingWindow => 's',
            Rule::SlidingLog => 'l',
            Rule::Quota => 'q',
        };
        match self.period {
            Period::Span(span) => format!("{rule}{}", span.as_millis()),
            Period::Calendar(calendar) => format!("{rule}{}", calendar.name()),
        }
    }

    /// The part of it that one of so many has.
    pub(crate) fn divided(mut self, parts: u32) -> Self {
        let part = |amount: u64| (amount / u64::from(parts.max(1))).max(1);
        self.amount = part(self.amount);
        if let Rule::Bucket { burst } = &mut self.rule {
            *burst = part(*burst);
        }
        self
    }

    /// What so many that have it as their part have together.
    pub(crate) fn multiplied(mut self, parts: u32) -> Self {
        self.amount = self.amount.saturating_mul(u64::from(parts));
        if let Rule::Bucket { burst } = &mut self.rule {
            *burst = burst.saturating_mul(u64::from(parts));
        }
        self
    }

    pub(crate) const fn calendar(&self) -> Option<Calendar> {
        match self.period {
            Period::Calendar(calendar) => Some(calendar),
            Period::Span(_) => None,
        }
    }

    pub(crate) fn period_ms(&self) -> i64 {
        i64::try_from(self.period().as_millis()).unwrap_or(i64::MAX)
    }

    /// How long one unit of a bucket takes to come back: rounded up, so that rounding never allows more.
    pub(crate) fn interval_ns(&self) -> i64 {
        let interval = self.period().as_nanos().div_ceil(u128::from(self.amount.max(1)));
        i64::try_from(interval).unwrap_or(i64::MAX)
    }

    /// Whether it can be kept.
    ///
    /// # Errors
    /// [`Error::Limit`] if a number is zero or absurd.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |reason| Err(Error::Limit { text: self.text(), reason });
        if self.amount == 0 || self.capacity() == 0 {
            return refuse("it would never allow anything; leave the limit out or deny by other means");
        }
        if self.amount > AMOUNT_MAX || self.capacity() > AMOUNT_MAX {
            return refuse("it is larger than 1000000000000");
        }
        if let Period::Span(period) = self.period
            && !(PERIOD_MIN..=PERIOD_MAX).contains(&period)
        {
            return refuse("its period is not between 10 ms and 366 days");
        }
        if !self.period().subsec_nanos().is_multiple_of(1_000_000) {
            return refuse("its period is not in whole milliseconds");
        }
        match self.rule {
            Rule::Bucket { burst } => {
                let interval = u64::try_from(self.interval_ns()).unwrap_or(u64::MAX);
                let full_ns = u128::from(interval) * u128::from(burst);
                if interval < INTERVAL_MIN_NS {
                    refuse("it is faster than 1000000 per second")
                } else if full_ns > PERIOD_MAX.as_nanos() {
                    refuse("its bucket takes longer than 366 days to fill; make the burst smaller")
                } else {
                    Ok(())
                }
            }
            Rule::SlidingLog if self.amount > LOG_MAX => {
                refuse("a log keeps at most 100 moments; use a sliding window")
            }
            _ => Ok(()),
        }
    }
}
