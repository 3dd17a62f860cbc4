//! What operators have forgotten, in the cache and through the gateway.

use facetheory::meta::Purge;
use http::Method;
use serde_json::{Value, json};
use theory_gateway::cache::Meant;
use theory_gateway::config::{Document, Flags, read};
use theory_gateway::run::Running;

use super::world::{World, say, say_status};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");
const TOKEN: &str = "a-token-of-an-operator";

/// Which of these are still answered from what is kept. Whatever is not is kept afterwards.
async fn hits(world: &World, asked: &[(&'static str, &'static str)]) -> Vec<&'static str> {
    let mut hits = Vec::new();
    for (scope, path) in asked {
        if world.send_in(scope, Method::GET, path, &[], "").await.is_hit() {
            hits.push(*path);
        }
    }
    hits
}

#[tokio::test]
async fn an_address_is_forgotten_in_all_its_variants_and_nowhere_else() {
    let world = World::new(|_, _| say(&[FRESH, ("vary", "foo")], "hello")).await;
    let asked = [("t#a", "/p"), ("t#a", "/p?q"), ("t#b", "/other/p")];
    hits(&world, &asked).await;
    for foo in ["1", "2"] {
        world.send_in("t#a", Method::GET, "/p", &[("foo", foo)], "").await;
    }
    let elsewhere = Meant::Address { host: Some("other.example"), target: "/p" };
    assert_eq!(world.cache.purge(|_| true, elsewhere, Purge::Gone), 0);
    let here = Meant::Address { host: Some("site.example"), target: "/p" };
    assert_eq!(world.cache.purge(|scope| scope == "t#b", here, Purge::Gone), 0);
    assert_eq!(world.cache.purge(|scope| scope == "t#a", here, Purge::Gone), 3);
    assert_eq!(hits(&world, &asked).await, ["/p?q", "/other/p"]);
    let anywhere = Meant::Address { host: None, target: "/p" };
    assert_eq!(world.cache.purge(|_| true, anywhere, Purge::Gone), 1);
}

#[tokio::test]
async fn a_tag_and_a_scope_are_forgotten() {
    let world = World::new(|head, _| {
        let tags = if head.uri.path() == "/news" { "news, front" } else { "shop" };
        say(&[FRESH, ("cache-tag", tags)], "hello")
    })
    .await;
    let asked = [("a#1", "/news"), ("a#1", "/shop"), ("b#1", "/all")];
    hits(&world, &asked).await;
    assert_eq!(world.cache.purge(|_| true, Meant::Tag("news"), Purge::Gone), 1);
    assert_eq!(hits(&world, &asked).await, ["/shop", "/all"]);
    assert_eq!(world.cache.purge(|scope| scope.starts_with("a#"), Meant::All, Purge::Gone), 2);
    assert_eq!((hits(&world, &asked).await, world.cache.addresses()), (vec!["/all"], 3));
}

#[tokio::test]
async fn what_is_marked_stale_is_asked_about_or_sent_while_it_is() {
    let world = World::new(|head, _| {
        let may =
            if head.uri.path() == "/later" { "max-age=60, stale-while-revalidate=60" } else { "max-age=60" };
        say(&[("cache-control", may), ("etag", "\"v1\"")], "hello")
    })
    .await;
    for path in ["/now", "/later"] {
        world.get(path).await;
    }
    world.advance(10);
    assert_eq!(world.cache.purge(|_| true, Meant::All, Purge::Stale), 2);
    let later = world.get("/later").await;
    assert_eq!((later.header("cache-status"), later.header("age")), ("theory; hit; ttl=0", "10"));
    world.until_asked(3).await;
    world.now_says(say_status(304, &[FRESH]));
    let now = world.get("/now").await;
    assert_eq!(now.header("cache-status"), "theory; fwd=stale; fwd-status=304; stored");
    assert!(world.get("/now").await.is_hit());
}

