//! The words for keys, values and runs of keys that both media share.

use std::cmp::Ordering;
use std::ops::Bound;

/// Reference-counted bytes; both media store and return them without copying.
pub(crate) type Bytes = fjall::Slice;

/// The longest key, in bytes: the journal stores a key's length in 16 bits.
pub(crate) const KEY_BYTES_MAX: usize = 65_535;

/// The one key that no batch may use: it is deleted, though never there, to make a space write a new table file.
pub(super) const KEY_NEVER_THERE: &[u8] = b"\xff\xff\xff\xffkv";

/// The order in which a range is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the smallest key up.
    Forward,
    /// From the largest key down.
    Backward,
}

/// Where a range begins and ends, in key order whatever the direction.
pub(crate) type Bounds<'key> = (Bound<&'key [u8]>, Bound<&'key [u8]>);

/// Whether no key can lie within `bounds`. Both media want to be asked for sensible ranges only.
pub(super) fn is_empty(bounds: Bounds<'_>) -> bool {
    match bounds {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low.cmp(high) != Ordering::Less
        }
    }
}
