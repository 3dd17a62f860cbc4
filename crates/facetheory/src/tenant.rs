//! Whose pages they are: a name that can stand in a partition key without passing for another.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

const LENGTH_MAX: usize = 64;

/// A tenant: 1 to 64 letters, digits, `-` and `_` of ASCII.
///
/// There is no `#` in it, so that no tenant's keys can begin like another's.
///
/// ```
/// use facetheory::Tenant;
///
/// assert_eq!("acme-1".parse::<Tenant>()?.as_str(), "acme-1");
/// assert!("acme#CACHE".parse::<Tenant>().is_err());
/// assert!("".parse::<Tenant>().is_err());
/// # Ok::<(), facetheory::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tenant(String);

impl Tenant {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Tenant {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || name.len() > LENGTH_MAX || !name.bytes().all(plain) {
            return Err(Error::Tenant { length: name.len() });
        }
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, accepted: bool) {
        assert_eq!(name.parse::<Tenant>().is_ok(), accepted, "{name:?}");
    }

    #[test]
    fn names_are_plain() {
        check("a", true);
        check("Acme_2-x", true);
        check(&"x".repeat(64), true);
        check(&"x".repeat(65), false);
        check("", false);
        check("a#b", false);
        check("a b", false);
        check("ä", false);
        check("a\0", false);
    }
}
