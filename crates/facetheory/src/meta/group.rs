//! Groups of pages that are purged together, and the short names by which the site's journal knows them.

use sha2::{Digest as _, Sha256};

use crate::key::{hash_field, hex};
use crate::record::Meta;

/// The length of the part of a name that is hashed, in digits.
const DIGITS: usize = 32;
const TAG: &str = "tag:";
const PATH: &str = "path:";

/// Pages that are purged together.
///
/// ```
/// use facetheory::meta::Group;
///
/// let name = Group::Tag("a tag of any length").name();
/// assert_eq!(name.as_deref().map(str::len), Some("tag:".len() + 32));
/// assert_ne!(name, Group::Path(b"a tag of any length").name());
/// assert_eq!(Group::All.name(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group<'a> {
    /// All pages with this tag.
    Tag(&'a str),
    /// All pages of this path, whatever else their keys say. Pages are found by it that were published with
    /// [`Draft::with_path`](super::Draft::with_path).
    Path(&'a [u8]),
    /// All pages of the tenant, or of those without one.
    All,
}

impl Group<'_> {
    /// Its name in the journal: short, whatever the tag is; none for everything.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Tag(tag) => Some(name(TAG, tag.as_bytes())),
            Self::Path(path) => Some(name(PATH, path)),
            Self::All => None,
        }
    }
}

/// The names of the groups that a page belongs to. Its path stands among its tags as the name of a group already.
pub(super) fn names(meta: &Meta) -> Vec<String> {
    let name = |tag: &String| if is_path(tag) { tag.clone() } else { name(TAG, tag.as_bytes()) };
    meta.tags.iter().map(name).collect()
}

fn is_path(tag: &str) -> bool {
    let plain = |digits: &str| {
        digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    tag.strip_prefix(PATH).is_some_and(plain)
}

fn name(kind: &str, value: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash_field(&mut hash, kind.as_bytes());
    hash_field(&mut hash, value);
    let digest = hex(&hash.finalize());
    format!("{kind}{}", &digest[..DIGITS])
}
