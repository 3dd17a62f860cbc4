//! Writes that are applied together.

use super::range::{Bytes, KEY_BYTES_MAX, KEY_NEVER_THERE};

/// Writes that will be applied together. The last write to a key wins.
///
/// `S` is how a space is held; a medium is told how to find its own in it.
#[derive(Debug)]
pub(crate) struct Batch<S> {
    pub(super) writes: Vec<Write<S>>,
    bytes: usize,
}

/// One write of a batch.
#[derive(Debug)]
pub(super) struct Write<S> {
    pub(super) space: S,
    pub(super) key: Bytes,
    /// `None` deletes the key.
    pub(super) value: Option<Bytes>,
}

impl<S> Default for Batch<S> {
    fn default() -> Self {
        Self { writes: Vec::new(), bytes: 0 }
    }
}

impl<S: Clone> Batch<S> {
    /// Sets `key` to `value`.
    pub(crate) fn put(&mut self, space: &S, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.push(space, key.into(), Some(value.into()));
    }

    /// Removes `key`; removing what is not there is no error.
    pub(crate) fn delete(&mut self, space: &S, key: impl Into<Bytes>) {
        self.push(space, key.into(), None);
    }

    /// Puts the first `count` writes behind the others.
    pub(crate) fn move_to_end(&mut self, count: usize) {
        self.writes.rotate_left(count);
    }

    /// Forgets all writes, and keeps room for so many.
    pub(crate) fn clear(&mut self, room: usize) {
        self.writes.clear();
        self.writes.shrink_to(room);
        self.bytes = 0;
    }

    /// Takes all writes out, in order.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Write<S>> {
        self.bytes = 0;
        self.writes.drain(..)
    }

    /// How many writes it holds.
    pub(crate) fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether it holds no write.
    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Bytes of all keys and values in it.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, space: &S, key: Bytes, value: Option<Bytes>) {
        assert!((1..=KEY_BYTES_MAX).contains(&key.len()), "a key has 1 to {KEY_BYTES_MAX} bytes");
        assert!(*key != *KEY_NEVER_THERE, "the key {KEY_NEVER_THERE:?} is the store's own");
        let value_bytes = value.as_ref().map_or(0, |value| value.len());
        assert!(u32::try_from(value_bytes).is_ok(), "a value's length fits 32 bits");
        self.bytes += key.len() + value_bytes;
        self.writes.push(Write { space: space.clone(), key, value });
    }
}
