//! Routes that follow HTTP's own rules, in front of origins that are played here, and in front of the origin of http-cache-tests.

mod world;

mod beside;
mod changed;
mod hardened;
mod kept;
mod purged;
mod refused;
mod stale;
mod suite;
mod together;
