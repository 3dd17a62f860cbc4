//! What the store over AWS promises, seen from outside: the contract, what failures mean, and what the log says.

mod answers;
mod client;
mod contract;
mod failures;
mod log;
mod requests;
mod server;
