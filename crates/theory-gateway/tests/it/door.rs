//! Doors of routes: who may ask how often, and what happens once.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{HeaderName, Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use idempotent::Idempotency;
use limited::{Limit, Limiter, Policy, SecretKey};
use tabletheory::Db;
use theory_gateway::answer::Body;
use theory_gateway::asked::Asked;
use theory_gateway::door::{Door, Doors};
use theory_gateway::edge::Peer;
use theory_gateway::settings::{
    EdgeLimits, IdempotencyRule, LimitRule, OriginSettings, PassRoute, Route, RouteKind, Site, WhoIsLimited,
};

struct World {
    doors: Doors,
    /// How often somebody was let in.
    entered: Arc<AtomicUsize>,
}

fn site(name: &str, tenant: Option<&str>) -> Site {
    Site {
        name: name.into(),
        hosts: Vec::new(),
        tenant: tenant.map(|tenant| tenant.parse().unwrap()),
        origin: OriginSettings::new(Uri::from_static("http://127.0.0.1:1")),
        routes: Vec::new(),
    }
}

fn route(limits: Vec<LimitRule>, idempotency: Option<IdempotencyRule>) -> Route {
    let kind = RouteKind::Pass(Arc::new(PassRoute { upgrade: false }));
    Route { pattern: "/orders/{id}".into(), kind, limits, idempotency }
}

fn limit(amount: u64, who: WhoIsLimited) -> LimitRule {
    let policy = Policy::new("api", [Limit::per_minute(amount)]).unwrap();
    LimitRule { policy, who, methods: Vec::new() }
}

fn once(principal: Option<&'static str>, required: bool) -> IdempotencyRule {
    IdempotencyRule {
        principal: principal.map(HeaderName::from_static),
        required,
        methods: vec![Method::POST],
    }
}

impl World {
    async fn new(trusted: &[&str]) -> Self {
        let db = Db::memory();
        let (limiter, requests) = (Limiter::new(db.clone()), Idempotency::new(db));
        limiter.create_table().await.unwrap();
        requests.create_table().await.unwrap();
        let trusted: Vec<_> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        let doors = Doors::new(limiter, requests, &trusted, SecretKey::new([7; 32]), 1000);
        Self { doors, entered: Arc::default() }
    }

    fn entered(&self) -> usize {
        self.entered.load(Ordering::SeqCst)
    }

    /// Sends a request through a door and gives the status, the body and whether it was a replay.
    async fn send(&self, door: &Door, peer: u8, request: Request<&'static str>) -> (u16, String, bool) {
        let request = request.map(|body| Full::new(Bytes::from(body)));
        let (mut head, body) = request.into_parts();
        head.headers.insert("host", "example.com".parse().unwrap());
        let peer = SocketAddr::from(([192, 0, 2, peer], 4711));
        let asked = Asked::read(&head, &Peer::plain(peer), &EdgeLimits::default()).unwrap();
        let request = Request::from_parts(head, body);
        let entered = Arc::clone(&self.entered);
        let answer = door.answer(&asked, request, peer, async move |request| {
            let number = entered.fetch_add(1, Ordering::SeqCst) + 1;
            let body = request.into_body().collect().await.unwrap().to_bytes();
            Response::new(Body::whole(format!("{number}: {}", String::from_utf8_lossy(&body))))
        });
        let (head, body) = answer.await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let is_replay = head.headers.contains_key("idempotent-replayed");
        (head.status.as_u16(), String::from_utf8_lossy(&body).into_owned(), is_replay)
    }
}

fn post(path: &str, key: Option<&str>, body: &'static str) -> Request<&'static str> {
    let request = Request::post(path);
    match key {
        Some(key) => request.header("idempotency-key", key),
        None => request,
    }
    .body(body)
    .unwrap()
}

fn get(headers: &[(&str, &str)]) -> Request<&'static str> {
    let request = Request::get("/orders/1");
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).body("").unwrap()
}

#[tokio::test]
async fn a_route_without_limits_has_no_door() {
    let world = World::new(&[]).await;
    assert!(world.doors.door(&site("shop", None), &route(Vec::new(), None)).is_none());
}

