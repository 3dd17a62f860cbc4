//! What a model is made of: whose rules, how many of everything, and how far clocks differ.

use super::recipe::Moment;

/// For how many seconds a lock holds.
pub(super) const LOCK: Moment = 2;

/// One model.
#[derive(Debug, Clone)]
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Whether the seed's own text stands in the place of our rules.
    pub(super) seed: bool,
    /// How far each worker's clock is ahead.
    pub(super) clocks: Vec<Moment>,
    /// What each worker asks for.
    pub(super) hashes: Vec<u8>,
    /// How often each worker begins.
    pub(super) attempts: u8,
    pub(super) time_max: Moment,
    pub(super) crashes_max: u8,
    /// How often one request is sent whose answer does not come.
    pub(super) sends_max: u8,
    /// Whether requests and answers are lost.
    pub(super) lossy: bool,
    /// How many requests the network delivers once more.
    pub(super) doubles_max: u8,
    /// For how many seconds a record is kept.
    pub(super) keep: Moment,
    /// Whether workers give claims back and fail.
    pub(super) gives_up: bool,
    /// Whether locks are made longer.
    pub(super) beats: bool,
}

impl Scenario {
    /// Two workers with one request, without trouble.
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            seed: false,
            clocks: vec![0, 0],
            hashes: vec![0, 0],
            attempts: 1,
            time_max: 5,
            crashes_max: 0,
            sends_max: 1,
            lossy: false,
            doubles_max: 0,
            keep: 100,
            gives_up: false,
            beats: false,
        }
    }
}
