//! The site as its readers meet it: over a socket, with a client of the field, in time that the test moves.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use facetheory::{Bodies, Event, Isr, MetaStore, Observer, PageKey};
use reqwest::{Client, Response};
use tabletheory::core::Seconds;
use tabletheory::testing::TestStore;
use tokio::task::JoinSet;

/// Counts renders.
#[derive(Debug, Default)]
struct Renders(AtomicU64);

impl Observer for Renders {
    fn saw(&self, _: Option<&PageKey>, event: &Event) {
        if matches!(event, Event::Rendering) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The site on a port of its own, with one article.
struct Site {
    address: SocketAddr,
    client: Client,
    store: TestStore,
    renders: Arc<Renders>,
}

impl Site {
    async fn start() -> Self {
        let (store, renders) = (TestStore::new(), Arc::new(Renders::default()));
        let isr = Isr::new(MetaStore::new(store.db()), Bodies::memory_at(store.clock()));
        let observer: Arc<dyn Observer> = Arc::<Renders>::clone(&renders);
        let app = news::app(store.db(), isr.with_observer(observer)).await.expect("tables");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await.expect("a server") });
        let site = Self { address, client: Client::new(), store, renders };
        assert_eq!(site.edit("editor-key", "The first").await.status(), 200);
        site
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn renders(&self) -> u64 {
        self.renders.0.load(Ordering::SeqCst)
    }

    /// The state of the cache, and the page.
    async fn read(&self, path: &str) -> (String, String) {
        let answer = self.client.get(self.url(path)).send().await.expect("an answer");
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
        let state = answer.headers()["x-facetheory-isr"].to_str().expect("a text").to_owned();
        (state, answer.text().await.expect("a page"))
    }

    async fn edit(&self, key: &str, title: &str) -> Response {
        let edition = format!(r#"{{"title": "{title}", "text": "It begins."}}"#);
        let request = self.client.put(self.url("/news/first")).body(edition);
        let request = request.header("content-type", "application/json");
        request.header("authorization", format!("Bearer {key}")).send().await.expect("an answer")
    }

    async fn comment(&self, article: &str, key: Option<&str>, text: &str) -> Response {
        let request = self.client.post(self.url(&format!("/news/{article}/comments")));
        let request = request.body(format!(r#"{{"name": "Ada", "text": "{text}"}}"#));
        let request = request.header("content-type", "application/json");
        let request = key.into_iter().fold(request, |request, key| request.header("idempotency-key", key));
        request.send().await.expect("an answer")
    }

    /// Reads a page until it says something: it is rendered beside the answers.
    async fn read_until(&self, path: &str, words: &str) -> String {
        for _ in 0..3000 {
            let (_, page) = self.read(path).await;
            if page.contains(words) {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{path} never says {words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_rendered_once_for_many_readers() {
    let site = Arc::new(Site::start().await);
    let mut readers = JoinSet::new();
    for _ in 0..50 {
        let site = Arc::clone(&site);
        readers.spawn(async move { site.read("/news/first").await.1 });
    }
    let pages = readers.join_all().await;
    assert!(pages.iter().all(|page| page.contains("<h1>The first</h1>")), "{}", pages[0]);
    assert_eq!(site.renders(), 1);
    assert_eq!(site.read("/news/first").await.0, "hit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_minute_is_over_is_served_while_it_is_rendered_again() {
    let site = Site::start().await;
    assert_eq!(site.read("/news/first").await.0, "miss");
    site.store.advance(Seconds(61));
    assert_eq!(site.read("/news/first").await.0, "stale");
    let mut waited = 0;
    while site.read("/news/first").await.0 != "hit" {
        waited += 1;
        assert!(waited < 3000, "it becomes fresh");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(site.renders(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_takes_the_article_and_the_front_page_away_at_once() {
    let site = Site::start().await;
    for path in ["/", "/news/first"] {
        assert!(site.read(path).await.1.contains("The first"), "{path}");
    }
    assert_eq!(site.edit("editor-key", "Another title").await.status(), 200);
    for path in ["/", "/news/first"] {
        let (state, page) = site.read(path).await;
        assert_eq!(state, "miss", "{path}");
        assert!(page.contains("Another title") && !page.contains("The first"), "{page}");
    }
    assert_eq!(site.edit("a guess", "Mine").await.status(), 401);
    assert_eq!(site.read("/").await.0, "hit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_is_sent_twice_appears_once() {
    let site = Site::start().await;
    site.read("/news/first").await;
    let first = site.comment("first", Some("one"), "Well said <b>").await;
    assert_eq!((first.status().as_u16(), first.headers().get("idempotent-replayed")), (201, None));
    let second = site.comment("first", Some("one"), "Well said <b>").await;
    assert_eq!(second.status(), 201);
    assert_eq!(second.headers()["idempotent-replayed"], "true");
    let page = site.read_until("/news/first", "Well said").await;
    assert_eq!(page.matches("Well said &lt;b&gt;").count(), 1, "{page}");
    assert_eq!(site.comment("first", Some("one"), "Something else").await.status(), 422, "another comment");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sixth_comment_of_a_minute_is_refused_and_the_next_minute_is_another() {
    let site = Site::start().await;
    for number in 1..=5 {
        let text = format!("Number {number}");
        assert_eq!(site.comment("first", Some(&text), &text).await.status(), 201);
    }
    let sixth = site.comment("first", Some("Number 6"), "Number 6").await;
    assert_eq!(sixth.status(), 429);
    assert!(sixth.headers().contains_key("retry-after"));
    site.store.advance(Seconds(60));
    assert_eq!(site.comment("first", Some("Number 6"), "Number 6").await.status(), 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said() {
    let site = Site::start().await;
    assert_eq!(site.comment("first", None, "No key").await.status(), 400);
    assert_eq!(site.comment("first", Some("empty"), " ").await.status(), 422);
    let nowhere = site.comment("second", Some("nowhere"), "Is anybody here?").await;
    assert_eq!(
        (nowhere.status().as_u16(), &*nowhere.text().await.expect("a text")),
        (404, "there is no such article\n")
    );
    let status = async |path: &str| site.client.get(site.url(path)).send().await.expect("an answer").status();
    assert_eq!(status("/news/second").await, 404);
    assert_eq!(status("/news/a%23b").await, 404);
    assert_eq!(site.renders(), 1, "a name that cannot be is not rendered");
}
