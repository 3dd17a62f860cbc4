//! What operators can have done: pages found by their address, rendered now, warmed; what a sitemap names; how sites are.

use std::sync::Arc;
use std::time::Duration;

use facetheory::meta::Purge;
use facetheory::{PageKey, Regenerated, State, Tenant, Visit};
use http::{HeaderMap, Request, Uri, Version};
use tokio::time::timeout;

use super::Gateway;
use crate::admin::{Backstage, Doing, Kept, Place, SiteStatus, Unresolved};
use crate::asked::Asked;
use crate::cache::Meant;
use crate::edge::Peer;
use crate::origin::Health;
use crate::page::PagePlace;
use crate::settings::{Host, Route, RouteKind};
use crate::sitemap;
use crate::sites::{Front, Sites, Work, scope_tenant};

/// A sitemap that lists sitemaps is followed to so many of them.
const SITEMAPS_MAX: usize = 50;

/// The page that is looked up to see whether the store answers. Nobody can visit it: no host is in its key.
const PROBE: &str = "/theory/ready";

/// A store that takes longer is as good as none for whoever asks whether we are ready.
const PROBE_WAIT: Duration = Duration::from_secs(2);

/// A page that an address leads to.
struct Found {
    front: Arc<Front>,
    asked: Asked,
}

impl Found {
    fn place(&self) -> Result<&PagePlace, Unresolved> {
        match &self.front.route(self.asked.path()).work {
            Work::Page(place) => Ok(place),
            Work::HttpCache(_) | Work::Pass(_) => Err(Unresolved::NotAPage {
                path: self.asked.path().to_owned(),
                site: self.front.site.name().to_owned(),
            }),
        }
    }

    fn visit(&self) -> Result<Visit, Unresolved> {
        // What is refused to a visitor is no address of a page either.
        self.place()?.visit(&self.asked, &HeaderMap::new()).map_err(|_| Unresolved::NotAnAddress)
    }
}

impl Gateway {
    /// What an address leads to: a whole one, one as lists show it (`host/path`), or a path where there is one site.
    fn find(&self, text: &str) -> Result<Found, Unresolved> {
        let sites = self.sites();
        let names = || names(&sites);
        let (host, target) = match text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")) {
            Some(rest) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
            None if text.starts_with('/') => ("", text),
            None => text.split_at(text.find(['/', '?']).ok_or(Unresolved::NotAnAddress)?),
        };
        let front = match (host, sites.all()) {
            ("", [one]) => one,
            ("", _) => return Err(Unresolved::WhichSite { sites: names() }),
            (host, all) => {
                let name = host.rsplit_once(':').map_or(host, |(name, _)| name).to_ascii_lowercase();
                // Lists show the name of a site that answers for every host in place of the host.
                all.iter()
                    .find(|front| front.site.name() == host && front.settings.hosts.contains(&Host::Any))
                    .or_else(|| sites.find(&name))
                    .ok_or_else(|| Unresolved::NoSite { host: host.to_owned(), sites: names() })?
            }
        };
        let host = if host.is_empty() { own_host(front) } else { host.to_owned() };
        let slash = if target.starts_with('/') { "" } else { "/" };
        let uri: Uri =
            format!("http://{host}{slash}{target}").parse().map_err(|_| Unresolved::NotAnAddress)?;
        // As HTTP/2 names it: the host is in the target, and nowhere else.
        let request = Request::get(uri).version(Version::HTTP_2).body(());
        let head = request.map_err(|_| Unresolved::NotAnAddress)?.into_parts().0;
        let nobody = Peer::plain(([127, 0, 0, 1], 0).into());
        let asked = Asked::read(&head, &nobody, &self.edge).map_err(|_| Unresolved::NotAnAddress)?;
        Ok(Found { front: Arc::clone(front), asked })
    }

    async fn render_now(&self, url: &str) -> Result<Regenerated, String> {
        let found = self.find(url).map_err(told)?;
        let (place, visit) = (found.place().map_err(told)?, found.visit().map_err(told)?);
        self.pages.forget_streamed();
        let regeneration = self.pages.isr().regenerate(&visit, place.renderer()).map_err(told)?;
        Ok(regeneration.run().await)
    }

    async fn visit(&self, url: &str) -> Result<State, String> {
        let found = self.find(url).map_err(told)?;
        let (place, visit) = (found.place().map_err(told)?, found.visit().map_err(told)?);
        let mut served = self.pages.isr().serve(&visit, place.renderer()).await.map_err(told)?;
        if let Some(later) = served.later.take() {
            later.run().await;
        }
        Ok(served.state)
    }

    async fn addresses_of(&self, url: &str) -> Result<Vec<String>, String> {
        let first = self.read_sitemap(url).await?;
        if !first.is_index {
            return Ok(first.addresses);
        }
        let mut addresses = Vec::new();
        for further in first.addresses.iter().take(SITEMAPS_MAX) {
            let further = self.read_sitemap(further).await?;
            let room = sitemap::ADDRESSES_MAX - addresses.len();
            addresses.extend(further.addresses.into_iter().take(room));
        }
        Ok(addresses)
    }

    /// Only the site's own application is asked, whatever host the address of a sitemap names.
    async fn read_sitemap(&self, url: &str) -> Result<sitemap::Sitemap, String> {
        let found = self.find(url).map_err(told)?;
        let mut request = Request::get(Uri::from(found.asked.target().clone()));
        request = request.header(http::header::HOST, found.asked.host());
        let request = request.body(()).map_err(told)?;
        let answer = found.front.origin.fetch(request).await.map_err(told)?;
        if !answer.status().is_success() {
            return Err(format!("the application answered {} for {url}", answer.status()));
        }
        Ok(sitemap::read(&String::from_utf8_lossy(answer.body())))
    }
}

