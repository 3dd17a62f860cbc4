//! A gateway's parts over memory, and operators who ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use facetheory::meta::Purge;
use facetheory::render::{Render, RenderError, Rendered, Renderer};
use facetheory::{Bodies, Isr, MetaStore, Observer, PageKey, Policy, Regenerated, State, Tenant, Visit};
use http::header::{AUTHORIZATION, HOST};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use idempotent::Idempotency;
use limited::{Limit, Limiter};
use serde_json::Value;
use tabletheory::testing::TestStore;
use tabletheory_core::Seconds;

use super::super::*;
use crate::settings::Secret;
use crate::tasks::Tasks;
use crate::telemetry::Telemetry;

pub(super) const TOKEN: &str = "a-token-of-an-operator";

#[derive(Debug)]
pub(super) struct Stage {
    isr: Isr,
    policies: Vec<limited::Policy>,
    pub(super) is_down: Arc<AtomicBool>,
}

pub(super) struct World {
    pub(super) store: TestStore,
    pub(super) admin: Arc<Admin>,
    pub(super) isr: Isr,
    pub(super) limiter: Limiter,
    pub(super) requests: Idempotency,
    pub(super) telemetry: Arc<Telemetry>,
    pub(super) policy: limited::Policy,
    pub(super) is_down: Arc<AtomicBool>,
}

pub(super) fn key(path: &str) -> PageKey {
    PageKey::path(path).host("shop.example")
}

pub(super) fn visit(key: PageKey) -> Visit {
    Visit::to(key).policy(Policy { versions: true, ..Policy::fresh_for(Seconds(60)) })
}

fn renderer(is_down: &Arc<AtomicBool>) -> Arc<dyn Renderer> {
    let is_down = Arc::clone(is_down);
    Arc::new(move |render: Render| {
        let is_down = is_down.load(Ordering::Relaxed);
        async move {
            let path = String::from_utf8_lossy(render.key.page_path().unwrap_or_default()).into_owned();
            if is_down { Err(RenderError::new("down")) } else { Ok(Rendered::html(path).tagged("news")) }
        }
    })
}

impl World {
    pub(super) async fn new() -> Self {
        Self::listening("127.0.0.1:0").await
    }

    pub(super) async fn listening(listen: &str) -> Self {
        let store = TestStore::new();
        let db = store.db();
        let telemetry = Telemetry::new(Arc::clone(db.clock()));
        let meta = MetaStore::new(db.clone());
        meta.create_table().await.expect("it works");
        let isr = Isr::new(meta, Bodies::memory()).with_observer(Arc::clone(&telemetry) as Arc<dyn Observer>);
        let (limiter, requests) = (Limiter::new(db.clone()), Idempotency::new(db));
        limiter.create_table().await.expect("it works");
        requests.create_table().await.expect("it works");
        let policy = limited::Policy::new("api", [Limit::per_minute(5)]).expect("it works");
        let is_down = Arc::new(AtomicBool::new(false));
        let stage = Stage { isr: isr.clone(), policies: vec![policy.clone()], is_down: Arc::clone(&is_down) };
        let place = |place: &str| Whereabouts { place: place.to_owned(), folder: None };
        let parts = Components {
            isr: isr.clone(),
            limiter: limiter.clone(),
            requests: requests.clone(),
            tasks: Tasks::default(),
            telemetry: Arc::clone(&telemetry),
            backstage: Arc::new(stage),
            store: place("memory"),
            tables: vec!["facetheory-cache".to_owned(), "missing".to_owned()],
            bodies: place("memory"),
            version: "1.2.3",
        };
        let admin = Admin::new(listen.parse().expect("it works"), Secret::new(TOKEN), parts);
        Self { store, admin, isr, limiter, requests, telemetry, policy, is_down }
    }

    /// Somebody visits a page.
    pub(super) async fn visit(&self, path: &str) -> State {
        let served = self.isr.serve(&visit(key(path)), &renderer(&self.is_down)).await.expect("it works");
        let state = served.state;
        if let Some(later) = served.later {
            let _ = later.run().await;
        }
        state
    }

