//! What a listing shows, told apart: bodies of ours, leftovers of writes that were cut short, and what belongs to others.

use tabletheory_core::Timestamp;

use super::key::BodyKey;

/// One thing that lies below the prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Where it lies below the prefix.
    pub(super) pointer: String,
    /// Its length in bytes.
    pub(super) len: u64,
    /// When it was written, by the clock of the store.
    pub(super) modified: Timestamp,
}

/// What it is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A body that [`BodyKey`] names.
    Body,
    /// A temporary file of such a body: `<key>#<number>`, as `object_store` names them.
    Leftover,
    /// Neither: somebody else put it there.
    Foreign,
}

impl Listed {
    /// What it is.
    pub(super) fn kind(&self) -> Kind {
        match leftover_of(&self.pointer) {
            Some(key) if BodyKey::is_shape_of(key) => Kind::Leftover,
            None if BodyKey::is_shape_of(&self.pointer) => Kind::Body,
            _ => Kind::Foreign,
        }
    }
}

/// The pointer whose temporary file this is, if it is named like one.
pub(super) fn leftover_of(pointer: &str) -> Option<&str> {
    let (pointer, number) = pointer.rsplit_once('#')?;
    (!number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())).then_some(pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pointer: &str, expected: Kind) {
        let listed = Listed { pointer: pointer.to_owned(), len: 0, modified: Timestamp::from_seconds(0) };
        assert_eq!(listed.kind(), expected, "{pointer}");
    }

    #[test]
    fn the_name_tells_what_a_file_is() {
        let key = BodyKey::new("p", "t").as_str().to_owned();
        check(&key, Kind::Body);
        check(&format!("{key}#1"), Kind::Leftover);
        check(&format!("{key}#12"), Kind::Leftover);
        check(&format!("{key}#"), Kind::Foreign);
        check(&format!("{key}#x"), Kind::Foreign);
        check("README.md", Kind::Foreign);
        check("isr/abc/123-uuid.html", Kind::Foreign);
        check("notes#1", Kind::Foreign);
    }
}
