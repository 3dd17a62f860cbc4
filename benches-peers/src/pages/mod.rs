//! Pages from a cache: ours beside the page caches that one would take otherwise, with the same bodies from the same origin,
//! and Next.js with pages of its own. `hit` measures what a cached page costs, `clients` and `keys` how that grows with
//! connections and with pages, `fleet` how often an expiring page is rendered by several instances.

mod bare_hyper;
mod body;
mod bound;
pub(crate) mod clients;
mod entry;
pub(crate) mod fleet;
pub(crate) mod hit;
pub(crate) mod keys;
mod next;
mod nginx;
mod origin;
mod ours;
mod page;
mod quota;
mod round;
mod table;
mod varnish;
mod visitor;
mod wrk;

pub(crate) use bare_hyper::{BARE_HYPER, bare_hyper_main};
pub(crate) use origin::{ORIGIN, origin_main};
