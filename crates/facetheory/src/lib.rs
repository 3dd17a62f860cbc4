//! Page regeneration that cannot go wrong: rendered pages on any store and any object store.
//!
//! A page is rendered once for a whole fleet, served while it is rendered again, and never replaced by something older,
//! half, or meant for one visitor.
//!
//! ```
//! use std::sync::Arc;
//!
//! use facetheory::render::{Render, Rendered, Renderer};
//! use facetheory::{Bodies, Isr, MetaStore, PageKey, Policy, State, Visit};
//! use tabletheory::Db;
//! use tabletheory_core::Seconds;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let meta = MetaStore::new(Db::memory());
//! meta.create_table().await?;
//! let isr = Isr::new(meta, Bodies::memory());
//!
//! let origin: Arc<dyn Renderer> = Arc::new(|render: Render| async move {
//!     Ok(Rendered::html(format!("rendered {:?}", render.key.page_path())).tagged("news"))
//! });
//! let visit = Visit::to(PageKey::path("/news")).policy(Policy::fresh_for(Seconds(60)));
//! let served = isr.serve(&visit, &origin).await?;
//! assert_eq!((served.state, served.page.status().as_u16()), (State::Miss, 200));
//! assert_eq!(isr.serve(&visit, &origin).await?.state, State::Hit);
//! # Ok::<(), facetheory::Error>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is promised, in these words: at most one publish per lease; renders at least once; metadata never go back; a purge
//! is never undone; metadata never name a missing body. Nobody can promise "exactly once" or mutual exclusion between
//! machines whose clocks and pauses are their own, and this crate does not.
//!
//! | module | what it is for |
//! |---|---|
//! | [`key`], [`tenant`] | what a page is known by |
//! | [`policy`], [`freshness`] | how long a page is fresh, and what is to be done for a visitor |
//! | [`render`] | who makes pages, and which answers may be kept |
//! | [`record`], [`meta`] | the rows, and one method for each transaction |
//! | [`body`] | where bodies lie |
//! | [`isr`] | the cache: [`Isr::serve`], purges, versions, the sweep |
//! | [`event`], [`history`] | what happened |

mod adrift;
mod at_hand;
pub mod body;
mod errand;
pub mod error;
pub mod event;
mod failure;
mod flight;
mod force;
pub mod freshness;
pub mod history;
mod instead;
mod invalidate;
pub mod isr;
pub mod key;
mod known;
mod look;
pub mod meta;
mod outage;
mod outcome;
mod page;
pub mod policy;
pub mod record;
mod regenerate;
pub mod render;
mod serve;
mod sweep;
pub mod tenant;
mod uncached;
mod underway;
mod visit;
mod watch;

#[cfg(test)]
mod model;

pub use body::Bodies;
pub use error::Error;
pub use event::{Event, Observer, State, Unobserved};
pub use history::History;
pub use isr::{Isr, IsrSettings};
pub use key::{KeyScheme, PageKey, Partition};
pub use meta::{Group, Intent, MetaStore, Purge, Purged, Rollback};
pub use outcome::{Regenerated, Regeneration};
pub use page::{Kept, Page};
pub use policy::{Mode, Policy};
pub use tenant::Tenant;
pub use visit::{Served, Visit};

/// The crate whose object stores this one takes, in the version that fits.
pub use object_store;

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide to tables that several languages share, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/sharing-tables.md")]
struct GuideToSharedTables;
