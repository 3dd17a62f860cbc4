//! The same application as a function of AWS Lambda: routes, rate limits, idempotent requests and pages, initialised once, with
//! the remaining time of each invocation respected.
//!
//! ```no_run
//! use axum::Router;
//! use axum::routing::get;
//! use facetheory::Policy;
//! use tabletheory_core::Seconds;
//! use theory_lambda::{Error, Function, PageRoute, Process, Site};
//!
//! async fn init(process: Process) -> Result<Function, Box<dyn std::error::Error + Send + Sync>> {
//!     let isr = process.isr(&process.db().await?)?;
//!     let app = Router::new().route("/news/{slug}", get(|| async { "<h1>News" }));
//!     let site = Site::new("news").page("/news/{slug}", PageRoute::new(Policy::fresh_for(Seconds(60))));
//!     let pages = site.serve(&process, isr, app)?.regenerating(process.regeneration().await?);
//!     Ok(Function::http(pages.clone()).regenerations(pages))
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Error> {
//!     theory_lambda::run(init).await
//! }
//! ```
//!
//! # Time
//!
//! Lambda kills a function at the end of its time and freezes it after each answer, so nothing may run into the one or beside the
//! other. Each invocation ends in steps, a buffer apart (half a second, [`Process::with_buffer`]): two buffers before its end
//! renders are given up, with their lease given back; one before, calls of the store ([`Process::db`]) and of the queue; half a
//! one before, the answer is 503 with `Retry-After`, whatever it waits for. What was begun and could not be ended is taken over by
//! the next who comes: leases and claims expire.
//!
//! # What goes on beside an answer
//!
//! Nothing. A stale page is rendered before its visitor is answered ([`Regeneration::Await`]; for ten seconds at most,
//! [`Pages::awaiting_at_most`]), or one message asks another invocation for it ([`Regeneration::Queue`]): many who find the same page stale send the same message, and it is rendered once.
//! If the queue does not take it, it is awaited. An `idempotent::IdempotencyLayer` does its work in a task of its own unless it is told
//! otherwise: tell it to work [in place](idempotent::IdempotencyLayer::in_place), so that a handler whose time is over ends with its
//! invocation and is not thawed within the next.
//!
//! # Who calls
//!
//! The client's address is the one in the event's request context, an extension of the request as `limited::ClientAddress::socket`
//! wants it; no header is read for it. An Application Load Balancer says it in no other place than `X-Forwarded-For`, so behind one
//! it is `ClientAddress::behind_hops(1)`.
//!
//! # What is not here
//!
//! Answers are given whole: Lambda takes six megabytes, a load balancer one, and response streaming is not spoken. One process answers
//! one invocation at a time, as Lambda calls it, so `AWS_LAMBDA_MAX_CONCURRENCY` is not used.
//!
//! # Building
//!
//! Lambda runs a program called `bootstrap`, built for its machines: `cargo lambda build --release --arm64`, or cargo with the target
//! `aarch64-unknown-linux-gnu` and a linker for it.
//!
//! | module | what it is for |
//! |---|---|
//! | `process`, `time`, `store`, `figures` | one process: its environment, its time, what it counts |
//! | `event`, `answer`, `application` | what Lambda calls with, what it gets, and who makes it |
//! | `site`, `page`, `message`, `queue` | pages, and those who render them elsewhere |
//! | `archive` | what time to live removed |
//! | `in_time` | handlers that end before their time |
//! | `function`, `run` | all of it as a function |
//! | `testing` | a server that speaks Lambda's runtime API, with the feature of that name |

mod answer;
mod application;
mod archive;
mod error;
mod event;
mod figures;
mod function;
mod in_time;
mod message;
mod page;
mod process;
mod queue;
mod refusal;
mod run;
mod site;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod time;

pub use error::{BoxError, Error};
pub use figures::Figures;
pub use function::Function;
pub use in_time::{InTime, InTimeLayer};
pub use message::{MessageError, RegenerationMessage};
pub use page::{Pages, RegenerateError};
pub use process::Process;
pub use queue::{Regeneration, RegenerationQueue, Sending, SqsQueue};
pub use run::run;
pub use site::Site;
pub use time::Invocation;

pub use lambda_http;
pub use theory_gateway::settings::{Chosen, KeyRule, PageRoute};

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
