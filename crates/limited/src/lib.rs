//! Rate limits on any store: one call decides, and tells the true count.

mod algorithm;
mod alone;
mod calendar;
mod counter;
mod decision;
mod error;
mod gauge;
mod lease;
mod limit;
mod limiter;
mod memory;
mod policy;
mod receipt;
mod record;
mod reserve;
mod settings;
mod several;
pub mod slots;
mod state;
mod subject;
mod tally;
mod whole_row;
mod windows;

pub use calendar::Calendar;
pub use decision::{Decision, Source, Standing, Verdict};
pub use error::Error;
pub use limit::{AMOUNT_MAX, LOG_MAX, Limit, PERIOD_MAX, Rule};
pub use limiter::Limiter;
pub use policy::Policy;
pub use record::{IndexedRateLimitRecord, RateLimitRecord};
pub use reserve::Reservation;
pub use settings::{LimiterSettings, OnFailure};
pub use several::Ask;
pub use subject::Subject;
pub use tally::Counts;
pub use windows::{Counted, Windows};
