//! The pointer as META names it, checked: others write META too, so its text is taken for a plain relative path or not at all.

use object_store::path::Path;

/// S3 allows 1,024 bytes for a key; the prefix takes its part of them.
pub(super) const POINTER_BYTES_MAX: usize = 1024 - PREFIX_BYTES_MAX - 1;
/// Longest prefix that settings may name.
pub(super) const PREFIX_BYTES_MAX: usize = 127;

/// A relative path without `.`, `..`, empty parts, control characters or backslashes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Pointer(String);

impl Pointer {
    /// The pointer that `text` is, if it is a plain relative path.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // `Path::parse` forgives a slash at either end; a pointer that needs forgiving was not written by a store of ours.
        let plain = text.len() <= POINTER_BYTES_MAX && !text.contains('\\');
        let path = Path::parse(text).ok().filter(|_| plain)?;
        (!path.is_root() && path.as_ref() == text).then(|| Self(text.to_owned()))
    }

    /// The text it was parsed from.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The object's path below `prefix`.
    pub(super) fn below(&self, prefix: &Path) -> Path {
        let parts = prefix.as_ref().split('/').chain(self.0.split('/')).filter(|part| !part.is_empty());
        Path::parse(parts.collect::<Vec<_>>().join("/"))
            .expect("the parts of two plain paths make a plain path")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_relative_paths_are_pointers() {
        for text in [
            "isr/abc/123-uuid.html",
            "a",
            "ä/☃",
            "a b/c%2e",
            "%2e%2e/x",
            "...",
            &"a".repeat(POINTER_BYTES_MAX),
        ] {
            assert_eq!(Pointer::parse(text).as_ref().map(Pointer::as_str), Some(text));
        }
    }

    #[test]
    fn anything_else_is_not() {
        let long = "a/".repeat(5_000) + "a";
        let hostile = [
            "",
            "/",
            ".",
            "..",
            "../../etc/passwd",
            "/etc/passwd",
            "a/",
            "a//b",
            "a/./b",
            "a/../b",
            "a\0b",
            "a\nb",
        ];
        for text in
            hostile.iter().copied().chain(["a\\..\\b", "C:\\x", &long, &"a".repeat(POINTER_BYTES_MAX + 1)])
        {
            assert_eq!(Pointer::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_prefix_goes_before_it() {
        let pointer = Pointer::parse("x/%41").unwrap();
        assert_eq!(pointer.below(&Path::parse("pages/v1").unwrap()).as_ref(), "pages/v1/x/%41");
        assert_eq!(pointer.below(&Path::default()).as_ref(), "x/%41");
    }

    proptest! {
        #[test]
        fn no_pointer_leaves_its_prefix(text in "[./\\\\a%\\x00]{0,12}") {
            if let Some(pointer) = Pointer::parse(&text) {
                let path = pointer.below(&Path::parse("in/side").unwrap());
                prop_assert!(path.as_ref().starts_with("in/side/"));
                prop_assert!(path.as_ref().split('/').all(|part| !part.is_empty() && part != "." && part != ".."));
            }
        }
    }
}
