//! Rate limits on any store: one call decides, and tells the true count.

mod calendar;
mod decision;
mod error;
mod limit;
mod policy;
mod record;
mod subject;
mod windows;

pub use calendar::Calendar;
pub use decision::{Decision, Source, Standing, Verdict};
pub use error::Error;
pub use limit::{Limit, Rule};
pub use policy::Policy;
pub use record::{IndexedRateLimitRecord, RateLimitRecord};
pub use subject::Subject;
pub use windows::{Counted, Windows};
