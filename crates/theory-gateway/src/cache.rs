//! Routes that say "http cache": a shared cache by HTTP's own rules, in memory and bounded. RFC 9111 says what may be kept and when it
//! may be used, RFC 5861 when something older does, RFC 9213 which directives are for this cache, RFC 9211 what it says about it.
//!
//! Rules are pure (`directives`, `targeted`, `freshness`, `storable`, `vary`, `conditional`, `range`, `validation`, `plan`,
//! `invalidation`, `accepted`); what is kept is in `store`, what is under way in `flight`; a request walks through `flow`, `errand`, `landing`; an
//! operator's word is in `purge`.

mod accepted;
mod answer;
mod conditional;
mod directives;
mod errand;
mod flight;
mod flow;
mod freshness;
mod invalidation;
mod keeping;
mod key;
mod landing;
mod list;
mod plan;
mod purge;
mod range;
mod room;
mod shared;
mod status;
mod storable;
mod store;
mod stored;
mod targeted;
mod validation;
mod vary;

#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod door;

pub use flow::HttpCache;
pub use purge::Meant;
