//! What operators need of the gateway: its sites and policies, which page an address leads to, and renders on demand.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use facetheory::meta::Purge;
use facetheory::{PageKey, Regenerated, State, Tenant};

/// Something that is being done.
pub(crate) type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What operators need of the gateway.
pub(crate) trait Backstage: fmt::Debug + Send + Sync + 'static {
    /// The sites, and how their applications are.
    fn sites(&self) -> Vec<SiteStatus>;

    /// The policies by which callers are limited, each name once.
    fn policies(&self) -> Vec<limited::Policy>;

    /// The page that an address leads to: `http(s)://host/path?query`, `host/path?query` as lists show it, or `/path?query` where
    /// there is one site.
    ///
    /// # Errors
    /// If it leads to no page.
    fn resolve(&self, url: &str) -> Result<Place, Unresolved>;

    /// Renders a page now, fresh or not.
    fn regenerate<'a>(&'a self, place: &'a Place) -> Doing<'a, Result<Regenerated, String>>;

    /// Visits a page as anybody would, so that it is kept afterwards. The text says why it could not be.
    fn warm<'a>(&'a self, url: &'a str) -> Doing<'a, Result<State, String>>;

    /// The addresses that a sitemap of the application names. The text says why there are none.
    fn sitemap<'a>(&'a self, url: &'a str) -> Doing<'a, Result<Vec<String>, String>>;

    /// What routes of the kind `http-cache` keep in this process.
    fn http_cache(&self) -> Kept;

    /// Forgets what this process keeps of an address on a route of the kind `http-cache`, or makes it stale; tells of how many
    /// answers. Nothing, if the address is on no such route.
    ///
    /// # Errors
    /// If it is no address of a site.
    fn forget_address(&self, url: &str, purge: Purge) -> Result<Option<usize>, Unresolved>;

    /// The same with all answers, or those of a tag, in the sites of these tenants, of which there may be none.
    fn forget_group(&self, tenants: &[Option<Tenant>], tag: Option<&str>, purge: Purge) -> usize;

    /// Whether requests can be answered. The text says why not.
    fn ready(&self) -> Doing<'_, Result<(), String>>;
}

/// A site, and how its application is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SiteStatus {
    /// Its name.
    pub(crate) name: String,
    /// The hosts it answers for, as they are written.
    pub(crate) hosts: Vec<String>,
    /// Whose it is.
    pub(crate) tenant: Option<Tenant>,
    /// The address of the application, without anything secret.
    pub(crate) origin: String,
    /// In a word: `well`, `failing` or `left-alone`.
    pub(crate) health: &'static str,
    /// What else is to be said of it; nothing if it is well.
    pub(crate) detail: String,
    /// The patterns of its routes, with what is done with them: `page`, `http-cache` or `pass`.
    pub(crate) routes: Vec<(String, &'static str)>,
}

/// What routes of the kind `http-cache` keep in this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// How many bytes that takes.
    pub(crate) bytes: u64,
    /// How many it may take.
    pub(crate) bytes_max: u64,
    /// Of how many addresses.
    pub(crate) addresses: usize,
}

/// The page that an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The page. Of one that depends on headers or cookies, the one for visitors who send none.
    pub(crate) key: PageKey,
    /// Its address, in the form that lists show.
    pub(crate) address: String,
    /// Whether there may be more pages of this address, because they depend on headers or cookies.
    pub(crate) has_variants: bool,
}

/// Why an address leads to no page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Unresolved {
    /// It is no address.
    #[error("this is no address; write http://host/path, or /path if there is one site")]
    NotAnAddress,
    /// No site answers for its host.
    #[error("no site answers for the host `{host}`; the sites are {sites}")]
    NoSite {
        /// The host.
        host: String,
        /// The sites there are.
        sites: String,
    },
    /// There are several sites, and it names none.
    #[error("there are several sites ({sites}); write the whole address, with its host")]
    WhichSite {
        /// The sites there are.
        sites: String,
    },
    /// The path is not one of a page that is kept.
    #[error("`{path}` is on no page route of the site `{site}`, so there is no page of it")]
    NotAPage {
        /// The path.
        path: String,
        /// The site.
        site: String,
    },
}
