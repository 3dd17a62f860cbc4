//! The bodies: the same bytes for the same size, whoever sends them.

const SENTENCE: &str = "A page that was rendered once and is served many times. ";

/// A body of so many bytes.
pub(crate) fn body(bytes: usize) -> Vec<u8> {
    SENTENCE.bytes().cycle().take(bytes).collect()
}
