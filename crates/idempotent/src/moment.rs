//! Moments as the rows have them: RFC 3339 texts in whole seconds with `Z`, and what is to be thought of other texts.
//!
//! Go writes fractions and trims their zeros, and texts of different precision do not sort as moments do: `…05.5Z` is less
//! than `…05Z`, because `.` is less than `Z`. So we write whole seconds, rounded up, and a lock is over only when its text is
//! less than the second *before* this one. A lock may then last two seconds longer than it says, and never ends early.

use jiff::Timestamp as Moment;
use tabletheory_core::Timestamp;

/// The first whole second that is not before `moment`, as text.
pub(crate) fn ceil_text(moment: Timestamp) -> String {
    text(ceil_seconds(moment))
}

/// The second in which `moment` is, as text.
pub(crate) fn floor_text(moment: Timestamp) -> String {
    text(moment.seconds())
}

/// The text that the text of a lock must be less than, to be over now.
pub(crate) fn over_before_text(now: Timestamp) -> String {
    text(now.seconds().saturating_sub(1))
}

/// The first whole second that is not before `moment`.
pub(crate) fn ceil_seconds(moment: Timestamp) -> i64 {
    Timestamp::from_millis(moment.millis().saturating_add(999)).seconds()
}

/// The moment of any RFC 3339 text.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    text.parse::<Moment>().ok().map(|moment| Timestamp::from_millis(moment.as_millisecond()))
}

/// Whether a lock that says this is over, as the condition of a claim sees it. A text in another zone is no matter of texts,
/// so there the moment decides, with the same grace.
pub(crate) fn is_over(locked_until: &str, now: Timestamp) -> Option<bool> {
    if locked_until.ends_with('Z') {
        parse(locked_until)?;
        return Some(locked_until < over_before_text(now).as_str());
    }
    parse(locked_until).map(|until| until.seconds() < now.seconds().saturating_sub(1))
}

fn text(seconds: i64) -> String {
    // The years 0000 to 9999, which four digits can say.
    const FIRST: i64 = -62_167_219_200;
    const LAST: i64 = 253_402_207_200;
    let moment = Moment::from_second(seconds.clamp(FIRST, LAST)).expect("the year has four digits");
    format!("{moment:.0}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn texts_are_whole_seconds() {
        assert_eq!(ceil_text(at(1_700_000_000_000)), "2023-11-14T22:13:20Z");
        assert_eq!(ceil_text(at(1_700_000_000_001)), "2023-11-14T22:13:21Z");
        assert_eq!(floor_text(at(1_700_000_000_999)), "2023-11-14T22:13:20Z");
        assert_eq!(over_before_text(at(1_700_000_000_999)), "2023-11-14T22:13:19Z");
        assert_eq!(parse("2023-11-14T22:13:20Z"), Some(at(1_700_000_000_000)));
        assert_eq!(text(i64::MIN).len(), 20);
        assert_eq!(text(i64::MAX).len(), 20);
    }

    #[track_caller]
    fn check(locked_until: &str, now_ms: i64, expected: Option<bool>) {
        assert_eq!(is_over(locked_until, at(now_ms)), expected, "{locked_until} at {now_ms}");
    }

    #[test]
    fn g35_a_lock_never_ends_early_whatever_digits_its_text_has() {
        // As texts, "…20.5Z" < "…20Z", though it is later.
        check("2023-11-14T22:13:20.5Z", 1_700_000_000_400, Some(false));
        check("2023-11-14T22:13:20.5Z", 1_700_000_000_999, Some(false));
        check("2023-11-14T22:13:20.5Z", 1_700_000_001_000, Some(true));
        check("2023-11-14T22:13:20Z", 1_700_000_001_999, Some(false));
        check("2023-11-14T22:13:20Z", 1_700_000_002_000, Some(true));
        check("2023-11-15T00:13:20+02:00", 1_700_000_000_000, Some(false));
        check("2023-11-15T00:13:20+02:00", 1_700_000_002_000, Some(true));
        check("2023-11-14T17:13:20-05:00", 1_700_000_000_000, Some(false));
        check("0001-01-01T00:00:00Z", 1_700_000_000_000, Some(true));
        check("tomorrow", 1_700_000_000_000, None);
        check("zZ", 1_700_000_000_000, None);
    }

    proptest! {
        #[test]
        fn f28_whatever_the_precision_a_lock_that_is_over_has_ended(
            locked_ms in 1_600_000_000_000_i64..1_800_000_000_000,
            digits in 0_usize..10,
            distance_ms in -5000_i64..5000,
        ) {
            let moment = Moment::from_millisecond(locked_ms).unwrap();
            let full = format!("{moment:.9}");
            // As Go does: that many digits, without the zeros at their end.
            let cut = full[..20 + digits].trim_end_matches('0').trim_end_matches('.');
            let written = format!("{cut}Z");
            let ends_ms = parse(&written).unwrap().millis();
            let now = at(ends_ms + distance_ms);
            let over = is_over(&written, now).unwrap();
            prop_assert!(!over || now.millis() >= ends_ms, "{} at {:?}", written, now);
            prop_assert!(over || now.millis() < ends_ms + 2000, "{} at {:?}", written, now);
        }
    }
}
