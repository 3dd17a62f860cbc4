//! Rate limits on any store: one call decides, and tells the true count.

mod calendar;
mod decision;
mod error;
mod limit;
mod policy;
mod subject;

pub use calendar::Calendar;
pub use decision::{Decision, Source, Standing, Verdict};
pub use error::Error;
pub use limit::{Limit, Rule};
pub use policy::Policy;
pub use subject::Subject;

// The HTTP side.
mod address;
mod decisions;
mod headers;
mod secret;

mod identity;
mod problem;
mod rule;

mod gate;
mod layer;
mod service;

pub use address::ClientAddress;
pub use decisions::RateLimitDecisions;
pub use headers::{HeaderStyle, ResetStyle};
pub use identity::{Identity, Missing};
pub use layer::RateLimitLayer;
pub use rule::RateLimitRule;
pub use secret::SecretKey;
pub use service::RateLimit;

