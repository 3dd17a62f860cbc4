//! Signatures of cursors: `v1.<the plain cursor>.<HMAC-SHA256 in base64url>`. No plain cursor has a dot in it, and no
//! toolkit that knows only plain cursors reads a signed one by accident.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::error::CursorError;

const PREFIX: &str = "v1.";

/// What every signature begins with, so that a secret used for something else too signs no cursor there.
const PURPOSE: &[u8] = b"tabletheory cursor v1";

type Keyed = Hmac<Sha256>;

/// The secret that cursors are signed with.
///
/// A signature keeps a client from changing a cursor and from using one that was made for another scope: another tenant,
/// principal or query. It hides nothing: whoever holds a cursor can read the key in it. It does not age either.
///
/// ```
/// use tabletheory::cursor::{Cursor, CursorError, CursorKey};
/// use tabletheory_core::{Item, Value};
///
/// let cursor = Cursor { last_key: Item::from([("pk", Value::s("USER#1"))]), index: None, sort: None };
/// let key = CursorKey::new([7; 32]);
/// let text = cursor.sign(&key, &["tenant-1", "orders"]);
/// assert_eq!(Cursor::open(&text, &key, &["tenant-1", "orders"]), Ok(Some(cursor)));
/// assert_eq!(Cursor::open(&text, &key, &["tenant-2", "orders"]), Err(CursorError::Forged));
/// ```
#[derive(Clone)]
pub struct CursorKey {
    signing: Keyed,
    former: Vec<Keyed>,
}

impl CursorKey {
    /// A key with this secret: 32 bytes from a source of randomness.
    ///
    /// ```
    /// use tabletheory::cursor::CursorKey;
    ///
    /// let key = CursorKey::new([7; 32]);
    /// assert_eq!(format!("{key:?}"), "CursorKey { .. }");
    /// ```
    #[must_use]
    pub fn new(secret: [u8; 32]) -> Self {
        Self { signing: keyed(&secret), former: Vec::new() }
    }

    /// Also accepts what was signed with an earlier secret, while cursors of that time are still with clients.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, CursorKey};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let cursor = Cursor { last_key: Item::from([("pk", Value::s("USER#1"))]), index: None, sort: None };
    /// let old = cursor.sign(&CursorKey::new([1; 32]), &[]);
    /// let key = CursorKey::new([2; 32]).with_former([1; 32]);
    /// assert_eq!(Cursor::open(&old, &key, &[]), Ok(Some(cursor)));
    /// ```
    #[must_use]
    pub fn with_former(mut self, secret: [u8; 32]) -> Self {
        self.former.push(keyed(&secret));
        self
    }

    /// The signed form of a plain cursor.
    pub(super) fn seal(&self, plain: &str, scope: &[&str]) -> String {
        let tag = absorb(self.signing.clone(), plain, scope).finalize().into_bytes();
        format!("{PREFIX}{plain}.{}", URL_SAFE_NO_PAD.encode(tag))
    }

    /// The plain cursor inside a signed one.
    pub(super) fn unseal<'a>(&self, sealed: &'a str, scope: &[&str]) -> Result<&'a str, CursorError> {
        let body = sealed.strip_prefix(PREFIX).ok_or(CursorError::Unsigned)?;
        let (plain, tag) = body.rsplit_once('.').ok_or(CursorError::Forged)?;
        let tag = URL_SAFE_NO_PAD.decode(tag).map_err(|_| CursorError::Forged)?;
        // The comparison takes the same time wherever the difference is. Which of the secrets fits is no secret.
        let fits = |key: &Keyed| absorb(key.clone(), plain, scope).verify_slice(&tag).is_ok();
        let known = std::iter::once(&self.signing).chain(&self.former).any(fits);
        if known { Ok(plain) } else { Err(CursorError::Forged) }
    }
}

impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CursorKey").finish_non_exhaustive()
    }
}

/// Whether `text` has the form of a signed cursor.
pub(super) fn is_sealed(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Takes in what is signed. Lengths stand before the parts of the scope, so that `ab, c` is not `a, bc`, and how many
/// there are before them all, so that no part is taken for the cursor.
fn absorb(mut key: Keyed, plain: &str, scope: &[&str]) -> Keyed {
    key.update(PURPOSE);
    key.update(&length(scope.len()));
    for part in scope {
        key.update(&length(part.len()));
        key.update(part.as_bytes());
    }
    key.update(plain.as_bytes());
    key
}

fn length(length: usize) -> [u8; 8] {
    u64::try_from(length).expect("lengths in memory fit 64 bits").to_be_bytes()
}

fn keyed(secret: &[u8]) -> Keyed {
    Keyed::new_from_slice(secret).expect("HMAC takes keys of any length")
}