impl Backstage for Gateway {
    fn sites(&self) -> Vec<SiteStatus> {
        self.sites.load().all().iter().map(|front| status(front)).collect()
    }

    fn policies(&self) -> Vec<limited::Policy> {
        let sites = self.sites();
        let routes = sites.all().iter().flat_map(|front| &front.settings.routes);
        let mut policies: Vec<limited::Policy> = Vec::new();
        for rule in routes.flat_map(|route: &Route| &route.limits) {
            if policies.iter().all(|known| known.name() != rule.policy.name()) {
                policies.push(rule.policy.clone());
            }
        }
        policies
    }

    fn resolve(&self, url: &str) -> Result<Place, Unresolved> {
        let found = self.find(url)?;
        let (place, visit) = (found.place()?, found.visit()?);
        let key = visit.key().clone();
        let rule = &place.route().key;
        let has_variants = !(rule.headers.is_empty() && rule.cookies.is_empty());
        Ok(Place { address: key.address().unwrap_or_default(), key, has_variants })
    }

    fn regenerate<'a>(&'a self, place: &'a Place) -> Doing<'a, Result<Regenerated, String>> {
        Box::pin(self.render_now(&place.address))
    }

    fn warm<'a>(&'a self, url: &'a str) -> Doing<'a, Result<State, String>> {
        Box::pin(self.visit(url))
    }

    fn sitemap<'a>(&'a self, url: &'a str) -> Doing<'a, Result<Vec<String>, String>> {
        Box::pin(self.addresses_of(url))
    }

    fn http_cache(&self) -> Kept {
        let cache = self.cache();
        Kept { bytes: cache.bytes(), bytes_max: cache.bytes_max(), addresses: cache.addresses() }
    }

    fn forget_address(&self, url: &str, purge: Purge) -> Result<Option<usize>, Unresolved> {
        self.pages.forget_streamed();
        let Found { front, asked } = self.find(url)?;
        if !matches!(front.route(asked.path()).work, Work::HttpCache(_)) {
            return Ok(None);
        }
        // A path alone, and the name of a site that answers for every host, mean whatever host was asked for.
        let names_site = asked.host() == front.site.name() && front.settings.hosts.contains(&Host::Any);
        let host = (!url.starts_with('/') && !names_site).then(|| asked.host());
        let meant = Meant::Address { host, target: asked.target().as_str() };
        Ok(Some(self.cache().purge(|scope| scope == front.scope(), meant, purge)))
    }

    fn forget_group(&self, tenants: &[Option<Tenant>], tag: Option<&str>, purge: Purge) -> usize {
        self.pages.forget_streamed();
        let is_scope = |scope: &str| {
            let whose = scope_tenant(scope);
            tenants.iter().any(|tenant| tenant.as_ref().map(Tenant::as_str) == whose)
        };
        self.cache().purge(is_scope, tag.map_or(Meant::All, Meant::Tag), purge)
    }

    fn ready(&self) -> Doing<'_, Result<(), String>> {
        Box::pin(async {
            let meta = self.pages.isr().meta();
            let partition = meta.partition(&PageKey::path(PROBE)).map_err(told)?;
            let looked = timeout(PROBE_WAIT, meta.get(&partition)).await;
            let found = looked.map_err(|_| format!("the store took longer than {PROBE_WAIT:?}"))?;
            found.map(drop).map_err(told)
        })
    }
}

/// What went wrong, with what it came from.
fn told(error: impl std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn names(sites: &Sites) -> String {
    sites.all().iter().map(|front| front.site.name()).collect::<Vec<_>>().join(", ")
}

/// A host that leads to the site.
fn own_host(front: &Front) -> String {
    let exact = front.settings.hosts.iter().find_map(|host| match host {
        Host::Exact(name) => Some(name.clone()),
        Host::Below(_) | Host::Any => None,
    });
    exact.unwrap_or_else(|| "localhost".to_owned())
}

fn status(front: &Front) -> SiteStatus {
    let (health, detail) = match front.origin.health() {
        Health::Well => ("well", String::new()),
        Health::Failing { failures, .. } => ("failing", format!("{failures} failures in a row")),
        Health::LeftAlone { .. } => ("left-alone", "not asked until it has had a pause".to_owned()),
    };
    let host = |host: &Host| match host {
        Host::Exact(name) => name.clone(),
        Host::Below(end) => format!("*{end}"),
        Host::Any => "*".to_owned(),
    };
    let kind = |route: &Route| match route.kind {
        RouteKind::Page(_) => "page",
        RouteKind::HttpCache(_) => "http-cache",
        RouteKind::Pass(_) => "pass",
    };
    SiteStatus {
        name: front.settings.name.clone(),
        hosts: front.settings.hosts.iter().map(host).collect(),
        tenant: front.settings.tenant.clone(),
        origin: front.settings.origin.uri.to_string(),
        health,
        detail,
        routes: front.settings.routes.iter().map(|route| (route.pattern.clone(), kind(route))).collect(),
    }
}
