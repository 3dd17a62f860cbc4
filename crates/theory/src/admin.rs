//! The admin API of a running gateway, as the commands ask it: where it is, who asks, and what its answers mean to a person.

mod client;
mod lines;
mod list;
mod place;
mod query;
mod refusal;

pub(crate) use client::Gateway;
pub(crate) use list::{Listing, Range, listing};
pub(crate) use place::Place;
