//! Idempotent requests on any store: the handler runs once, and everyone gets its answer.

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
mod replay;
mod settings;

mod cache;
mod rule;
mod send;
mod standing;
mod stored;
mod tenure;
mod write;

mod body;
mod machine;
mod recall;

mod attempt;
mod claim;
mod guard;

mod consume;
mod process;

pub use attempt::{Attempt, Completion, Failure, Release};
pub use body::Bodies;
pub use claim::Claim;
pub use consume::Consumer;
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use guard::Guarded;
pub use intent::Intent;
pub use keep::Keep;
pub use key::{IdempotencyKey, KEY_BYTES_MAX, KeyError};
pub use machine::Idempotency;
pub use orphan::{Orphan, Orphans, Recover, Recovery};
pub use process::{ProcessError, Processed};
pub use replay::Replay;
pub use response::{KeptHeaders, Response};
pub use scope::{KeyScheme, RouteScope, Scope, TenantScope};
pub use settings::Settings;
