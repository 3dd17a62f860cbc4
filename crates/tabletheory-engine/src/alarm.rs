//! A thread that sleeps and can be woken, or told to end.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Wakes a thread before its time, or tells it to end.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    state: Mutex<AlarmState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct AlarmState {
    rung: bool,
    ended: bool,
}

impl Alarm {
    /// Wakes the thread.
    pub(crate) fn ring(&self) {
        self.state.lock().rung = true;
        self.changed.notify_all();
    }

    /// Tells the thread to end.
    pub(crate) fn end(&self) {
        self.state.lock().ended = true;
        self.changed.notify_all();
    }

    /// Waits until the time is over or the alarm rings. Tells whether to go on.
    pub(crate) fn wait(&self, span: Duration) -> bool {
        let mut state = self.state.lock();
        if !state.rung && !state.ended {
            self.changed.wait_for(&mut state, span);
        }
        state.rung = false;
        !state.ended
    }
}
