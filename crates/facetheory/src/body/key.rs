//! The key a body is put under: one per attempt, made of digests only, so that no text of a user or a tenant becomes a path.

use std::fmt;

use super::digest::Digest;

/// Digits of the token's digest that a key carries: 128 bits, which nobody meets twice.
const TOKEN_DIGITS: usize = 32;

/// Where one attempt to render a page puts its body: `<2 digits>/<64 digits>-<32 digits>`, the digest of the page's partition
/// key (its first digits spread the files over 256 directories) and the digest of the attempt's token. The token itself cannot
/// be read from it.
///
/// ```
/// use facetheory::body::BodyKey;
///
/// let first = BodyKey::new("TENANT#a#CACHE#../..", "token 1");
/// let second = BodyKey::new("TENANT#a#CACHE#../..", "token 2");
/// assert_ne!(first, second);
/// assert_eq!(first.as_str().len(), 2 + 1 + 64 + 1 + 32);
/// assert_eq!(first.as_str()[..67], second.as_str()[..67], "bodies of one page lie together");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BodyKey(String);

impl BodyKey {
    /// The key of the attempt that holds `token` to render the page whose rows lie in `partition`.
    #[must_use]
    pub fn new(partition: &str, token: &str) -> Self {
        let page = Digest::of(partition.as_bytes()).to_string();
        let attempt = Digest::of(token.as_bytes()).to_string();
        Self(format!("{}/{page}-{}", &page[..2], &attempt[..TOKEN_DIGITS]))
    }

    /// The pointer as META keeps it in `s3_key`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `pointer` has the shape of a key, or the one that keys had when each page had a directory. The sweep deletes
    /// nothing else.
    pub(super) fn is_shape_of(pointer: &str) -> bool {
        let Some((shard, name)) = pointer.split_once('/') else { return false };
        let Some((page, attempt)) = name.split_once(['-', '/']) else { return false };
        page.len() == Digest::DIGITS
            && page.starts_with(shard)
            && shard.len() == 2
            && attempt.len() == TOKEN_DIGITS
            && {
                let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                page.bytes().chain(attempt.bytes()).all(digit)
            }
    }
}

impl fmt::Debug for BodyKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "BodyKey({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::body::pointer::Pointer;

    proptest! {
        #[test]
        fn every_key_is_a_plain_pointer_of_the_same_shape(partition: String, token: String) {
            let key = BodyKey::new(&partition, &token);
            prop_assert!(BodyKey::is_shape_of(key.as_str()));
            prop_assert!(Pointer::parse(key.as_str()).is_some());
        }
    }

    #[test]
    fn other_paths_have_another_shape() {
        let key = BodyKey::new("p", "t").as_str().to_owned();
        let upper = key.to_uppercase();
        let moved = format!("zz{}", &key[2..]);
        let others = ["", "a/b/c", "isr/abc/123-uuid.html", &key[..99], &format!("{key}0"), &upper, &moved];
        for other in others {
            assert!(!BodyKey::is_shape_of(other), "{other}");
        }
        assert!(!BodyKey::is_shape_of(&format!("{key}#1")));
        assert!(!BodyKey::is_shape_of(&format!("{key}/x")));
    }

    #[test]
    fn keys_of_the_time_when_pages_had_directories_are_ours() {
        let (page, attempt) = (Digest::of(b"p").to_string(), Digest::of(b"t").to_string());
        let shard = &page[..2];
        assert!(BodyKey::is_shape_of(&format!("{shard}/{page}/{}", &attempt[..32])));
        assert!(!BodyKey::is_shape_of(&format!("{shard}/{page}/{attempt}")));
        assert!(!BodyKey::is_shape_of(&format!("{shard}/{page}/{}/x", &attempt[..30])));
    }
}
