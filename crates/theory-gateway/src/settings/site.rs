//! A site: hosts, whose they are, the application behind them, and what is done with its paths.

use facetheory::Tenant;

use super::{OriginSettings, Route};

/// A site.
#[derive(Debug, Clone)]
pub struct Site {
    /// Its name, for people.
    pub name: String,
    /// The hosts it answers for.
    pub hosts: Vec<Host>,
    /// Whose it is. Sites of different tenants share nothing.
    pub tenant: Option<Tenant>,
    /// The application.
    pub origin: OriginSettings,
    /// What is done with its paths. The most specific pattern counts.
    pub routes: Vec<Route>,
}

/// A host a site answers for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// This one: lower case, without a port.
    Exact(String),
    /// All that end with this, which begins with a dot.
    Below(String),
    /// Every host that no other site answers for. All of them share one set of pages: the key holds the site's name in place of a
    /// host that a client made up.
    Any,
}
