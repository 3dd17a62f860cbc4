//! Rate limits on any store: one call decides, and tells the true count.
//!
//! The same limits hold for one process on the embedded engine and for a fleet on DynamoDB. Limits are asked by a name and for
//! somebody; everything that is not decided from memory is one `UpdateItem`: an allowed request, the first of a window and a denied
//! one alike.
//!
//! ```
//! use limited::{Limit, Limiter, Policy};
//! use tabletheory::Db;
//!
//! # futures_executor::block_on(async {
//! let limiter = Limiter::new(Db::memory());
//! limiter.create_table().await?;
//!
//! let api = Policy::new("api", ["20/s burst 60".parse()?, "10000/day quota".parse::<Limit>()?])?;
//! let decision = limiter.check(&api, "user:ada", 1).await?;
//! assert!(decision.is_allowed());
//! assert_eq!(decision.limits[0].remaining, 59);
//! # Ok::<(), limited::Error>(()) }).unwrap();
//! ```
//!
//! | rule | in settings | what it keeps |
//! |---|---|---|
//! | bucket (GCRA) | `20/s burst 60` | at most rate × t + burst in any time t |
//! | sliding window | `100/min sliding` | the amount in any period, within a tenth while traffic is even |
//! | sliding log | `10/min log` | exactly the amount in any period; amounts up to 100 |
//! | fixed window | `1000/h fixed` | the amount in each window, twice as much around a boundary |
//! | quota | `1000000/month quota` | the amount in each part of the calendar, UTC |
//!
//! A row is only as good as the clocks of those who write it. A clock that is behind counts in the window that the row is in, and one
//! that is ahead makes others wait for as long; a window that begins more than a minute ahead is not believed and begins anew, so
//! processes whose clocks differ by more than that do not share their limits. Charging is not repeated when its answer is lost, and
//! a request whose charge may have been lost is decided as without a store.
//!
//! | to | use |
//! |---|---|
//! | ask about one or several identifiers | [`Limiter::check`], [`Limiter::check_all`] |
//! | charge what is known only afterwards | [`Limiter::reserve`] |
//! | spend from batches, with hardly any calls | [`Policy::leased`] |
//! | watch before enforcing | [`Policy::shadow`] |
//! | see and forget what was counted | [`Limiter::peek`], [`Limiter::reset`], [`Limiter::counts`] |
//! | say what happens without a store | [`LimiterSettings::on_failure`] |
//! | give somebody limits of their own | [`Overrides`], with [`Policy::with_overrides`] |
//! | allow so many at once | [`slots`] |
//! | share the seed's windows with other toolkits | [`Windows`], [`RateLimitRecord`] |

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
mod overridden;
mod overrides;
mod policy;
mod receipt;
mod record;
mod refund;
mod reserve;
mod settings;
mod several;
mod shard;
pub mod slots;
mod state;
mod subject;
mod tally;
mod timeout;
mod whole_row;
mod windows;

pub use calendar::Calendar;
pub use decision::{Decision, Source, Standing, Verdict};
pub use error::Error;
pub use limit::{AMOUNT_MAX, LOG_MAX, Limit, PERIOD_MAX, Rule};
pub use limiter::Limiter;
pub use overrides::{Overrides, Whose};
pub use policy::Policy;
pub use record::{IndexedRateLimitRecord, RateLimitRecord};
pub use reserve::Reservation;
pub use settings::{LimiterSettings, OnFailure};
pub use several::Ask;
pub use subject::Subject;
pub use tally::Counts;
pub use windows::{Counted, Windows};

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

/// The crate whose networks [`ClientAddress`] takes, in the version that fits.
pub use ipnet;

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
