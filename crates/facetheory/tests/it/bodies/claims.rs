//! What bodies promise, wherever they lie.

use std::collections::HashSet;

use bytes::Bytes;
use facetheory::body::{BodyError, BodyKey, BodySettings, BodySweep, Digest, Encoding, Stored};
use futures_util::future::join_all;
use tabletheory_core::Timestamp;

use super::world::World;

const ALL_ARE_OLD: Timestamp = Timestamp::from_millis(i64::MAX);
const ALL_ARE_YOUNG: Timestamp = Timestamp::from_millis(0);

fn key(number: usize) -> BodyKey {
    BodyKey::new(&format!("CACHE#{}", number % 7), &format!("token {number}"))
}

pub(super) async fn what_was_put_is_read_by_another_process(world: World) {
    let stored = world.bodies().put(&key(1), Bytes::from("<h1>News</h1>")).await.unwrap();
    assert_eq!(stored, Stored::of(b"<h1>News</h1>"));

    let body = world.bodies().get(key(1).as_str(), Some(&stored)).await.unwrap().unwrap();
    assert_eq!(body.bytes(), "<h1>News</h1>");
    assert_eq!(body.sha256(), Digest::of(b"<h1>News</h1>"));
}

pub(super) async fn bodies_of_every_size_are_read_back(world: World) {
    let bodies = world.bodies();
    for (number, len) in [0, 1, 1023, 1024, 65_537, 3 << 20].into_iter().enumerate() {
        let bytes = Bytes::from((0..len).map(|at| u8::try_from(at % 251).unwrap()).collect::<Vec<_>>());
        let stored = bodies.put(&key(number), bytes.clone()).await.unwrap();
        assert_eq!(stored.len, len as u64);
        for bodies in [&bodies, &world.bodies()] {
            let body = bodies.get(key(number).as_str(), Some(&stored)).await.unwrap().unwrap();
            assert!(body.bytes() == &bytes, "{len} bytes");
            assert_eq!(body.is_empty(), len == 0);
        }
    }
}

pub(super) async fn putting_the_same_bytes_again_is_harmless(world: World) {
    let bodies = world.bodies();
    let stored = bodies.put(&key(1), Bytes::from("page")).await.unwrap();
    assert_eq!(bodies.put(&key(1), Bytes::from("page")).await.unwrap(), stored);
    assert_eq!(world.bodies().put(&key(1), Bytes::from("page")).await.unwrap(), stored);
    assert!(world.bodies().get(key(1).as_str(), Some(&stored)).await.unwrap().is_some());
    let sweep = bodies.sweep(ALL_ARE_YOUNG, &|_| false).await.unwrap();
    assert_eq!(sweep, BodySweep { seen: 1, kept_young: 1, ..BodySweep::default() });
}

pub(super) async fn puts_at_the_same_time_do_not_disturb_each_other(world: World) {
    let bodies = world.bodies();
    let keys: Vec<BodyKey> =
        (0..24).map(|number| BodyKey::new("CACHE#1", &format!("{}", number / 2))).collect();
    let puts = keys.iter().enumerate().map(|(number, key)| bodies.put(key, text(number / 2)));
    let puts = join_all(puts).await;
    let cold = world.bodies();
    for (number, stored) in puts.into_iter().enumerate() {
        let body = cold.get(keys[number].as_str(), Some(&stored.unwrap())).await.unwrap().unwrap();
        assert_eq!(body.bytes(), &text(number / 2));
    }
}

fn text(number: usize) -> Bytes {
    Bytes::from(format!("page {number}").repeat(1000))
}

pub(super) async fn a_pointer_to_nothing_is_a_miss(world: World) {
    let bodies = world.bodies();
    assert!(bodies.get(key(1).as_str(), None).await.unwrap().is_none());
    assert!(bodies.get(key(1).as_str(), Some(&Stored::of(b"page"))).await.unwrap().is_none());
    assert!(bodies.cached(key(1).as_str(), None).is_none());
    assert_eq!(bodies.usage().missing, 2);
}

