//! The server as clients meet it, over real sockets: what bad input gets, what becomes of a connection, how it stops.

mod bad_input;
mod connections;
mod signatures;
mod stopping;
mod stores;
mod talk;
