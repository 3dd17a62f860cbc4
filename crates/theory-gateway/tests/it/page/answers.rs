//! What clients get of a page that is kept: encodings, conditions, parts, heads.

use std::time::Duration;

use super::world::{Seen, World, answer};

const GZIP: (&str, &str) = ("accept-encoding", "gzip");
const MODIFIED: &str = "Mon, 16 Nov 2026 10:00:00 GMT";

fn long() -> String {
    "<p>all work and no play</p>".repeat(200)
}

async fn world() -> World {
    let world =
        World::new(|_| answer(200, &format!("etag: W/\"theirs\"\r\nlast-modified: {MODIFIED}\r\n"), &long()))
            .await;
    world.get("/blog/one").await;
    world
}

/// Asks until the variant was made beside the answers.
async fn until_encoded(world: &World, accept: &str, encoding: &str) -> Seen {
    for _ in 0..10_000 {
        let seen = world.send("GET", "/blog/one", &[("accept-encoding", accept)]).await;
        if seen.header("content-encoding") == encoding {
            return seen;
        }
        let is_plain = seen.header("content-encoding").is_empty();
        assert!(!is_plain || seen.text() == long(), "until then the bytes are as they are");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("no {encoding} was made");
}

#[tokio::test]
async fn variants_are_made_beside_answers_and_have_tags_of_their_own() {
    let world = world().await;
    let plain = world.get("/blog/one").await;
    let first = world.send("GET", "/blog/one", &[GZIP]).await;
    assert_eq!(first.header("content-encoding"), "", "nobody waits for a compressor");
    let gzip = until_encoded(&world, "gzip", "gzip").await;
    let brotli = until_encoded(&world, "gzip, br", "br").await;
    assert!(gzip.body.len() < plain.body.len() && brotli.body.len() < plain.body.len());
    let tags = [&plain, &gzip, &brotli].map(|seen| seen.header("etag").to_owned());
    assert!(
        tags[0].starts_with('"') && tags[1].ends_with("-gzip\"") && tags[2].ends_with("-br\""),
        "{tags:?}"
    );
    assert_eq!(world.send("GET", "/blog/one", &[("accept-encoding", "br;q=0.1")]).await.body, brotli.body);
    assert_eq!(world.application.heads().len(), 1);
}

#[tokio::test]
async fn a_client_that_takes_no_plain_bytes_waits_for_others() {
    let world = world().await;
    let seen = world.send("GET", "/blog/one", &[("accept-encoding", "gzip, identity;q=0")]).await;
    assert_eq!(seen.header("content-encoding"), "gzip");
}

#[tokio::test]
async fn what_does_not_get_smaller_is_sent_as_it_is() {
    let world = World::new(|_| answer(200, "", "short")).await;
    for _ in 0..20 {
        let seen = world.send("GET", "/blog/one", &[("accept-encoding", "br, gzip")]).await;
        assert_eq!((seen.text(), seen.header("content-encoding")), ("short", ""));
    }
    let world = World::new(|_| {
        let body = long();
        format!("HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    })
    .await;
    let seen = world.send("GET", "/blog/one", &[("accept-encoding", "gzip, identity;q=0")]).await;
    assert_eq!((seen.header("content-encoding"), seen.header("accept-ranges")), ("", "bytes"));
    assert_eq!(seen.header("vary"), "accept-language, cookie, x-draft");
}

#[tokio::test]
async fn a_client_that_has_the_page_does_not_get_it_again() {
    let world = world().await;
    let plain = world.get("/blog/one").await;
    let gzip = until_encoded(&world, "gzip", "gzip").await;
    for (seen, method) in [(&plain, "GET"), (&plain, "HEAD"), (&gzip, "GET")] {
        let etag = seen.header("etag");
        let list = format!("\"x\", W/{etag}");
        let answer = world.send(method, "/blog/one", &[("if-none-match", &list), GZIP]).await;
        assert_eq!((answer.status, answer.body.len(), answer.header("etag")), (304, 0, etag));
        assert_eq!(answer.header("cache-control"), plain.header("cache-control"));
        assert_eq!(answer.header("vary"), plain.header("vary"));
        assert_eq!(answer.header("last-modified"), MODIFIED);
        for absent in ["content-type", "content-length", "content-encoding"] {
            assert_eq!(answer.header(absent), "");
        }
    }
    let since = |date| [("if-modified-since", date)];
    assert_eq!(world.send("GET", "/blog/one", &since(MODIFIED)).await.status, 304);
    let before = "Mon, 16 Nov 2026 09:00:00 GMT";
    assert_eq!(world.send("GET", "/blog/one", &since(before)).await.status, 200);
    assert_eq!(world.send("GET", "/blog/one", &[("if-none-match", "\"old\"")]).await.status, 200);
    assert_eq!(world.send("GET", "/blog/one", &[("if-match", "\"old\"")]).await.status, 412);
}

#[tokio::test]
async fn a_head_says_what_a_get_would() {
    let world = world().await;
    until_encoded(&world, "gzip", "gzip").await;
    for headers in [&[][..], &[GZIP]] {
        let mut get = world.send("GET", "/blog/one", headers).await;
        let mut head = world.send("HEAD", "/blog/one", headers).await;
        assert!(head.body.is_empty());
        assert_eq!(head.header("content-length"), get.body.len().to_string());
        head.headers.retain(|(name, _)| name != "content-length");
        get.body.clear();
        assert_eq!(head, get);
    }
    assert_eq!(world.send("HEAD", "/blog/two", &[]).await.state(), "miss");
    assert_eq!(world.get("/blog/two").await.text(), long(), "what a HEAD made has its body");
    assert!(world.application.heads().iter().all(|head| head.starts_with("GET ")));
}

#[tokio::test]
async fn a_part_of_a_page_is_a_part_of_its_plain_bytes() {
    let world = world().await;
    until_encoded(&world, "gzip", "gzip").await;
    let whole = long();
    let length = whole.len();
    let part = async |range: &str| world.send("GET", "/blog/one", &[("range", range), GZIP]).await;
    let seen = part("bytes=3-10").await;
    assert_eq!((seen.status, seen.text()), (206, &whole[3..=10]));
    assert_eq!(seen.header("content-range"), format!("bytes 3-10/{length}"));
    assert_eq!(part("bytes=-5").await.text(), &whole[length - 5..]);
    let beyond = part("bytes=999999-").await;
    assert_eq!((beyond.status, beyond.header("content-range")), (416, &*format!("bytes */{length}")));
    for whole_range in ["bytes=0-1,3-4", "lines=1-2", "bytes=5-4"] {
        assert_eq!((part(whole_range).await.status, part(whole_range).await.text()), (200, &*whole));
    }
    let etag = world.get("/blog/one").await.header("etag").to_owned();
    let if_range = async |tag: &str| {
        world.send("GET", "/blog/one", &[("range", "bytes=0-0"), ("if-range", tag)]).await.status
    };
    assert_eq!((if_range(&etag).await, if_range("\"old\"").await), (206, 200));
    assert_eq!(world.send("HEAD", "/blog/one", &[("range", "bytes=0-0")]).await.status, 200);
}

#[tokio::test]
async fn browsers_hear_what_the_application_says_to_them() {
    let world =
        World::new(|_| answer(200, "cache-control: max-age=30, s-maxage=600\r\nexpires: 0\r\n", "x")).await;
    world.get("/blog/one").await;
    let hit = world.get("/blog/one").await;
    assert_eq!(hit.header("cache-control"), "max-age=30");
    assert_eq!(hit.header("expires"), "");
}