pub(super) async fn a_hostile_pointer_is_a_miss(world: World) {
    let bodies = world.bodies_with(BodySettings { prefix: "isr".to_owned(), ..BodySettings::default() });
    bodies.put(&key(1), Bytes::from("page")).await.unwrap();
    world.plant("secret", "secret").await;
    let long = "a".repeat(10_000);
    let deep = "a/".repeat(5_000) + "a";
    let wide = "a".repeat(400);
    let under = format!("{}/x", key(1).as_str());
    let leftover = format!("{}#1", key(1).as_str());
    let hostile = [
        "",
        "/",
        ".",
        "..",
        "../secret",
        "x/../../secret",
        "/etc/passwd",
        "../../../../etc/passwd",
        "isr/../../secret",
        "..\\secret",
        "a\0b",
        "\n",
        "a//b",
        "a/",
        "%2e%2e/secret",
        "%2e%2e%2fsecret",
        "~/secret",
        "?x=1",
        "#",
        "#1",
        "☃",
        &long,
        &deep,
        &wide,
        &under,
        &leftover,
        "C:\\x",
    ];
    for pointer in hostile {
        let found = bodies.get(pointer, None).await;
        assert!(matches!(found, Ok(None)), "{pointer:?}: {found:?}");
        assert!(bodies.get(pointer, Some(&Stored::of(b"secret"))).await.unwrap().is_none(), "{pointer:?}");
    }
}

pub(super) async fn a_body_of_another_store_is_read(world: World) {
    world.plant("isr/abc/123-uuid.html", "<h1>TypeScript</h1>").await;
    let body = world.bodies().get("isr/abc/123-uuid.html", None).await.unwrap().unwrap();
    assert_eq!(body.bytes(), "<h1>TypeScript</h1>");
    let expected = Stored::of(b"<h1>TypeScript</h1>");
    assert!(world.bodies().get("isr/abc/123-uuid.html", Some(&expected)).await.unwrap().is_some());
}

pub(super) async fn a_body_that_is_not_what_was_promised_is_a_miss(world: World) {
    let warm = world.bodies();
    let stored = warm.put(&key(1), Bytes::from("page")).await.unwrap();
    let promises = [
        Stored { len: 3, ..stored },
        Stored { len: u64::MAX, ..stored },
        Stored { sha256: Digest::of(b"PAGE"), ..stored },
        Stored { sha256: Digest::from_bytes([0; 32]), len: 0 },
    ];
    let cold = world.bodies();
    for bodies in [&warm, &cold] {
        for promise in &promises {
            assert!(bodies.get(key(1).as_str(), Some(promise)).await.unwrap().is_none());
            assert!(bodies.cached(key(1).as_str(), Some(promise)).is_none());
        }
        assert_eq!(bodies.usage().altered, 4);
        assert!(
            bodies.get(key(1).as_str(), Some(&stored)).await.unwrap().is_some(),
            "the right promise still holds"
        );
    }
}

pub(super) async fn a_body_altered_in_its_place_is_a_miss(world: World) {
    let stored = world.bodies().put(&key(1), Bytes::from("the whole page")).await.unwrap();
    for altered in ["the whole pag", "", "THE WHOLE PAGE", "the whole page and more"] {
        world.plant(key(1).as_str(), altered).await;
        let bodies = world.bodies();
        assert!(bodies.get(key(1).as_str(), Some(&stored)).await.unwrap().is_none(), "{altered:?}");
        assert!(bodies.cached(key(1).as_str(), None).is_none(), "what was refused is not kept");
        assert_eq!(bodies.usage().altered, 1);
    }
    world.plant(key(1).as_str(), "the whole page").await;
    assert!(world.bodies().get(key(1).as_str(), Some(&stored)).await.unwrap().is_some());
}

