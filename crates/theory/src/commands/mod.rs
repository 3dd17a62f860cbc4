//! The commands, one file each.

mod answered;
pub(crate) mod archive;
pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod copy;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod dynamodb;
mod flags;
pub(crate) mod leases;
pub(crate) mod limits;
pub(crate) mod man;
pub(crate) mod pages;
pub(crate) mod requests;
pub(crate) mod serve;
pub(crate) mod synth;
pub(crate) mod tables;
