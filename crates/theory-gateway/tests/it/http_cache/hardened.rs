//! What clients cannot do to the application behind the cache: have it asked again at will, and multiply what is kept of one address.

use super::world::{World, say};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");
const WISHES: [(&str, &str); 6] = [
    ("cache-control", "no-cache"),
    ("cache-control", "no-store"),
    ("cache-control", "max-age=0"),
    ("cache-control", "min-fresh=61"),
    ("cache-control", "no-cache, no-store, max-age=0, must-revalidate"),
    ("pragma", "no-cache"),
];

#[tokio::test]
async fn nobody_has_the_application_asked_while_something_fresh_is_kept() {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    for wish in WISHES {
        let got = world.get_with("/a", &[wish]).await;
        assert_eq!((got.text(), world.asked()), ("hello", 1), "{wish:?}");
    }
    // Whoever wants no more than what is kept, or something older, is still heard.
    assert_eq!(world.get_with("/b", &[("cache-control", "only-if-cached")]).await.status, 504);
    world.advance(60);
    assert!(world.get_with("/a", &[("cache-control", "max-stale=10")]).await.is_hit());
    assert_eq!(world.asked(), 1);
}

#[tokio::test]
async fn where_clients_are_obeyed_they_have_it_asked() {
    let mut world = World::new(|_, _| say(&[FRESH], "hello")).await;
    world.route.obeys_clients = true;
    world.get("/a").await;
    for (place, wish) in WISHES.into_iter().take(4).enumerate() {
        world.get_with("/a", &[wish]).await;
        assert_eq!(world.asked(), place + 2, "{wish:?}");
    }
}

#[tokio::test]
async fn ways_to_write_the_same_codings_are_one_variant() {
    let world = World::new(|_, _| say(&[FRESH, ("vary", "accept-encoding")], "hello")).await;
    for said in [
        "gzip, deflate, br",
        "br;q=1.0, gzip;q=0.5",
        "x-gzip,br",
        "BR, GZIP, nonsense-1",
        "br,gzip,,nonsense-2",
    ] {
        world.get_with("/a", &[("accept-encoding", said)]).await;
        assert_eq!(
            (world.asked(), &world.last()["accept-encoding"]),
            (1, &"br, gzip".parse().unwrap()),
            "{said}"
        );
    }
    for (place, said) in ["gzip", "zstd", "identity"].into_iter().enumerate() {
        world.get_with("/a", &[("accept-encoding", said)]).await;
        assert_eq!(
            (world.asked(), &world.last()["accept-encoding"]),
            (place + 2, &said.parse().unwrap()),
            "{said}"
        );
    }
    assert!(world.get("/a").await.is_hit(), "who says nothing wants no coding");
}