pub(super) async fn a_warm_body_is_served_without_asking_the_store(world: World) {
    let writer = world.bodies();
    let stored = writer.put(&key(1), Bytes::from("<p>".repeat(1000))).await.unwrap();
    let reader = world.bodies();
    assert!(reader.cached(key(1).as_str(), Some(&stored)).is_none());
    for (bodies, reads) in [(writer, 0), (reader, 1)] {
        let first = bodies.get(key(1).as_str(), Some(&stored)).await.unwrap().unwrap();
        let gzip = first.encoded(Encoding::Gzip).unwrap();
        let second = bodies.get(key(1).as_str(), Some(&stored)).await.unwrap().unwrap();
        let third = bodies.cached(key(1).as_str(), Some(&stored)).unwrap();
        assert_eq!(first.bytes().as_ptr(), second.bytes().as_ptr(), "nothing was copied");
        assert_eq!(
            third.encoded(Encoding::Gzip).unwrap().as_ptr(),
            gzip.as_ptr(),
            "nothing was compressed again"
        );
        let usage = bodies.usage();
        assert_eq!((usage.gets, usage.hot_hits), (reads, 3 - reads));
        assert!(usage.hot_bodies == 1 && usage.hot_bytes >= 3000 + gzip.len() as u64);
    }
}

pub(super) async fn a_wrong_body_in_memory_does_not_hide_the_right_one(world: World) {
    let bodies = world.bodies();
    world.plant(key(1).as_str(), "wrong").await;
    // Read without a promise, so whatever lies there is taken and kept.
    assert_eq!(bodies.get(key(1).as_str(), None).await.unwrap().unwrap().bytes(), "wrong");
    world.plant(key(1).as_str(), "right").await;
    let body = bodies.get(key(1).as_str(), Some(&Stored::of(b"right"))).await.unwrap().unwrap();
    assert_eq!(body.bytes(), "right");
}

pub(super) async fn readers_at_the_same_time_cost_one_read(world: World) {
    let (key, stored) = (key(1), world.bodies().put(&key(1), Bytes::from("page")).await.unwrap());
    let bodies = world.bodies();
    for body in join_all((0..50).map(|_| bodies.get(key.as_str(), Some(&stored)))).await {
        assert_eq!(body.unwrap().unwrap().bytes(), "page");
    }
    assert_eq!(bodies.usage().gets, 1);
}

pub(super) async fn a_large_body_is_not_kept_in_memory(world: World) {
    let bodies = world.bodies_with(BodySettings { hot_bytes: 160 << 10, ..BodySettings::default() });
    let large = Bytes::from(vec![b'a'; (10 << 10) + 1]);
    let stored = bodies.put(&key(1), large.clone()).await.unwrap();
    for reads in 1..3 {
        assert!(bodies.cached(key(1).as_str(), Some(&stored)).is_none());
        let body = bodies.get(key(1).as_str(), Some(&stored)).await.unwrap().unwrap();
        assert_eq!(body.bytes(), &large);
        assert!(body.encoded(Encoding::Brotli).is_some());
        assert_eq!((bodies.usage().gets, bodies.usage().hot_bytes), (reads, 0));
    }
}

pub(super) async fn a_body_over_the_limit_is_neither_put_nor_read(world: World) {
    let bodies = world.bodies_with(BodySettings { body_bytes_max: 4, ..BodySettings::default() });
    let refused = bodies.put(&key(1), Bytes::from("pages")).await;
    assert!(matches!(refused, Err(BodyError::TooLarge { len: 5, max: 4 })), "{refused:?}");
    assert!(bodies.get(key(1).as_str(), None).await.unwrap().is_none());
    world.plant("large", "pages").await;
    let refused = bodies.get("large", None).await;
    assert!(matches!(refused, Err(BodyError::TooLarge { len: 5, max: 4 })), "{refused:?}");
    bodies.put(&key(1), Bytes::from("page")).await.unwrap();
}

