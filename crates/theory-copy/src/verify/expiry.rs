//! Which items a store may remove by itself while they are compared.

use tabletheory_core::{Item, Timestamp, Value};

/// Who expires so soon may be gone before a comparison ends.
const SOON_SECONDS: i64 = 3600;
/// DynamoDB leaves items whose time is longer over than this.
const LONG_OVER_SECONDS: i64 = 5 * 365 * 86_400;

/// By what items expire, and when it is now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expiry<'a> {
    /// The attributes of both tables; none if none do.
    pub(super) attributes: &'a [String],
    /// Now.
    pub(super) now: Timestamp,
}

impl Expiry<'_> {
    /// Whether a store may remove the item while it is compared.
    pub(super) fn is_near(&self, item: &Item) -> bool {
        let now = self.now.seconds();
        self.attributes.iter().any(|name| {
            let Some(Value::N(ends)) = item.get(name) else { return false };
            // A time that is no whole number of seconds in this age is none by which a store removes anything.
            ends.to_i64().is_some_and(|ends| ends <= now + SOON_SECONDS && ends > now - LONG_OVER_SECONDS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_expired_or_soon_will_is_near() {
        let now = Timestamp::from_seconds(1_700_000_000);
        let near = |value: Value| {
            Expiry { attributes: &["other".to_owned(), "ttl".to_owned()], now }
                .is_near(&Item::from([("pk", Value::s("a")), ("ttl", value)]))
        };
        for (seconds, expected) in [
            (1_700_000_000, true),
            (1_699_999_999, true),
            (1_700_003_600, true),
            (1_700_003_601, false),
            (1_700_000_000 - LONG_OVER_SECONDS, false),
            (0, false),
        ] {
            assert_eq!(near(Value::n(seconds)), expected, "{seconds}");
        }
        assert!(!near(Value::s("1700000000")), "only a number says when");
        let item = Item::from([("ttl", Value::n(1))]);
        assert!(!Expiry { attributes: &[], now }.is_near(&item));
    }
}
