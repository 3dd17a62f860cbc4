//! A worker of the fleet: its process and its orders.

use std::path::Path;

use super::orders::{ORDERS, Orders};
use crate::process::{Kind, Process, WrongClock};

const KIND: Kind = Kind { test: "fleet::worker::serves_pages_until_it_is_ended", orders: ORDERS };

/// A worker that was started.
#[derive(Debug)]
pub(super) struct Worker {
    process: Process,
    orders: Orders,
}

impl Worker {
    /// Starts a worker; `faketime` is the library that moves its clock.
    pub(super) fn start(orders: Orders, faketime: &Path) -> Self {
        let clock = WrongClock { faketime, skew: orders.skew };
        Self { process: Process::start(KIND, &orders, Some(clock)), orders }
    }

    /// Ends it, in the middle of whatever it does, and gives the orders back.
    pub(super) fn kill(self) -> Orders {
        self.orders
    }

    /// Stops it for so many seconds.
    pub(super) fn stop_for(&mut self, seconds: u32) {
        self.process.stop_for(seconds);
    }

    /// Whether it is stopped now.
    pub(super) fn is_stopped(&mut self) -> bool {
        self.process.is_stopped()
    }

    /// Whether it runs: a worker never ends by itself.
    pub(super) fn is_alive(&mut self) -> bool {
        self.process.is_alive()
    }

    /// By how many seconds its clock is wrong, which tells it from the others.
    pub(super) fn name(&self) -> i64 {
        self.orders.skew
    }

    /// All that workers with these orders have said.
    pub(super) fn said(&self) -> String {
        std::fs::read_to_string(&self.orders.said).unwrap_or_default()
    }
}
