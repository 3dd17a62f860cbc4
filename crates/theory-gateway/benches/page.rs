//! What a visitor of a page that is there costs inside this process, beside the server: `cargo bench -p theory-gateway --bench page`.
//! With `--hits N` it only visits so often, for a tool that counts: instructions of two such runs, subtracted and divided, are those of
//! one visit (`valgrind --tool=callgrind`), and so are allocations (`valgrind`).

#![allow(missing_docs, reason = "a bench is a program")]
#![expect(clippy::disallowed_methods, reason = "measuring time is what a bench does")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use facetheory::{Bodies, History, Isr, IsrSettings, MetaStore, Policy};
use http::{Request, Response, Uri, request::Parts};
use tabletheory::Db;
use tabletheory_core::Seconds;
use theory_gateway::asked::Asked;
use theory_gateway::edge::Peer;
use theory_gateway::page::{Fetching, PagePlace, Pages, SiteAtWork, Upstream};
use theory_gateway::settings::{Chosen, EdgeLimits, Host, KeyRule, OriginSettings, PageRoute, Site};

const BODY_BYTES: usize = 10_000;
const SAMPLES: usize = 2_000;
/// So many visits are timed together, because a clock is read slower than a page.
const VISITS: u32 = 50;

struct Application;

impl Upstream for Application {
    fn fetch(&self, _request: Request<()>) -> Fetching<'_> {
        let page = Response::builder()
            .header("content-type", "text/html; charset=utf-8")
            .header("cache-control", "s-maxage=600")
            .body(Bytes::from("<p>all work".repeat(BODY_BYTES / 11)));
        Box::pin(async move { Ok(page.expect("a response")) })
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut arguments = std::env::args().skip_while(|argument| argument != "--hits").skip(1);
    let hits: Option<usize> = arguments.next().and_then(|hits| hits.parse().ok());
    runtime.block_on(async {
        let (pages, place) = world().await;
        let plain = browser(&[]);
        let gzip = browser(&[("accept-encoding", "gzip, deflate, br")]);
        for visitor in [&plain, &gzip] {
            visit(&pages, &place, visitor).await;
        }
        // The variants are made beside the answers.
        tokio::time::sleep(Duration::from_millis(200)).await;
        if let Some(hits) = hits {
            for _ in 0..hits {
                visit(&pages, &place, &gzip).await;
            }
            return;
        }
        println!("| visit | median | p99 |\n|---|---|---|");
        row("hit", &pages, &place, &plain).await;
        row("hit, brotli", &pages, &place, &gzip).await;
        let etag =
            pages.answer(&place, &plain.1, &plain.0, false).await.expect("a page").headers()["etag"].clone();
        let has_it = browser(&[("if-none-match", etag.to_str().expect("a tag"))]);
        row("not modified", &pages, &place, &has_it).await;
    });
}

async fn world() -> (Pages, PagePlace) {
    let db = Db::memory();
    let meta = MetaStore::new(db.clone());
    meta.create_table().await.expect("a table");
    let settings = IsrSettings { meta_cache: Duration::from_secs(3600), ..IsrSettings::default() };
    let isr = Isr::new(meta, Bodies::memory())
        .with_observer(Arc::new(History::new(Arc::clone(db.clock()))))
        .with_settings(settings);
    let site = Site {
        name: "site".into(),
        hosts: vec![Host::Any],
        tenant: None,
        origin: OriginSettings::new(Uri::from_static("http://127.0.0.1:1")),
        routes: Vec::new(),
    };
    let route = PageRoute {
        policy: Arc::new(Policy::fresh_for(Seconds(86_400))),
        key: KeyRule {
            query: Chosen::AllBut(vec!["utm_*".into()]),
            headers: Vec::new(),
            cookies: Vec::new(),
        },
        bypass: Vec::new(),
        tags: Vec::new(),
        tag_header: None,
        follow_origin: false,
    };
    let site = Arc::new(SiteAtWork::new(&site, Arc::new(Application)));
    let place = PagePlace::new(site, "/{*path}", Arc::new(route)).expect("a pattern");
    (Pages::new(isr, None), place)
}

/// A request as a browser sends it.
fn browser(more: &[(&str, &str)]) -> (Parts, Asked) {
    let mut request = Request::get("/blog/a-post?page=2")
        .header("host", "127.0.0.1:8080")
        .header("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
        .header("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
        .header("accept-language", "en-US,en;q=0.5");
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    let (head, ()) = request.body(()).expect("a request").into_parts();
    let peer = Peer::plain(([127, 0, 0, 1], 1).into());
    let asked = Asked::read(&head, &peer, &EdgeLimits::default()).expect("a request");
    (head, asked)
}

async fn visit(pages: &Pages, place: &PagePlace, (head, asked): &(Parts, Asked)) {
    black_box(pages.answer(black_box(place), asked, head, false).await.expect("a page"));
}

async fn row(name: &str, pages: &Pages, place: &PagePlace, visitor: &(Parts, Asked)) {
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let started = Instant::now();
        for _ in 0..VISITS {
            visit(pages, place, visitor).await;
        }
        samples.push(started.elapsed() / VISITS);
    }
    samples.sort_unstable();
    let at = |part: usize| samples[SAMPLES * part / 100].as_nanos();
    println!("| {name} | {} ns | {} ns |", at(50), at(99));
}
