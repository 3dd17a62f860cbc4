//! A site at work: its name, whose it is, which hosts are its own, and who makes its pages.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use facetheory::Tenant;
use facetheory::render::RenderError;
use http::{Request, Response};

use crate::origin::{Origin, OriginError};
use crate::settings::{Host, Scheme, Site};

/// An answer of the application on its way.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, RenderError>> + Send + 'a>>;

/// The application that makes pages.
pub trait Upstream: Send + Sync + 'static {
    /// Asks it once, for an answer that is whole, complete and not larger than may be kept.
    fn fetch(&self, request: Request<()>) -> Fetching<'_>;
}

impl Upstream for Origin {
    fn fetch(&self, request: Request<()>) -> Fetching<'_> {
        Box::pin(async move { Self::fetch(self, request).await.map_err(|error| unrendered(&error)) })
    }
}

/// What operators read of a failure, with its causes, and what visitors may be told of it.
fn unrendered(error: &OriginError) -> RenderError {
    let mut reason = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(below) = cause {
        reason.push_str(": ");
        reason.push_str(&below.to_string());
        cause = below.source();
    }
    match error {
        OriginError::TimedOut { .. } => RenderError::too_slow(reason),
        OriginError::LeftAlone { .. } | OriginError::Overloaded => RenderError::busy(reason),
        OriginError::TooLarge { .. } | OriginError::Endless => RenderError::unkeepable(reason),
        _ => RenderError::new(reason),
    }
}

/// A site at work.
pub struct SiteAtWork {
    name: String,
    tenant: Option<Tenant>,
    hosts: Vec<Host>,
    scheme: Scheme,
    upstream: Arc<dyn Upstream>,
}

impl SiteAtWork {
    /// This site with this application. What the application is told about the scheme is the same for all visitors, because a page
    /// is: what the settings of the origin say.
    #[must_use]
    pub fn new(site: &Site, upstream: Arc<dyn Upstream>) -> Self {
        let Site { name, hosts, tenant, origin, .. } = site;
        let (name, tenant, hosts, scheme) = (name.clone(), tenant.clone(), hosts.clone(), origin.scheme);
        Self { name, tenant, hosts, scheme, upstream }
    }

    /// A site without an address behind it: its application is in this process. Visitors come to it by this scheme.
    #[must_use]
    pub fn in_process(
        name: String,
        hosts: Vec<Host>,
        tenant: Option<Tenant>,
        scheme: Scheme,
        upstream: Arc<dyn Upstream>,
    ) -> Self {
        Self { name, tenant, hosts, scheme, upstream }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whose it is.
    #[must_use]
    pub fn tenant(&self) -> Option<&Tenant> {
        self.tenant.as_ref()
    }

    /// Whether this host is one it was told, and not one that a client made up.
    #[must_use]
    pub fn is_own(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| match own {
            Host::Exact(name) => name == host,
            Host::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
            Host::Any => false,
        })
    }

    pub(crate) fn scheme(&self) -> &'static str {
        self.scheme.as_str()
    }

    pub(crate) fn upstream(&self) -> &dyn Upstream {
        &*self.upstream
    }
}

impl fmt::Debug for SiteAtWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteAtWork")
            .field("name", &self.name)
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}
