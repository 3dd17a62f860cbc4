//! Requests that change something end what is kept of it.

use http::Method;

use super::world::{World, say, say_status};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");

async fn world() -> World {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    for path in ["/a", "/made", "/a/part", "/other"] {
        world.get(path).await;
    }
    world
}

async fn hits(world: &World) -> Vec<&'static str> {
    let mut hits = Vec::new();
    for path in ["/a", "/made", "/a/part", "/other"] {
        if world.get(path).await.is_hit() {
            hits.push(path);
        }
    }
    hits
}

#[tokio::test]
async fn a_change_ends_its_address_and_those_it_names() {
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        let world = world().await;
        let named = [("location", "http://site.example/made"), ("content-location", "a/part")];
        world.now_says(say_status(201, &named));
        let changed = world.send(method, "/a", &[]).await;
        assert_eq!((changed.status, changed.header("cache-status")), (201, "theory; fwd=method"));
        world.now_says(say(&[FRESH], "hello"));
        assert_eq!(hits(&world).await, ["/other"]);
    }
}

#[tokio::test]
async fn what_failed_and_what_changes_nothing_ends_nothing() {
    let all = ["/a", "/made", "/a/part", "/other"];
    let world = world().await;
    world.now_says(say_status(500, &[("location", "/made")]));
    assert_eq!(world.send(Method::POST, "/a", &[]).await.status, 500);
    assert_eq!(hits(&world).await, all);
    world.now_says(say_status(200, &[("location", "/made")]));
    assert_eq!(world.send(Method::OPTIONS, "/a", &[]).await.status, 200);
    assert_eq!(hits(&world).await, all);
    world.now_says(say_status(200, &[("location", "http://elsewhere.example/made")]));
    world.send(Method::POST, "/nothing", &[]).await;
    assert_eq!(hits(&world).await, all);
}
