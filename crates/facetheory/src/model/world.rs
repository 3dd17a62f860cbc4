//! The model's fixed parts: what does not change from state to state.

use super::scenario::Scenario;
use super::server::Server;
use super::sight::Sights;

/// The model of one page.
#[derive(Debug)]
pub(super) struct World {
    pub(super) scenario: Scenario,
    pub(super) server: Server,
    pub(super) sights: Sights,
}

impl World {
    pub(super) fn new(scenario: Scenario) -> Self {
        let server = Server::new(scenario.rules());
        Self { scenario, server, sights: Sights::default() }
    }
}
