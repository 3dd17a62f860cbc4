//! What the store over AWS and the keys from KMS promise, seen from outside: the contract, what failures mean, and what the
//! log says.

mod answers;
mod client;
mod contract;
mod db;
mod failures;
mod kms;
mod log;
mod process;
mod requests;
mod server;
