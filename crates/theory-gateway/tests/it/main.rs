//! The gateway over real sockets.

mod edge;
