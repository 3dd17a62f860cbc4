//! Leases on any [`Store`](tabletheory_core::Store): one holder at a time by everyone's clock, for a term, in a row that
//! the Go, TypeScript and Python toolkits read and write too.
//!
//! # The row
//!
//! | attribute | type | what it says |
//! |---|---|---|
//! | `pk`, `sk` | S | what is leased, and `LOCK` |
//! | `lease_token` | S | who holds it: a random UUID, drawn anew for each attempt |
//! | `lease_expires_at` | N | held while this is later than now, in whole seconds |
//! | `ttl` | N | when the service may delete the row: an hour after the lease ended; absent if the buffer is 0 |
//! | `fence` | N | ours alone: grows with each grant |
//!
//! All names are [`LeaseSettings`]. The end of a lease is rounded up to a whole second, so that none is born expired.
//!
//! The other toolkits put the whole row; we update it, because only an update can count `fence` up. To them the rows look
//! the same. Where their put drops attributes that it does not know, our update keeps them. There is no second, finer
//! expiry: two truths in one row could contradict each other.
//!
//! # What is promised
//!
//! - A token is granted by one conditional write. **The token is the fence**: a write that must not come from a former holder
//!   carries [`Lease::still_held`] in its transaction. Clocks decide only when a lease may change hands; if they differ by
//!   more than a term, two workers may both believe that they hold it, and only the token knows.
//! - [`Lease::fence`] grows with each grant while the row lives, whatever clocks do. When the row was deleted (released, or
//!   expired long ago) or put by another toolkit, counting goes on from the clock's milliseconds: it still grows unless
//!   the clock went back.
//! - A write whose answer was lost is sent again, byte for byte, and recognises itself by its token. What cannot be
//!   settled is a [`StoreError`](tabletheory_core::StoreError); nothing is guessed. A delayed double never shortens a lease;
//!   at worst, arriving after a release, it takes the lease for nobody until its term is over.
//! - Losing a race is not an error: every outcome is an `Ok` value.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings, Release};
//! use tabletheory_core::{Seconds, StoreError, StoreExt};
//! use tabletheory_engine::Engine;
//!
//! # futures_executor::block_on(async {
//! let store = Arc::new(Engine::memory());
//! store.create_table(LeaseSettings::default().create_table("cache")).await?;
//! let leases = LeaseManager::new(store, "cache");
//!
//! let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { panic!("nobody else is here") };
//! assert!(matches!(leases.try_acquire("PAGE#1", Seconds(30)).await?, Acquire::HeldUntil(_)));
//! assert_eq!(lease.release().await?, Release::Released);
//! assert!(matches!(leases.try_acquire("PAGE#1", Seconds(30)).await?, Acquire::Granted(_)));
//! # Ok::<(), StoreError>(()) }).unwrap();
//! ```

mod guard;
mod held;
mod manager;
mod protocol;
mod row;
mod settings;
mod tenure;
#[cfg(test)]
mod tests;
mod wait;

pub use guard::Guarded;
pub use held::{Lease, Refresh, Release};
pub use manager::{Acquire, LeaseManager};
pub use settings::LeaseSettings;