#[tokio::test]
async fn what_is_on_its_way_during_a_purge_is_not_kept() {
    for meant in [Meant::All, Meant::Tag("any"), Meant::Address { host: None, target: "/a" }] {
        let world = World::new(|_, _| say(&[FRESH], "hello")).await;
        let closed = world.gate.clone().acquire_owned().await.unwrap();
        let purge = async {
            world.until_asked(1).await;
            assert_eq!(world.cache.purge(|_| true, meant, Purge::Gone), 0);
            drop(closed);
        };
        let (got, ()) = tokio::join!(world.get("/a"), purge);
        assert_eq!((got.text(), world.cache.addresses()), ("hello", 0), "{meant:?}");
    }
}

/// A gateway before the origin of a world, and somebody who operates it.
struct Operated {
    gateway: Running,
    client: reqwest::Client,
}

impl Operated {
    async fn before(world: &World) -> Self {
        let settings = format!(
            "listen = '127.0.0.1:0'\nadmin = {{listen = '127.0.0.1:0', token = '{TOKEN}'}}\nstore = {{kind = 'memory'}}\n\
             [[site]]\nname = 'shop'\nhosts = ['*']\norigin = 'http://{origin}'\ntenant = 'acme'\n\
             route = [{{path = '/{{*rest}}', kind = 'http-cache'}}]\n\
             [[site]]\nname = 'blog'\nhosts = ['blog.example']\norigin = 'http://{origin}'\n\
             route = [{{path = '/{{*rest}}', kind = 'http-cache'}}]",
            origin = world.address
        );
        let document = Document::new("theory.toml", "", settings);
        let effective =
            read(&document, &Flags::default(), &|_| None).unwrap_or_else(|error| panic!("{error}"));
        let gateway = Running::start(effective.settings).await.unwrap();
        Self { gateway, client: reqwest::Client::new() }
    }

    /// Whether it is answered from what is kept.
    async fn hits(&self, host: &str, path: &str) -> bool {
        let request = self.client.get(format!("http://{}{path}", self.gateway.addresses()[0]));
        let answer = request.header("host", host).send().await.unwrap();
        let is_hit = answer.headers()["cache-status"].to_str().unwrap().contains("; hit");
        answer.bytes().await.unwrap();
        is_hit
    }

    async fn operate(&self, path: &str, body: &Value) -> Value {
        let url = format!("http://{}{path}", self.gateway.admin().unwrap().0);
        let request =
            if body.is_null() { self.client.get(url) } else { self.client.post(url).body(body.to_string()) };
        let answer = request.bearer_auth(TOKEN).send().await.unwrap();
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
    }
}

#[tokio::test]
async fn operators_have_forgotten_what_they_name() {
    let world = World::new(|_, _| say(&[FRESH, ("surrogate-key", "one two")], "hello")).await;
    let operated = Operated::before(&world).await;
    let asked = [("any.example", "/a"), ("other.example", "/a"), ("blog.example", "/a")];
    for (what, answers, left) in [
        (json!({ "url": "http://any.example/a" }), json!(1), [false, true, true]),
        (json!({ "url": "shop/a" }), json!(2), [false, false, true]),
        (json!({ "url": "http://blog.example/a", "hard": false }), json!(1), [true, true, false]),
        (json!({ "url": "http://blog.example/b" }), json!(0), [true, true, true]),
        (json!({ "tenant": "acme" }), json!(2), [false, false, true]),
        (json!({ "tag": "two", "tenant": "acme" }), json!(2), [false, false, true]),
        (json!({ "tag": "three" }), json!(0), [true, true, true]),
        (json!({ "all": true }), json!(3), [false, false, false]),
    ] {
        for (host, path) in asked {
            operated.hits(host, path).await;
        }
        let done = operated.operate("/api/pages/purge", &what).await;
        let told = if done["answers"].is_null() { &done["http_cache"]["answers"] } else { &done["answers"] };
        assert_eq!(*told, answers, "{what}: {done}");
        for ((host, path), is_left) in asked.into_iter().zip(left) {
            assert_eq!(operated.hits(host, path).await, is_left, "{what}: {host}{path}");
        }
    }
    let kept = &operated.operate("/api/overview?series=none", &Value::Null).await["http_cache"];
    assert_eq!(kept["addresses"], 3);
    assert!(
        kept["bytes"].as_u64() > Some(0) && kept["bytes"].as_u64() < kept["bytes_max"].as_u64(),
        "{kept}"
    );
    operated.gateway.stop().await.unwrap();
}
