//! Room for copies of bodies that are under way: many large answers at once must not take more memory than what is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes are left.
#[derive(Debug)]
pub(super) struct Room(AtomicUsize);

/// Bytes that are taken. They are given back with this.
#[derive(Debug)]
pub(super) struct Taken {
    room: Arc<Room>,
    bytes: usize,
}

impl Room {
    pub(super) fn of(bytes: usize) -> Arc<Self> {
        Arc::new(Self(AtomicUsize::new(bytes)))
    }

    /// Nothing yet.
    pub(super) fn none(self: &Arc<Self>) -> Taken {
        Taken { room: Arc::clone(self), bytes: 0 }
    }
}

impl Taken {
    /// Takes so many more, if they are there.
    pub(super) fn extend(&mut self, bytes: usize) -> bool {
        let left = |left: usize| left.checked_sub(bytes);
        let is_there = self.room.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok();
        if is_there {
            self.bytes += bytes;
        }
        is_there
    }

    /// How many are taken.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.room.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_what_others_have_until_it_is_given_back() {
        let room = Room::of(10);
        let (mut first, mut second) = (room.none(), room.none());
        assert!(first.extend(6) && !second.extend(5) && second.extend(4) && !first.extend(1));
        drop(first);
        assert!(second.extend(6) && second.bytes() == 10);
    }
}
