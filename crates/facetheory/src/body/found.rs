//! What came of looking for a body.

use bytes::Bytes;

/// What lies where a pointer leads.
pub(super) enum Found {
    /// There is nothing, or it is not a body, or a link leads to it.
    Nothing,
    /// Its length is not the one that was asked for.
    OtherLength,
    /// It is longer than what may be read.
    TooLarge(u64),
    /// Its bytes.
    Bytes(Bytes),
}
