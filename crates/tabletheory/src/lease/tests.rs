//! Leases on the real engine, and on an engine whose answers are lost, refused or never come.

mod faults;
mod guard;
mod race;
mod row;
mod wait;
mod world;
