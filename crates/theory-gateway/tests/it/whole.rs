//! The gateway as its settings say, from the socket to the application and back.

mod names;
mod reload;
mod stopping;
mod streams;
mod world;
