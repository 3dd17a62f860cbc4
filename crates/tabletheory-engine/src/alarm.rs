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

/// Why a thread sleeps no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waking {
    /// Its time is over.
    Over,
    /// It was woken.
    Rung,
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

    /// Waits until the time is over or the alarm rings; `None` tells to end.
    pub(crate) fn wait(&self, span: Duration) -> Option<Waking> {
        let mut state = self.state.lock();
        if !state.rung && !state.ended {
            self.changed.wait_for(&mut state, span);
        }
        let waking = if std::mem::take(&mut state.rung) { Waking::Rung } else { Waking::Over };
        (!state.ended).then_some(waking)
    }
}
