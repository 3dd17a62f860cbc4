//! The gateway in front of any HTTP application: pages are kept and regenerated once for a whole fleet, callers are limited,
//! repeated requests answered once. It chooses implementations, opens sockets and spawns tasks; crates below do neither.
//!
//! A request on its way: [`edge`] (sockets, framing, deadlines) → [`asked`] (one host, one path, normalised once) → `gateway` (whose
//! site, which route) → [`door`] (limits, idempotency) → [`page`], [`cache`] or [`pass`] → [`origin`].
//!
//! | module | what it is for |
//! |---|---|
//! | [`settings`], [`config`] | everything a gateway is told, and where it is read from |
//! | [`edge`], [`asked`], `request_id`, [`refusal`] | what reaches us, how it is called, and what is refused before anybody else sees it |
//! | `gateway`, `sites`, [`door`] | the way of a request |
//! | [`page`], [`cache`], [`pass`], [`answer`] | the three kinds of routes, and what they answer |
//! | [`origin`], `sitemap` | the application behind, and the pages it names |
//! | `stores` | rows and bodies, as chosen |
//! | [`telemetry`], `admin`, `otlp` | what happens, for programs and people |
//! | [`run`] | all of it, started and stopped |

mod admin;
pub mod answer;
pub mod asked;
pub mod cache;
pub mod config;
pub mod door;
pub mod edge;
mod gateway;
pub mod origin;
#[cfg(feature = "otlp")]
mod otlp;
pub mod page;
pub mod pass;
pub mod refusal;
mod request_id;
pub mod run;
pub mod settings;
mod sitemap;
mod sites;
mod stores;
mod tasks;
pub mod telemetry;

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
