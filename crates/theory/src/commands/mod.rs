//! The commands, one file each.

pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod dynamodb;
pub(crate) mod serve;
