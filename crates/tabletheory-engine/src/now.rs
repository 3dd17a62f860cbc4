//! When a request is answered or a group of writes is made: one time for all of it, read from the clock by whoever asks first. Most
//! ask for none.

use std::cell::OnceCell;

use tabletheory_core::{Clock, Timestamp};

/// The time of one request, or of one group.
#[derive(Debug)]
pub(crate) struct Now<'c> {
    clock: &'c dyn Clock,
    time: OnceCell<Timestamp>,
}

impl<'c> Now<'c> {
    /// The time that the clock will say.
    pub(crate) fn of(clock: &'c dyn Clock) -> Self {
        Self { clock, time: OnceCell::new() }
    }

    /// The time.
    pub(crate) fn get(&self) -> Timestamp {
        *self.time.get_or_init(|| self.clock.now())
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{ManualClock, Seconds};

    use super::*;

    #[test]
    fn it_does_not_move_once_somebody_has_asked() {
        let clock = ManualClock::at(Timestamp::from_seconds(100));
        let now = Now::of(&clock);
        clock.advance(Seconds(5));
        assert_eq!(now.get(), Timestamp::from_seconds(105));
        clock.advance(Seconds(5));
        assert_eq!(now.get(), Timestamp::from_seconds(105));
    }
}