    /// An operator with the token.
    pub(super) async fn ask(&self, method: &str, path: &str, body: &str) -> (StatusCode, Value) {
        let request = Request::builder().method(method).uri(path).header(HOST, "127.0.0.1:9000");
        let request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}"));
        let response = self.send(request.body(body.to_owned()).expect("it works")).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("it works").to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let (status, value) = self.ask("GET", path, "").await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    pub(super) async fn post(&self, path: &str, body: &str) -> Value {
        let (status, value) = self.ask("POST", path, body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    /// Anybody.
    pub(super) async fn send(&self, request: Request<String>) -> Response<Body> {
        let (head, body) = request.into_parts();
        self.admin.answer(Request::from_parts(head, Full::new(Bytes::from(body)))).await
    }
}

impl Backstage for Stage {
    fn sites(&self) -> Vec<SiteStatus> {
        let site = |name: &str, tenant: Option<&str>| SiteStatus {
            name: name.to_owned(),
            hosts: vec![format!("{name}.example")],
            tenant: tenant.map(|tenant| tenant.parse::<Tenant>().expect("it works")),
            origin: "http://127.0.0.1:1".to_owned(),
            health: "well",
            detail: String::new(),
            routes: vec![("/{*path}".to_owned(), "page")],
        };
        vec![site("shop", None), site("blog", Some("acme"))]
    }

    fn policies(&self) -> Vec<limited::Policy> {
        self.policies.clone()
    }

    fn resolve(&self, url: &str) -> Result<Place, Unresolved> {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let Some(path) = rest.strip_prefix("shop.example") else {
            return Err(match rest.split_once('/') {
                Some((host, _)) if !host.is_empty() => {
                    Unresolved::NoSite { host: host.to_owned(), sites: "shop, blog".to_owned() }
                }
                _ => Unresolved::NotAnAddress,
            });
        };
        let key = key(path);
        Ok(Place {
            address: key.address().unwrap_or_default(),
            key,
            has_variants: path.starts_with("/varied"),
        })
    }

    fn regenerate<'a>(&'a self, place: &'a Place) -> Doing<'a, Result<Regenerated, String>> {
        Box::pin(async {
            let regeneration = self.isr.regenerate(&visit(place.key.clone()), &renderer(&self.is_down));
            Ok(regeneration.map_err(|error| error.to_string())?.run().await)
        })
    }

    fn warm<'a>(&'a self, url: &'a str) -> Doing<'a, Result<State, String>> {
        Box::pin(async {
            let place = self.resolve(url).map_err(|error| error.to_string())?;
            let served = self.isr.serve(&visit(place.key), &renderer(&self.is_down)).await;
            served.map(|served| served.state).map_err(|error| error.to_string())
        })
    }

    fn sitemap<'a>(&'a self, url: &'a str) -> Doing<'a, Result<Vec<String>, String>> {
        let named = vec!["shop.example/1".to_owned(), "elsewhere.example/".to_owned()];
        Box::pin(async move {
            if url.ends_with("sitemap.xml") { Ok(named) } else { Err("it is none".to_owned()) }
        })
    }

    fn http_cache(&self) -> Kept {
        Kept { bytes: 700, bytes_max: 1000, addresses: 3 }
    }

    fn forget_address(&self, url: &str, _purge: Purge) -> Result<Option<usize>, Unresolved> {
        let path = url.strip_prefix("shop.example/assets/");
        Ok(path.map(|path| if path == "nothing" { 0 } else { 2 }))
    }

    fn forget_group(&self, tenants: &[Option<Tenant>], tag: Option<&str>, _purge: Purge) -> usize {
        tenants.len() * if tag.is_some() { 1 } else { 10 }
    }

    fn ready(&self) -> Doing<'_, Result<(), String>> {
        let is_down = self.is_down.load(Ordering::Relaxed);
        Box::pin(async move { if is_down { Err("down".to_owned()) } else { Ok(()) } })
    }
}
