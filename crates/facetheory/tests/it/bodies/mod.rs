//! Bodies, in every place they can lie.

mod claims;
mod contract;
mod crash;
mod folder;
mod memory;
mod s3_faults;
mod s3_server;
mod scripted;
mod world;
