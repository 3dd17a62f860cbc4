//! A model of the protocol: attempts with clocks that differ, requests that are late, doubled or lost, answers that are lost,
//! crashes and take-overs. The requests are those that `write` builds, and their conditions are evaluated as the store
//! evaluates them; so a change of a rule is a change of the model.

mod law;
mod recipe;
mod rules;
mod runs;
mod scenario;
mod server;
mod state;
mod step;
mod world;
