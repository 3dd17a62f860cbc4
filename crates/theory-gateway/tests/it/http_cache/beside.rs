//! Requests beside answers end, whatever the application answers. They once read on for as long as it went on, also what was not
//! kept; 64 of them are all there may be, and then nothing was refreshed any more until a restart.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::world::World;
use crate::origin::raw::Raw;

const PATIENCE: Duration = Duration::from_secs(20);
/// All that may be under way at once.
const BESIDE: u32 = 64;
const KEPT: &str = "cache-control: max-age=1, stale-while-revalidate=60";

/// An application whose answers are short at first. Then those of `/live` go on for ever with this head and these pieces, until the
/// connection is closed.
struct Application {
    raw: Raw,
    closed: Arc<Semaphore>,
}

impl Application {
    async fn start(head: String, piece: String) -> Self {
        let closed = Arc::new(Semaphore::new(0));
        let (noted, seen) = (Arc::clone(&closed), Arc::<Mutex<HashSet<String>>>::default());
        let piece = format!("{:x}\r\n{piece}\r\n", piece.len());
        let raw = Raw::start(move |mut line| {
            let (closed, seen) = (Arc::clone(&noted), Arc::clone(&seen));
            let (head, piece) = (head.clone(), piece.clone());
            async move {
                while let Some(asked) = line.head().await {
                    let path = asked.split(' ').nth(1).unwrap().to_owned();
                    let is_live = path.starts_with("/live");
                    let body = if seen.lock().insert(path) { "old" } else { "new" };
                    if body == "old" || !is_live {
                        line.say(&format!(
                            "HTTP/1.1 200 OK\r\n{KEPT}\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n{body}"
                        ))
                        .await;
                        continue;
                    }
                    line.say(&format!("HTTP/1.1 200 OK\r\n{head}\r\ntransfer-encoding: chunked\r\n\r\n")).await;
                    while line.stream.write_all(piece.as_bytes()).await.is_ok() {
                        sleep(Duration::from_millis(20)).await;
                    }
                    closed.add_permits(1);
                    return;
                }
            }
        })
        .await;
        Self { raw, closed }
    }

    /// Lets as many refreshes as there may be come to answers without an end, and sees that all of them end nevertheless.
    async fn refreshes_end(&self, world: &World) {
        let paths: Vec<_> = (0..BESIDE).map(|number| format!("/live/{number}")).collect();
        for path in paths.iter().map(String::as_str).chain(["/other"]) {
            assert_eq!(world.get(path).await.text(), "old");
        }
        world.advance(2);
        for path in &paths {
            let stale = world.get(path).await;
            assert_eq!((stale.text(), stale.is_hit()), ("old", true));
        }
        let closed = timeout(PATIENCE, self.closed.acquire_many(BESIDE)).await;
        closed.expect("each connection is closed").unwrap().forget();
        let refreshed = async {
            while world.get("/other").await.text() == "old" {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, refreshed).await.expect("another address is refreshed as ever");
    }
}

#[tokio::test]
async fn a_stream_of_events_is_not_listened_to() {
    for head in
        ["content-type: text/event-stream", "content-type: text/event-stream\r\ncache-control: max-age=60"]
    {
        let application = Application::start(head.to_owned(), "data: 1\n\n".to_owned()).await;
        let world = World::at(application.raw.address).await;
        application.refreshes_end(&world).await;
    }
}

#[tokio::test]
async fn what_must_not_be_kept_is_not_read() {
    let application = Application::start("cache-control: no-store".to_owned(), "x".to_owned()).await;
    let world = World::at(application.raw.address).await;
    application.refreshes_end(&world).await;
}

#[tokio::test]
async fn what_becomes_too_large_is_read_no_further() {
    let application = Application::start(KEPT.to_owned(), "x".repeat(20_000)).await;
    let world = World::at(application.raw.address).await;
    application.refreshes_end(&world).await;
}

#[tokio::test]
async fn what_drips_is_given_up_after_the_patience_for_an_application() {
    let application = Application::start(KEPT.to_owned(), "x".to_owned()).await;
    let set = |settings: &mut theory_gateway::settings::OriginSettings| {
        settings.connect_wait = Duration::from_secs(2);
        settings.head_wait = Duration::from_secs(2);
        settings.body_wait = Duration::from_millis(500);
    };
    let world = World::with(application.raw.address, set).await;
    application.refreshes_end(&world).await;
}
