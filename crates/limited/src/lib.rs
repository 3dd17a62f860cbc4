//! Rate limits on any store: one call decides, and tells the true count.

mod algorithm;
mod alone;
mod calendar;
mod counter;
mod decide;
mod decision;
mod error;
mod gauge;
mod lease;
mod limit;
mod limiter;
mod memory;
mod outage;
mod policy;
mod receipt;
mod record;
mod refund;
mod reserve;
mod settings;
mod several;
mod shard;
mod state;
mod subject;
mod tally;
mod whole_row;

pub use calendar::Calendar;
pub use decision::{Decision, Source, Standing, Verdict};
pub use error::Error;
pub use limit::{AMOUNT_MAX, LOG_MAX, Limit, PERIOD_MAX, Rule};
pub use limiter::Limiter;
pub use policy::Policy;
pub use reserve::Reservation;
pub use settings::{LimiterSettings, OnFailure};
pub use several::Ask;
pub use subject::Subject;
pub use tally::Counts;

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
