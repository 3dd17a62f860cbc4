//! Everything a gateway is told, as data that is checked once. [`config`](crate::config) makes it from text; tests and programs may
//! make it by hand.

mod edge;
mod origin;
mod otlp;
mod place;
mod route;
mod site;

pub use edge::{Certificate, EdgeLimits, Listen};
pub use origin::{OriginSettings, Scheme};
pub use otlp::OtlpSettings;
pub use place::{BodyPlace, MemoryBounds, StorePlace, Tables};
pub(crate) use route::beginning;
pub use route::{
    CacheRoute, Chosen, IdempotencyRule, KeyRule, LimitRule, PageRoute, PassRoute, Route, RouteKind,
    WhoIsLimited,
};
pub use site::{Host, Site};

use std::net::SocketAddr;
use std::time::Duration;

/// Everything a gateway is told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens.
    pub listen: Vec<Listen>,
    /// What it bears from clients.
    pub edge: EdgeLimits,
    /// Where operators reach it, if they do.
    pub admin: Option<AdminSettings>,
    /// Where rows are.
    pub store: StorePlace,
    /// What their tables are called.
    pub tables: Tables,
    /// Where bodies are.
    pub bodies: BodyPlace,
    /// How often bodies that nothing names any more are looked for.
    pub sweep_every: Duration,
    /// How much is kept in memory beside that.
    pub memory: MemoryBounds,
    /// The collector of OpenTelemetry that is told figures, if there is one.
    pub otlp: Option<OtlpSettings>,
    /// Proxies whose word about the client's address is believed.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// What secrets of callers are hashed with before they are names of limits and requests. The same in a whole fleet.
    pub caller_secret: Secret,
    /// What operators show to see pages past the cache, if they may.
    pub preview: Option<Secret>,
    /// The applications.
    pub sites: Vec<Site>,
}

/// Where operators reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminSettings {
    /// The address. Not loopback only if a token was chosen by hand.
    pub listen: SocketAddr,
    /// What operators must show.
    pub token: Token,
}

/// What operators must show, and where it comes from. `config::settle` makes a secret of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// One that was chosen by hand.
    Chosen(Secret),
    /// One that is generated at the first start, and kept.
    Generated {
        /// Where it is kept.
        file: std::path::PathBuf,
    },
}

/// A text that is never shown.
///
/// ```
/// use theory_gateway::settings::Secret;
///
/// let token = Secret::new("s3cr3t");
/// assert_eq!(format!("{token:?}"), "Secret(…)");
/// assert!(token.is("s3cr3t") && !token.is("s3cr3"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether `text` is it. How long that takes says nothing about where they differ.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        use subtle::ConstantTimeEq;
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }

    /// The text, for whoever must send it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}
