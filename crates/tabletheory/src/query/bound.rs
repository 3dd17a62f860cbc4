//! Texts at the ends of ranges. The service has one predicate for the sort key, and BETWEEN includes both its ends; so an
//! end that does not belong to the range is replaced by its neighbour. Keys sort by their bytes in UTF-8, which is the
//! order of their code points; no part of a key contains the last one.

use crate::key::LAST;

/// The first text after this one.
pub(super) fn after(text: &str) -> String {
    format!("{text}\0")
}

/// A text before this one, with no key between them.
pub(super) fn before(text: &str) -> String {
    let mut rest = text.chars();
    let last = rest.next_back();
    let rest = rest.as_str();
    match last.and_then(previous) {
        Some(previous) => format!("{rest}{previous}{LAST}"),
        None => rest.to_owned(),
    }
}

/// A text after every key that begins with this one, with no other key between.
pub(super) fn end(prefix: &str) -> String {
    format!("{prefix}{LAST}")
}

/// The code point before this one: surrogates are none.
fn previous(point: char) -> Option<char> {
    ('\0'..point).next_back()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn neighbours_of_a_text() {
        assert_eq!(after("AT#1"), "AT#1\0");
        assert_eq!(before("AT#1"), "AT#0\u{10FFFF}");
        assert_eq!(before("AT#\0"), "AT#");
        assert_eq!(before("AT#\u{E000}"), "AT#\u{D7FF}\u{10FFFF}");
        assert_eq!(end("AT#"), "AT#\u{10FFFF}");
    }

    proptest! {
        #[test]
        fn nothing_lies_between_a_text_and_its_neighbours(
            text in "[\0-\u{10FFFE}]{1,4}",
            tail in "[\0-\u{10FFFE}]{0,3}",
            other in "[\0-\u{10FFFE}]{1,4}",
        ) {
            for other in [other, format!("{text}{tail}"), format!("{}{tail}", &text[..text.len() - last(&text)])] {
                prop_assert_eq!(other > text, other >= after(&text));
                prop_assert_eq!(other < text, other <= before(&text));
                prop_assert_eq!(other > text && !other.starts_with(&text), other > end(&text));
            }
        }
    }

    fn last(text: &str) -> usize {
        text.chars().next_back().map_or(0, char::len_utf8)
    }
}
