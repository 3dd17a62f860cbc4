//! Clients that want the same at the same time: one request does for all of them, where its answer is for all.

use std::sync::Arc;

use futures_util::future::join_all;
use http::Method;

use super::world::{Got, World, say};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");
const CLIENTS: usize = 20;

/// What so many clients get who all ask before the origin answers.
async fn ask_together(world: &World, path: &str) -> Vec<Got> {
    let closed = Arc::clone(&world.gate).acquire_owned().await.unwrap();
    let before = world.asked();
    let clients = join_all((0..CLIENTS).map(|_| world.get(path)));
    let open = async {
        world.until_asked(before + 1).await;
        // Everybody else stands where it waits: on this one thread nothing runs that could still get there.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        drop(closed);
    };
    tokio::join!(clients, open).0
}

#[tokio::test]
async fn one_request_does_for_all_who_wait() {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    let got = ask_together(&world, "/a").await;
    assert!(got.iter().all(|got| got.text() == "hello"));
    assert_eq!(world.asked(), 1);
    let collapsed = got.iter().filter(|got| got.header("cache-status") == "theory; fwd=uri-miss; collapsed");
    assert_eq!(collapsed.count(), CLIENTS - 1);
}

#[tokio::test]
async fn what_is_stale_is_asked_about_once_for_all() {
    let world = World::new(|_, _| say(&[FRESH, ("etag", "\"v1\"")], "hello")).await;
    world.get("/a").await;
    world.advance(60);
    world.now_says(super::world::say_status(304, &[FRESH]));
    let got = ask_together(&world, "/a").await;
    assert!(got.iter().all(|got| got.status == 200 && got.text() == "hello"));
    assert_eq!(world.asked(), 2);
}

#[tokio::test]
async fn what_is_for_one_client_is_asked_for_by_each_and_nobody_waits_the_next_time() {
    let world = World::new(|_, number| {
        let cookie = format!("id={number}");
        say(&[FRESH, ("set-cookie", &cookie)], "hello")
    })
    .await;
    let got = ask_together(&world, "/a").await;
    let mut cookies: Vec<_> = got.iter().map(|got| got.header("set-cookie")).collect();
    cookies.sort_unstable();
    cookies.dedup();
    assert_eq!((cookies.len(), world.asked()), (CLIENTS, CLIENTS));
    let closed = world.gate.acquire().await.unwrap();
    let clients = join_all((0..CLIENTS).map(|_| world.get("/a")));
    let open = async {
        world.until_asked(2 * CLIENTS).await;
        drop(closed);
    };
    tokio::join!(clients, open);
}

#[tokio::test]
async fn a_client_that_leaves_leaves_the_lead_to_one_other() {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    let closed = world.gate.acquire().await.unwrap();
    let mut leaving = Box::pin(world.get("/a"));
    tokio::select! {
        _ = &mut leaving => panic!("the origin does not answer"),
        () = world.until_asked(1) => {}
    }
    let clients = join_all((0..CLIENTS).map(|_| world.get("/a")));
    let leave = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        drop(leaving);
        world.until_asked(2).await;
        drop(closed);
    };
    let (got, ()) = tokio::join!(clients, leave);
    assert!(got.iter().all(|got| got.text() == "hello"));
    assert_eq!(world.asked(), 2);
}

#[tokio::test]
async fn what_was_asked_for_before_a_change_is_not_kept_after_it() {
    let world = World::new(|head, number| match head.method {
        Method::GET => say(&[FRESH], if number == 1 { "before" } else { "after" }),
        _ => say(&[], ""),
    })
    .await;
    // The head is there, the body not yet read: the answer is on its way.
    let under_way = world.answer("site", Method::GET, "/a", &[("x-own", "1")], "").await;
    world.send_in("site", Method::POST, "/a", &[], "change").await;
    let read = http_body_util::BodyExt::collect(under_way.into_body()).await.unwrap().to_bytes();
    assert_eq!(read, "before");
    assert_eq!(world.get("/a").await.text(), "after");
}
