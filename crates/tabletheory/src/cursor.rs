//! Page cursors: where a query or scan stopped, as one opaque text for clients. The text is the one that TableTheory for
//! Go, TypeScript and Python reads and writes, so that pages begun with one toolkit go on with another.

mod error;
mod key;
mod sort;
#[cfg(test)]
mod tests;
mod text;

use tabletheory_core::Item;

pub use error::{CursorError, Flaw};
pub use key::CursorKey;
pub use sort::Sort;

/// The longest text that is read as a cursor.
///
/// It has room for every cursor that a store can cause: the key of a table and the eight attributes that the key of an
/// index may have, of which JSON makes six bytes for each control character, and base64 four for each three.
///
/// ```
/// use tabletheory::cursor::{CURSOR_BYTES_MAX, Cursor, CursorError, Flaw};
///
/// let text = "A".repeat(CURSOR_BYTES_MAX + 1);
/// assert_eq!(Cursor::decode(&text), Err(CursorError::Malformed { flaw: Flaw::TooLong }));
/// ```
pub const CURSOR_BYTES_MAX: usize = 160 * 1024;

/// Where a query or scan stopped.
///
/// ```
/// use tabletheory::cursor::{Cursor, Sort};
/// use tabletheory_core::{Item, Value};
///
/// // A page ended; the client gets a text for the next one.
/// let last_key = Item::from([("PK", Value::s("USER#1")), ("SK", Value::s("ORDER#17"))]);
/// let cursor = Cursor { last_key, index: None, sort: Some(Sort::Descending) };
/// let text = cursor.encode();
///
/// // It comes back with that text.
/// let found = Cursor::decode(&text)?.expect("the text is not empty");
/// found.check(None, Some(Sort::Descending))?;
/// assert_eq!(found.last_key, cursor.last_key);
/// # Ok::<(), tabletheory::cursor::CursorError>(())
/// ```
///
/// # Format
///
/// A plain cursor is base64url, with padding, of
///
/// ```json
/// {"lastKey":{"PK":{"S":"USER#1"},"SK":{"S":"PROFILE"}},"index":"gsi-email","sort":"ASC"}
/// ```
///
/// compact, attributes in the order of their names, values in DynamoDB JSON, `<`, `>`, `&`, U+2028 and U+2029 escaped as
/// Go escapes them, `index` and `sort` only if there are any. No key is the empty text: no more pages. Members that are
/// not known are passed over, so that later toolkits may add some.
///
/// TypeScript and Python do not escape, Go writes the order as its caller spelled it, and the members of a set have an
/// order here and none there: compare cursors as [`Cursor`], not as text.
///
/// A signed cursor is `v1.<plain>.<signature>`; [`CursorKey`] tells what it protects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The key of the last item that was read: the next page starts after it.
    pub last_key: Item,
    /// The index that was read, if not the table itself.
    pub index: Option<String>,
    /// The order of the query. A scan has none.
    pub sort: Option<Sort>,
}

impl Cursor {
    /// The plain text of this cursor; empty if there is no key, which means no more pages.
    ///
    /// ```
    /// use tabletheory::cursor::Cursor;
    /// use tabletheory_core::{Item, Value};
    ///
    /// let cursor = Cursor { last_key: Item::from([("PK", Value::s("USER#solo"))]), index: None, sort: None };
    /// assert_eq!(cursor.encode(), "eyJsYXN0S2V5Ijp7IlBLIjp7IlMiOiJVU0VSI3NvbG8ifX19");
    /// assert_eq!(Cursor::default().encode(), "");
    /// ```
    #[must_use]
    pub fn encode(&self) -> String {
        if self.last_key.is_empty() {
            return String::new();
        }
        text::write(&self.last_key, self.index.as_deref(), self.sort)
    }

    /// Reads a plain cursor; none if the text is empty or holds no key, which means the first page.
    ///
    /// Nothing protects a plain cursor: a client can put any key into it, so the query that it continues must not show
    /// more than the client may see from any key. [`Cursor::open`] reads signed ones.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, Sort};
    ///
    /// // A link lost the padding, and Go wrote the order as its caller did.
    /// let found = Cursor::decode("eyJsYXN0S2V5Ijp7InBrIjp7Ik4iOiIxMCJ9fSwic29ydCI6ImRlc2MifQ")?;
    /// assert_eq!(found.and_then(|cursor| cursor.sort), Some(Sort::Descending));
    /// assert_eq!(Cursor::decode("")?, None);
    /// # Ok::<(), tabletheory::cursor::CursorError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CursorError::Malformed`], and [`CursorError::Signed`] for a signed cursor.
    pub fn decode(text: &str) -> Result<Option<Self>, CursorError> {
        let text = trimmed(text)?;
        if key::is_sealed(text) {
            return Err(CursorError::Signed);
        }
        Self::read(text)
    }

