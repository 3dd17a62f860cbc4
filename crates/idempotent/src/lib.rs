//! Idempotent requests on any store: the handler runs once, and everyone gets its answer.
//!
//! A client that hears nothing sends its request again. Here the repetition does no work: it is told that the request is under
//! way, or it gets the answer of the first. It is one conditional write to claim a request, one to complete it, and one
//! call or none to replay it.
//!
//! ```
//! use idempotent::{Claim, Guarded, Idempotency, IdempotencyKey, Intent, Response, Scope};
//! use tabletheory::Db;
//!
//! async fn create_order(requests: &Idempotency, intent: &Intent) -> Result<Response, idempotent::Error> {
//!     match requests.claim(intent).await? {
//!         Claim::Granted(attempt) => match attempt.guard(async { b"order 1" }).await {
//!             Guarded::Done(order) => {
//!                 let answer = Response::new(201, &order[..]).expect("a status");
//!                 let _completion = attempt.finish(&answer).await?;
//!                 Ok(answer)
//!             }
//!             Guarded::Lost { .. } => Ok(Response::new(503, "try again").expect("a status")),
//!         },
//!         Claim::Replay(replay) => Ok(replay.response),
//!         Claim::Running { .. } => Ok(Response::new(409, "under way").expect("a status")),
//!         Claim::Mismatch => Ok(Response::new(422, "another request has this key").expect("a status")),
//!         Claim::Orphaned { .. } | Claim::Failed => Ok(Response::new(500, "see the log").expect("a status")),
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let requests = Idempotency::new(Db::memory());
//! requests.create_table().await?;
//!
//! let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
//! let intent = Intent::of_bytes(scope, IdempotencyKey::parse("8e03978e")?, br#"{"item":7}"#);
//! let first = create_order(&requests, &intent).await?;
//! assert_eq!((first.status.as_u16(), &first.body[..]), (201, &b"order 1"[..]));
//! assert_eq!(create_order(&requests, &intent).await?, first);
//! # Ok::<(), idempotent::Error>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//!
//! - While its lock holds, one runs the handler, as long as clocks differ by less than two seconds and a sixth of the lock. A
//!   lock is made longer while the handler works ([`Attempt::guard`]); a handler that cannot keep it is dropped.
//! - An answer is never overwritten before its time is over, and only the owner of the record writes one. The random token is
//!   the fence; clocks only say when a silent attempt may be taken over.
//! - The same key with another request is refused in every state, and never sees an answer.
//! - A handler that dies leaves an orphan, which is done again, refused or asked about: [`Orphans`]. So the handler runs
//!   **at least once** and its answer is given once; what it does elsewhere may happen twice, after a crash. Effects in the same
//!   store happen once, if they are in one transaction with [`Attempt::completion`].
//! - A store that does not answer is an error. Nothing is ever run because nothing could be read.
//! - A write whose answer was lost is sent again and recognises itself. What cannot be settled is [`Completion::Unknown`], or
//!   an error that [is ambiguous](Error::is_ambiguous); nothing is guessed.
//!
//! # Where to look
//!
//! | what | for what |
//! |---|---|
//! | [`Scope`], [`IdempotencyKey`], [`Fingerprint`], [`Intent`] | whose request it is, by which key it is known, and what it asks for |
//! | [`Idempotency`], [`Settings`] | the machine, and how it is set |
//! | [`Claim`], [`Attempt`], [`Completion`], [`Replay`] | one request, from claim to answer |
//! | [`Keep`], [`KeptHeaders`], [`Bodies`] | which answers are kept, what of them, and where |
//! | [`Idempotency::process`], [`Consumer`] | functions and events that happen once |
//! | [`Idempotency::list`], [`Idempotency::show`], [`Idempotency::forget`] | what operators see, and may forget |
//! | [`IdempotencyLayer`] | all of it in front of any `tower` service |
//! | [`record`] | the rows, which are those of the Go services |

mod digest;
mod error;
mod fingerprint;
mod intent;
mod key;
mod moment;
pub mod record;
mod response;
mod scope;

mod keep;
mod orphan;
mod outcome;
mod replay;
mod settings;

mod cache;
mod rule;
mod send;
mod standing;
mod stored;
mod write;

mod body;
mod machine;
mod patience;
mod recall;

mod attempt;
mod claim;
mod complete;
mod guard;
mod through;

mod consume;
mod entry;
mod process;

#[cfg(test)]
mod model;

pub use attempt::Attempt;
pub use body::Bodies;
pub use claim::Claim;
pub use consume::Consumer;
pub use entry::{Entries, Entry, Forgot, Progress};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use guard::Guarded;
pub use intent::Intent;
pub use keep::Keep;
pub use key::{IdempotencyKey, KEY_BYTES_MAX, KeyError};
pub use machine::Idempotency;
pub use orphan::{Orphan, Orphans, Recover, Recovery};
pub use outcome::{Completion, Failure, Release};
pub use process::{ProcessError, Processed};
pub use replay::Replay;
pub use response::{KeptHeaders, Response};
pub use scope::{KeyScheme, RouteScope, Scope, TenantScope};
pub use settings::Settings;

/// The crate whose object stores this one takes, in the version that fits.
pub use object_store;

mod layer;

pub use layer::{IdempotencyLayer, Idempotent, IdempotentBody, OnStoreFailure, StatusStyle, Unperformed};

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
