//! Sites at work: which one answers for a host, and which of its routes for a path. Made from settings as a whole and replaced as a
//! whole, so that a request sees either the old ones or the new ones.

use std::collections::HashMap;
use std::sync::Arc;

use ipnet::IpNet;
use matchit::Router;

use crate::door::{Door, Doors};
use crate::origin::{Origin, OriginError};
use crate::page::{PagePlace, SiteAtWork};
use crate::settings::{CacheRoute, Host, OriginSettings, PassRoute, Route, RouteKind, Settings, Site};
use crate::telemetry::{Meter, Telemetry};

/// The name of what is done with paths of no pattern.
const OTHER: &str = "(other)";

/// Why sites cannot be put to work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SitesError {
    /// The application of a site cannot be asked.
    #[error("the origin of the site `{site}` cannot be used")]
    Origin {
        /// The site.
        site: String,
        /// Why.
        source: Box<OriginError>,
    },
    /// Two patterns of a site cannot be told apart, or one is none.
    #[error("the route `{pattern}` of the site `{site}` cannot be used")]
    Pattern {
        /// The site.
        site: String,
        /// The pattern.
        pattern: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// All sites.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    exact: HashMap<String, Arc<Front>>,
    /// Hosts that end with a text, the longest first.
    below: Vec<(String, Arc<Front>)>,
    any: Option<Arc<Front>>,
    all: Vec<Arc<Front>>,
    trusted: Vec<IpNet>,
}

/// A site, the application behind it, and what is done with its paths.
#[derive(Debug)]
pub(crate) struct Front {
    /// The site.
    pub(crate) site: Arc<SiteAtWork>,
    /// The application.
    pub(crate) origin: Arc<Origin>,
    /// What it was made from.
    pub(crate) settings: Site,
    scope: String,
    routes: Vec<RouteAtWork>,
    /// Which of them a path belongs to.
    paths: Router<usize>,
    other: RouteAtWork,
}

/// What is done with the paths of a pattern, ready to be done.
#[derive(Debug)]
pub(crate) struct RouteAtWork {
    /// What is done with them.
    pub(crate) work: Work,
    /// Who counts callers and knows repeated requests, if somebody does.
    pub(crate) door: Option<Arc<Door>>,
    /// Who counts answers.
    pub(crate) meter: Arc<Meter>,
}

/// What is done with a path.
#[derive(Debug)]
pub(crate) enum Work {
    /// A page that is kept and regenerated.
    Page(PagePlace),
    /// Whatever HTTP's own rules allow to be kept.
    HttpCache(Arc<CacheRoute>),
    /// Everything goes to the application.
    Pass(Arc<PassRoute>),
}

impl Sites {
    /// Puts the sites of `settings` to work. Applications that `before` knew, and whose settings are the same, are kept with their
    /// connections and what is known about their health.
    ///
    /// # Errors
    /// If an application cannot be asked, or a pattern is none.
    pub(crate) fn new(
        settings: &Settings,
        before: &Self,
        doors: &Doors,
        telemetry: &Telemetry,
    ) -> Result<Self, SitesError> {
        let mut sites = Self { trusted: settings.trusted_proxies.clone(), ..Self::default() };
        for site in &settings.sites {
            let front = Arc::new(Front::new(site, before.origin_like(&site.origin), doors, telemetry)?);
            for host in &site.hosts {
                let front = Arc::clone(&front);
                match host {
                    Host::Exact(name) => drop(sites.exact.insert(name.clone(), front)),
                    Host::Below(end) => sites.below.push((end.clone(), front)),
                    Host::Any => sites.any = Some(front),
                }
            }
            sites.all.push(front);
        }
        sites.below.sort_by_key(|(end, _)| std::cmp::Reverse(end.len()));
        Ok(sites)
    }

    /// The site that answers for a host.
    pub(crate) fn find(&self, host: &str) -> Option<&Arc<Front>> {
        let below = || {
            let is_below = |end: &str| host.len() > end.len() && host.ends_with(end);
            self.below.iter().find(|(end, _)| is_below(end)).map(|(_, front)| front)
        };
        self.exact.get(host).or_else(below).or(self.any.as_ref())
    }

    /// All of them, in the order of the settings.
    pub(crate) fn all(&self) -> &[Arc<Front>] {
        &self.all
    }

    /// Proxies whose word about the client's address is believed.
    pub(crate) fn trusted(&self) -> &[IpNet] {
        &self.trusted
    }

    fn origin_like(&self, settings: &OriginSettings) -> Option<Arc<Origin>> {
        let same = self.all.iter().find(|front| front.settings.origin == *settings)?;
        Some(Arc::clone(&same.origin))
    }
}

impl Front {
    fn new(
        site: &Site,
        origin: Option<Arc<Origin>>,
        doors: &Doors,
        telemetry: &Telemetry,
    ) -> Result<Self, SitesError> {
        let unusable = |source| SitesError::Origin { site: site.name.clone(), source: Box::new(source) };
        let origin = origin.map_or_else(|| Origin::new(&site.origin).map_err(unusable), Ok)?;
        let at_work = Arc::new(SiteAtWork::new(site, Arc::clone(&origin) as _));
        let (mut routes, mut paths) = (Vec::new(), Router::new());
        for route in &site.routes {
            let pattern = |source: matchit::InsertError| SitesError::Pattern {
                site: site.name.clone(),
                pattern: route.pattern.clone(),
                source: Box::new(source),
            };
            let ready = RouteAtWork {
                work: Work::new(&at_work, route).map_err(pattern)?,
                door: doors.door(site, route).map(Arc::new),
                meter: telemetry.meter(&site.name, &route.pattern),
            };
            paths.insert(route.pattern.clone(), routes.len()).map_err(pattern)?;
            routes.push(ready);
        }
        for (place, route) in site.routes.iter().enumerate() {
            if let Some(begin) = route.beginning() {
                // A route of its own has its own rules.
                let _ = paths.insert(begin, place);
            }
        }
        let other = RouteAtWork {
            work: Work::Pass(Arc::new(PassRoute { upgrade: true })),
            door: None,
            meter: telemetry.meter(&site.name, OTHER),
        };
        let tenant = site.tenant.as_ref().map_or("", |tenant| tenant.as_str());
        let scope = format!("{tenant}#{}", site.name);
        Ok(Self { site: at_work, origin, settings: site.clone(), scope, routes, paths, other })
    }

    /// What is done with a path.
    pub(crate) fn route(&self, path: &str) -> &RouteAtWork {
        self.paths.at(path).map_or(&self.other, |found| &self.routes[*found.value])
    }

    /// A text that no other site has.
    pub(crate) fn scope(&self) -> &str {
        &self.scope
    }
}

/// The tenant of the site whose scope this is, also of one that is no longer there.
pub(crate) fn scope_tenant(scope: &str) -> Option<&str> {
    scope.split_once('#').map(|(tenant, _)| tenant).filter(|tenant| !tenant.is_empty())
}

impl Work {
    fn new(site: &Arc<SiteAtWork>, route: &Route) -> Result<Self, matchit::InsertError> {
        Ok(match &route.kind {
            RouteKind::Page(page) => {
                Self::Page(PagePlace::new(Arc::clone(site), &route.pattern, Arc::clone(page))?)
            }
            RouteKind::HttpCache(cache) => Self::HttpCache(Arc::clone(cache)),
            RouteKind::Pass(pass) => Self::Pass(Arc::clone(pass)),
        })
    }
}
