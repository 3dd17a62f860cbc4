//! A site whose application is in this process: its hosts, and which of its paths are pages.

use std::sync::Arc;

use bytes::Bytes;
use facetheory::render::RenderError;
use facetheory::{Isr, Tenant};
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use matchit::Router;
use theory_gateway::page::{Fetching, PagePlace, SiteAtWork, Upstream};
use theory_gateway::settings::{Host, PageRoute, Route, RouteKind, Scheme, Secret};
use tower_service::Service;

use crate::application::{self, Application, Unanswered};
use crate::error::{BoxError, Error};
use crate::page::Pages;
use crate::process::Process;
use crate::time::{Time, before};

/// A site whose application is in this process.
///
/// ```
/// use axum::Router;
/// use axum::routing::get;
/// use facetheory::{Bodies, Isr, MetaStore, Policy};
/// use tabletheory::Db;
/// use tabletheory_core::Seconds;
/// use theory_lambda::{PageRoute, Process, Site};
///
/// let process = Process::new("news");
/// let isr = process.observed(Isr::new(MetaStore::new(process.timely(&Db::memory())), Bodies::memory()));
/// let app = Router::new().route("/news/{slug}", get(|| async { "<h1>News" }));
/// let site = Site::new("news").host("news.example").page("/news/{slug}", PageRoute::new(Policy::fresh_for(Seconds(60))));
/// assert!(site.serve(&process, isr.clone(), app.clone()).is_ok());
/// let wrong = Site::new("news").page("/news/{slug", PageRoute::new(Policy::default()));
/// assert!(wrong.serve(&process, isr, app).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Site {
    name: String,
    hosts: Vec<Host>,
    tenant: Option<Tenant>,
    scheme: Scheme,
    preview: Option<Secret>,
    routes: Vec<Route>,
}

impl Site {
    /// A site that answers for every host. All hosts share one set of pages, but for those that are its [own](Self::host).
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let (hosts, routes) = (vec![Host::Any], Vec::new());
        Self { name: name.into(), hosts, tenant: None, scheme: Scheme::Https, preview: None, routes }
    }

    /// With a host of its own, which has its own pages, and which the application is told: lower case, without a port.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(Host::Exact(host.into()));
        self
    }

    /// With a tenant whose pages they are. Tenants share nothing.
    #[must_use]
    pub fn tenant(mut self, tenant: Tenant) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// With a secret: whoever shows it sees pages past the cache.
    #[must_use]
    pub fn preview(mut self, secret: Secret) -> Self {
        self.preview = Some(secret);
        self
    }

    /// With pages at the paths of this pattern: `/news/{slug}`, `/docs/{*rest}`. The most specific pattern counts.
    #[must_use]
    pub fn page(mut self, pattern: impl Into<String>, page: PageRoute) -> Self {
        let (kind, limits) = (RouteKind::Page(Arc::new(page)), Vec::new());
        self.routes.push(Route { pattern: pattern.into(), kind, limits, idempotency: None });
        self
    }

    /// Puts the site to work: pages in this cache, made by this application, which answers everything else as well. Stale pages are
    /// rendered by who finds them, unless it is [said otherwise](Pages::regenerating).
    ///
    /// # Errors
    /// If a pattern is none, or two cannot be told apart.
    pub fn serve<S, B>(&self, process: &Process, isr: Isr, application: S) -> Result<Pages, Error>
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let application = application::of(application);
        let upstream = Renders { application: Arc::clone(&application), time: process.time().clone() };
        let Self { name, hosts, tenant, scheme, preview, routes } = self.clone();
        let site = SiteAtWork::in_process(name, hosts, tenant, scheme, Arc::new(upstream));
        let places = self.places(&Arc::new(site), &routes)?;
        let cache = theory_gateway::page::Pages::new(isr, preview);
        Ok(Pages::new(cache, places, application, process))
    }

    fn places(&self, site: &Arc<SiteAtWork>, routes: &[Route]) -> Result<Router<Arc<PagePlace>>, Error> {
        let mut places = Router::new();
        let mut beginnings = Vec::new();
        for route in routes {
            let RouteKind::Page(page) = &route.kind else { continue };
            let wrong =
                |source| Error::Pattern { site: self.name.clone(), pattern: route.pattern.clone(), source };
            let place = PagePlace::new(Arc::clone(site), &route.pattern, Arc::clone(page)).map_err(wrong)?;
            let place = Arc::new(place);
            places.insert(route.pattern.clone(), Arc::clone(&place)).map_err(wrong)?;
            beginnings.extend(route.beginning().map(|beginning| (beginning, place)));
        }
        for (beginning, place) in beginnings {
            // A route of its own has its own rules.
            let _ = places.insert(beginning, place);
        }
        Ok(places)
    }
}

/// The application as who makes pages, in the time of the invocation under way.
struct Renders {
    application: Arc<dyn Application>,
    time: Time,
}

impl Upstream for Renders {
    fn fetch(&self, request: Request<()>) -> Fetching<'_> {
        Box::pin(async move {
            let bound = self.time.bounds().map(|bounds| bounds.renders);
            if !self.time.allows_render() {
                return Err(RenderError::not_begun("the invocation has no time left for a render"));
            }
            let rendering = self.application.ask(request.map(|()| Bytes::new()));
            match before(bound, rendering).await {
                Some(Ok(answer)) => Ok(answer),
                Some(Err(Unanswered::TooLong)) => {
                    Err(RenderError::unkeepable(Unanswered::TooLong.to_string()))
                }
                Some(Err(error)) => Err(RenderError::new(error.to_string())),
                None => Err(RenderError::too_slow("the invocation ended before the render")),
            }
        })
    }
}