#[tokio::test]
async fn each_address_has_its_own_count() {
    let world = World::new(&[]).await;
    let door =
        world.doors.door(&site("shop", None), &route(vec![limit(2, WhoIsLimited::Address)], None)).unwrap();
    for _ in 0..2 {
        assert_eq!(world.send(&door, 1, get(&[])).await.0, 200);
    }
    // What a stranger says about its address is not believed.
    assert_eq!(world.send(&door, 1, get(&[("x-forwarded-for", "198.51.100.7")])).await.0, 429);
    assert_eq!(world.send(&door, 2, get(&[])).await.0, 200);
    assert_eq!(world.entered(), 3);
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_address_is_the_one_it_names() {
    let world = World::new(&["192.0.2.0/24"]).await;
    let door =
        world.doors.door(&site("shop", None), &route(vec![limit(1, WhoIsLimited::Address)], None)).unwrap();
    let from = |address| get(&[("x-forwarded-for", address)]);
    assert_eq!(world.send(&door, 1, from("198.51.100.7")).await.0, 200);
    assert_eq!(world.send(&door, 1, from("198.51.100.8")).await.0, 200);
    assert_eq!(world.send(&door, 2, from("1.1.1.1, 198.51.100.8")).await.0, 429);
}

#[tokio::test]
async fn tenants_and_policies_that_share_a_name_do_not_share_a_count() {
    let world = World::new(&[]).await;
    let door = |tenant| {
        world.doors.door(&site("shop", tenant), &route(vec![limit(1, WhoIsLimited::Address)], None)).unwrap()
    };
    for door in [door(None), door(Some("acme")), door(Some("other"))] {
        assert_eq!(world.send(&door, 1, get(&[])).await.0, 200);
        assert_eq!(world.send(&door, 1, get(&[])).await.0, 429);
    }
}

#[tokio::test]
async fn callers_are_counted_by_header_or_all_together_and_for_some_methods_only() {
    let world = World::new(&[]).await;
    let by_key = limit(1, WhoIsLimited::Header(HeaderName::from_static("x-api-key")));
    let door = world.doors.door(&site("shop", None), &route(vec![by_key], None)).unwrap();
    assert_eq!(world.send(&door, 1, get(&[("x-api-key", "a")])).await.0, 200);
    assert_eq!(world.send(&door, 2, get(&[("x-api-key", "a")])).await.0, 429);
    assert_eq!(world.send(&door, 2, get(&[("x-api-key", "b")])).await.0, 200);

    let world = World::new(&[]).await;
    let mut all = limit(1, WhoIsLimited::Site);
    all.methods = vec![Method::POST];
    let door = world.doors.door(&site("shop", None), &route(vec![all], None)).unwrap();
    assert_eq!(world.send(&door, 1, post("/orders/1", None, "")).await.0, 200);
    assert_eq!(world.send(&door, 2, post("/orders/1", None, "")).await.0, 429);
    assert_eq!(world.send(&door, 2, get(&[])).await.0, 200);
}

#[tokio::test]
async fn a_repeated_request_is_answered_once_for_its_caller_and_path() {
    let world = World::new(&[]).await;
    let route = route(vec![limit(100, WhoIsLimited::Address)], Some(once(None, false)));
    let door = world.doors.door(&site("shop", None), &route).unwrap();
    let first = world.send(&door, 1, post("/orders/1", Some("k"), "buy")).await;
    assert_eq!(first, (200, "1: buy".into(), false));
    assert_eq!(world.send(&door, 1, post("/orders/1", Some("k"), "buy")).await, (200, "1: buy".into(), true));
    assert_eq!(world.send(&door, 1, post("/orders/1", Some("k"), "sell")).await.0, 422);
    assert_eq!(world.send(&door, 2, post("/orders/1", Some("k"), "buy")).await.1, "2: buy");
    assert_eq!(world.send(&door, 1, post("/orders/2", Some("k"), "buy")).await.1, "3: buy");
    assert_eq!(world.send(&door, 1, post("/orders/1", None, "buy")).await.1, "4: buy");
    let other = world.doors.door(&site("other", None), &route).unwrap();
    assert_eq!(world.send(&other, 1, post("/orders/1", Some("k"), "buy")).await.1, "5: buy");
    let tenant = world.doors.door(&site("shop", Some("acme")), &route).unwrap();
    assert_eq!(world.send(&tenant, 1, post("/orders/1", Some("k"), "buy")).await.1, "6: buy");
}

#[tokio::test]
async fn a_caller_is_who_the_header_says_whatever_its_address() {
    let world = World::new(&[]).await;
    let route = route(Vec::new(), Some(once(Some("authorization"), true)));
    let door = world.doors.door(&site("shop", None), &route).unwrap();
    let by = |name: &'static str| {
        let mut request = post("/orders/1", Some("k"), "buy");
        request.headers_mut().insert("authorization", name.parse().unwrap());
        request
    };
    assert_eq!(world.send(&door, 1, by("ada")).await.1, "1: buy");
    assert!(world.send(&door, 2, by("ada")).await.2);
    assert_eq!(world.send(&door, 1, by("bob")).await.1, "2: buy");
    let mut twice = by("ada");
    twice.headers_mut().append("authorization", "bob".parse().unwrap());
    assert_eq!(world.send(&door, 1, twice).await.0, 401);
    assert_eq!(world.send(&door, 1, post("/orders/1", None, "buy")).await.0, 400, "a key is needed");
    assert_eq!(world.send(&door, 1, get(&[])).await.0, 200);
}

#[tokio::test]
async fn a_body_that_is_too_long_to_be_compared_is_refused() {
    let world = World::new(&[]).await;
    let door = world.doors.door(&site("shop", None), &route(Vec::new(), Some(once(None, false)))).unwrap();
    let long: &'static str = "x".repeat(1001).leak();
    assert_eq!(world.send(&door, 1, post("/orders/1", Some("k"), long)).await.0, 413);
    assert_eq!(world.send(&door, 1, post("/orders/1", None, long)).await.0, 200);
}