pub(super) async fn bodies_lie_below_their_prefix(world: World) {
    let below = BodySettings { prefix: "isr/v1".to_owned(), ..BodySettings::default() };
    let stored = world.bodies_with(below.clone()).put(&key(1), Bytes::from("page")).await.unwrap();
    let whole = format!("isr/v1/{}", key(1).as_str());
    assert!(world.bodies().get(&whole, Some(&stored)).await.unwrap().is_some());
    assert!(world.bodies().get(key(1).as_str(), None).await.unwrap().is_none());

    // A sweep of one prefix sees nothing of another, also not of one that begins alike.
    let beside = BodySettings { prefix: "isr/v".to_owned(), ..BodySettings::default() };
    assert_eq!(world.bodies_with(beside).sweep(ALL_ARE_OLD, &|_| false).await.unwrap().seen, 0);
    let sweep = world.bodies_with(below).sweep(ALL_ARE_OLD, &|_| false).await.unwrap();
    assert_eq!((sweep.deleted, sweep.deleted_bytes), (1, 4));
}

pub(super) async fn the_sweep_spares_young_live_and_foreign_bodies(world: World) {
    let bodies = world.bodies();
    for number in 0..10 {
        bodies.put(&key(number), text(number)).await.unwrap();
    }
    world.plant("isr/abc/123-uuid.html", "TypeScript").await;
    world.plant("README.md", "not a body").await;

    let young = bodies.sweep(ALL_ARE_YOUNG, &|_| panic!("a young body is not asked about")).await.unwrap();
    assert_eq!(young, BodySweep { seen: 12, kept_young: 10, kept_foreign: 2, ..BodySweep::default() });

    let live: HashSet<String> = (0..4).map(|number| key(number).as_str().to_owned()).collect();
    let swept = bodies.sweep(ALL_ARE_OLD, &|pointer| live.contains(pointer)).await.unwrap();
    let deleted_bytes = (4..10).map(|number| text(number).len() as u64).sum();
    let expected = BodySweep {
        seen: 12,
        kept_live: 4,
        kept_foreign: 2,
        deleted: 6,
        deleted_bytes,
        ..BodySweep::default()
    };
    assert_eq!(swept, expected);
    assert_eq!(bodies.usage().deletes, 6);

    let cold = world.bodies();
    for number in 0..10 {
        let found = cold.get(key(number).as_str(), Some(&Stored::of(&text(number)))).await.unwrap();
        assert_eq!(found.is_some(), number < 4, "body {number}");
    }
    assert!(cold.get("isr/abc/123-uuid.html", None).await.unwrap().is_some());
    assert!(cold.get("README.md", None).await.unwrap().is_some());
}

pub(super) async fn the_sweep_lets_go_of_what_it_deleted(world: World) {
    let bodies = world.bodies();
    bodies.put(&key(1), Bytes::from("page")).await.unwrap();
    bodies.sweep(ALL_ARE_OLD, &|_| false).await.unwrap();
    assert!(bodies.cached(key(1).as_str(), None).is_none());
    assert!(bodies.get(key(1).as_str(), None).await.unwrap().is_none());
    bodies.put(&key(1), Bytes::from("again")).await.unwrap();
    assert!(world.bodies().get(key(1).as_str(), None).await.unwrap().is_some());
}

pub(super) async fn the_sweep_goes_through_many_bodies(world: World) {
    const MANY: usize = 1_100;
    for number in 0..MANY {
        world.plant(key(number).as_str(), "page").await;
    }
    let bodies = world.bodies();
    let live = key(0);
    let swept = bodies.sweep(ALL_ARE_OLD, &|pointer| pointer == live.as_str()).await.unwrap();
    assert_eq!((swept.seen, swept.kept_live, swept.deleted), (MANY as u64, 1, MANY as u64 - 1));
    assert_eq!(bodies.sweep(ALL_ARE_OLD, &|_| true).await.unwrap().seen, 1);
}

pub(super) async fn sweeping_nothing_is_nothing(world: World) {
    assert_eq!(world.bodies().sweep(ALL_ARE_OLD, &|_| false).await.unwrap(), BodySweep::default());
}
