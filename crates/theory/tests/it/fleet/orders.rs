//! What a worker of the fleet is told: plain data in an environment variable. Both sides know it, and the pages.

use std::path::PathBuf;
use std::time::Duration;

use facetheory::{Mode, PageKey, Policy};
use serde::{Deserialize, Serialize};
use tabletheory_core::Seconds;

/// The variable with the orders.
pub(super) const ORDERS: &str = "THEORY_FLEET_WORKER";

/// The lease of every page. A worker that stops for longer loses it.
pub(super) const LEASE_SECONDS: u32 = 3;

/// What a worker is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Orders {
    pub(super) endpoint: String,
    /// The folder of the bodies, which all workers share.
    pub(super) bodies: PathBuf,
    /// The file with the version of the content: the origin.
    pub(super) origin: PathBuf,
    /// Where it says what happened: one write to the operating system for each line, so nothing said is lost.
    pub(super) said: PathBuf,
    /// By how many seconds its clock is wrong, and the right time when it was started, in milliseconds since 1970.
    pub(super) skew: i64,
    pub(super) now_ms: i64,
}

/// A page that the fleet serves.
#[derive(Debug, Clone, Copy)]
pub(super) struct FleetPage {
    pub(super) path: &'static str,
    mode: Mode,
    clock_skew: Seconds,
    versions: bool,
}

/// The pages: two that every visitor waits for or nobody does, for workers who know how wrong clocks are; and two for
/// workers who do not.
pub(super) const PAGES: [FleetPage; 4] = [
    FleetPage { path: "/blocking", mode: Mode::Blocking, clock_skew: Seconds(300), versions: false },
    FleetPage { path: "/background", mode: Mode::Background, clock_skew: Seconds(300), versions: false },
    FleetPage { path: "/strict", mode: Mode::Blocking, clock_skew: Seconds(5), versions: false },
    FleetPage { path: "/versions", mode: Mode::Background, clock_skew: Seconds(5), versions: true },
];

impl FleetPage {
    pub(super) fn key(self) -> PageKey {
        PageKey::path(self.path)
    }

    pub(super) fn policy(self) -> Policy {
        Policy {
            lease: Seconds(LEASE_SECONDS.into()),
            wait: Duration::from_secs(5),
            render_max: Duration::from_secs(10),
            mode: self.mode,
            clock_skew: self.clock_skew,
            versions: self.versions,
            ..Policy::fresh_for(Seconds(2))
        }
    }
}
