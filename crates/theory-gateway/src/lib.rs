//! The gateway in front of any HTTP application: pages are kept and regenerated once for a whole fleet, callers are limited,
//! repeated requests answered once. It chooses implementations, opens sockets and spawns tasks; crates below do neither.

pub mod admin;
pub mod answer;
pub mod asked;
pub mod cache;
pub mod config;
pub mod door;
pub mod edge;
pub mod gateway;
pub mod origin;
pub mod page;
pub mod pass;
pub mod refusal;
pub mod run;
pub mod settings;
pub mod sitemap;
pub mod sites;
pub mod stores;
pub mod telemetry;
