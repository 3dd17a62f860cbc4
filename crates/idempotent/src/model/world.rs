//! The model's fixed parts: what does not change from state to state.

use super::rules::Rules;
use super::scenario::Scenario;
use super::server::Server;

/// A scenario and the table it happens in.
#[derive(Debug)]
pub(super) struct World {
    pub(super) scenario: Scenario,
    pub(super) server: Server,
}

impl World {
    pub(super) fn new(scenario: Scenario) -> Self {
        let server = Server::new(Rules::new(scenario.seed, scenario.keep));
        Self { scenario, server }
    }
}