    /// The signed text of this cursor; empty if there is no key, which means no more pages.
    ///
    /// `scope` is what the cursor is good for, such as the tenant, the principal and the name of the query. It is not part
    /// of the text: whoever reads the cursor has to know it.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, CursorKey};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let cursor = Cursor { last_key: Item::from([("pk", Value::s("USER#1"))]), index: None, sort: None };
    /// let text = cursor.sign(&CursorKey::new([7; 32]), &["tenant-1", "orders"]);
    /// assert!(text.starts_with(&format!("v1.{}.", cursor.encode())));
    /// ```
    #[must_use]
    pub fn sign(&self, key: &CursorKey, scope: &[&str]) -> String {
        if self.last_key.is_empty() {
            return String::new();
        }
        key.seal(&self.encode(), scope)
    }

    /// Reads a signed cursor; none if the text is empty, which means the first page and needs no signature.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, CursorError, CursorKey};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let cursor = Cursor { last_key: Item::from([("pk", Value::s("USER#1"))]), index: None, sort: None };
    /// let key = CursorKey::new([7; 32]);
    /// assert_eq!(Cursor::open(&cursor.encode(), &key, &["tenant-1"]), Err(CursorError::Unsigned));
    /// assert_eq!(Cursor::open(&cursor.sign(&key, &["tenant-1"]), &key, &["tenant-1"]), Ok(Some(cursor)));
    /// ```
    ///
    /// # Errors
    ///
    /// [`CursorError::Unsigned`] for a plain cursor, [`CursorError::Forged`] if the signature is not that of this text and
    /// this scope, [`CursorError::Malformed`] for a text that is too long.
    pub fn open(text: &str, key: &CursorKey, scope: &[&str]) -> Result<Option<Self>, CursorError> {
        let text = trimmed(text)?;
        if text.is_empty() {
            return Ok(None);
        }
        Self::read(key.unseal(text, scope)?)
    }

    /// Reads a signed cursor or a plain one.
    ///
    /// This is for the time in which clients still hold plain cursors, or other toolkits write them. While it lasts there
    /// is no protection, because a client can take the signature away.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, CursorError, CursorKey};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let cursor = Cursor { last_key: Item::from([("pk", Value::s("USER#1"))]), index: None, sort: None };
    /// let key = CursorKey::new([7; 32]);
    /// let signed = cursor.sign(&key, &["tenant-1"]);
    /// assert_eq!(Cursor::open_or_decode(&signed, &key, &["tenant-2"]), Err(CursorError::Forged));
    /// assert_eq!(Cursor::open_or_decode(&cursor.encode(), &key, &["tenant-1"]), Ok(Some(cursor)));
    /// ```
    ///
    /// # Errors
    ///
    /// [`CursorError::Forged`] if there is a signature and it is wrong, [`CursorError::Malformed`].
    pub fn open_or_decode(text: &str, key: &CursorKey, scope: &[&str]) -> Result<Option<Self>, CursorError> {
        let text = trimmed(text)?;
        if key::is_sealed(text) { Self::read(key.unseal(text, scope)?) } else { Self::read(text) }
    }

    /// Checks that this cursor is one of the query at hand: of the same index, and in the same order.
    ///
    /// What a cursor does not say is not compared, as in the other toolkits: a scan writes no order, and Go none when the
    /// caller gave none. The store itself refuses a key that does not fit. A scan passes no order.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, CursorError, Sort};
    ///
    /// let cursor = Cursor { index: Some("gsi-email".to_owned()), sort: Some(Sort::Ascending), ..Cursor::default() };
    /// assert_eq!(cursor.check(Some("gsi-email"), Some(Sort::Ascending)), Ok(()));
    /// assert_eq!(cursor.check(None, None), Err(CursorError::OtherIndex { query: None }));
    /// let query = Sort::Descending;
    /// assert_eq!(cursor.check(Some("gsi-email"), Some(query)), Err(CursorError::OtherOrder { query }));
    /// ```
    ///
    /// # Errors
    ///
    /// [`CursorError::OtherIndex`] and [`CursorError::OtherOrder`].
    pub fn check(&self, index: Option<&str>, sort: Option<Sort>) -> Result<(), CursorError> {
        if self.index.is_some() && self.index.as_deref() != index {
            return Err(CursorError::OtherIndex { query: index.map(str::to_owned) });
        }
        match (self.sort, sort) {
            (Some(cursor), Some(query)) if cursor != query => Err(CursorError::OtherOrder { query }),
            _ => Ok(()),
        }
    }

    /// Reads the plain form.
    fn read(plain: &str) -> Result<Option<Self>, CursorError> {
        if plain.is_empty() {
            return Ok(None);
        }
        let text::Content { last_key, index, sort } = text::read(plain)?;
        Ok(Some(Self { last_key, index, sort }).filter(|cursor| !cursor.last_key.is_empty()))
    }
}

/// `text` without the blanks around it, if it is not too long to look at.
fn trimmed(text: &str) -> Result<&str, CursorError> {
    if text.len() > CURSOR_BYTES_MAX {
        return Err(CursorError::Malformed { flaw: Flaw::TooLong });
    }
    Ok(text.trim())
}
