//! What reaches an application through the edge, and what does not.

mod canary;
mod early;
mod flood;
mod http2;
mod limits;
mod smuggling;
mod stopping;
mod switch;
mod talk;
mod tls;
