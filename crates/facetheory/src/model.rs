//! A model of the protocol: workers with clocks that differ, requests that are late or doubled, answers that are lost, crashes,
//! purges, the sweep, and time to live. The requests are those that `meta::transaction` builds, and their conditions are
//! evaluated as the store evaluates them; so a change of a rule is a change of the model.

mod action;
mod check;
mod delivery;
mod law;
mod recipe;
mod rows;
mod rules;
mod scenario;
mod seed;
mod server;
mod sight;
mod state;
mod worker;
mod world;

mod holds;
mod unsafe_variants;
