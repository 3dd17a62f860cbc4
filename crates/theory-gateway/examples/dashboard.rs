//! The dashboard over made-up pages and traffic, to look at it: `cargo run -p theory-gateway --example dashboard`. It tells its
//! address, and stops with the process. Names of pages are hostile on purpose.

use std::sync::Arc;
use std::time::Duration;

use facetheory::meta::Purge;
use facetheory::render::{Render, RenderError, Rendered, Renderer};
use facetheory::{Bodies, Isr, MetaStore, Observer, PageKey, Policy, Regenerated, State, Tenant, Visit};
use http::StatusCode;
use idempotent::{Claim, Idempotency, IdempotencyKey, Intent, Response, Scope};
use limited::{Limit, Limiter};
use tabletheory::Db;
use tabletheory_core::{Clock, ManualClock, Seconds, Timestamp};
use theory_gateway::admin::{
    Admin, Backstage, Components, Doing, Kept, Place, SiteStatus, Unresolved, Whereabouts, serve,
};
use theory_gateway::settings::Secret;
use theory_gateway::telemetry::{Outcome, Telemetry};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

const TOKEN: &str = "look";
const HOST: &str = "shop.example";
const PATHS: [&str; 12] = [
    "/",
    "/news",
    "/news/a-long-title-that-goes-on-and-on-until-it-does-not-fit-into-any-column-of-a-table",
    "/products/1",
    "/products/2",
    "/products/3",
    "/<script>alert(1)</script>",
    "/\"><img src=x onerror=alert(1)>",
    "/about",
    "/slow",
    "/broken",
    "/emoji/🦀",
];

#[derive(Debug)]
struct Stage {
    isr: Isr,
    policies: Vec<limited::Policy>,
}

fn visit(path: &str) -> Visit {
    let policy = Policy {
        versions: true,
        ..Policy::fresh_for(Seconds(if path.len().is_multiple_of(2) { 45 } else { 600 }))
    };
    Visit::to(PageKey::path(path).host(HOST)).policy(policy)
}

fn origin() -> Arc<dyn Renderer> {
    Arc::new(|render: Render| async move {
        let path = String::from_utf8_lossy(render.key.page_path().unwrap_or_default()).into_owned();
        let slow = if path == "/slow" { 6_000 } else { 20 + 7 * path.len() as u64 };
        tokio::time::sleep(Duration::from_millis(slow)).await;
        if path == "/broken" {
            return Err(RenderError::new("the application answered with status 503"));
        }
        let first = path.split('/').nth(1).unwrap_or("home").to_owned();
        let page = Rendered::html(format!("<h1>{path}</h1>{}", "x".repeat(400 * path.len())));
        Ok(page.tagged(if first.is_empty() { "home".to_owned() } else { first }).tagged("site"))
    })
}

impl Backstage for Stage {
    fn sites(&self) -> Vec<SiteStatus> {
        vec![SiteStatus {
            name: "shop".to_owned(),
            hosts: vec![HOST.to_owned()],
            tenant: None,
            origin: "http://127.0.0.1:3000".to_owned(),
            health: "well",
            detail: String::new(),
            routes: vec![
                ("/{*path}".to_owned(), "page"),
                ("/static/{*rest}".to_owned(), "http-cache"),
                ("/api/{*rest}".to_owned(), "pass"),
            ],
        }]
    }

    fn policies(&self) -> Vec<limited::Policy> {
        self.policies.clone()
    }

    fn resolve(&self, url: &str) -> Result<Place, Unresolved> {
        let rest = url.strip_prefix("http://").unwrap_or(url);
        let path = rest.strip_prefix(HOST).unwrap_or(rest);
        if !path.starts_with('/') {
            return Err(Unresolved::NotAnAddress);
        }
        let key = PageKey::path(path).host(HOST);
        Ok(Place { address: key.address().unwrap_or_default(), key, has_variants: false })
    }

    fn regenerate<'a>(&'a self, place: &'a Place) -> Doing<'a, Result<Regenerated, String>> {
        Box::pin(async move {
            let path = String::from_utf8_lossy(place.key.page_path().unwrap_or_default()).into_owned();
            let regeneration =
                self.isr.regenerate(&visit(&path), &origin()).map_err(|error| error.to_string())?;
            Ok(regeneration.run().await)
        })
    }

    fn warm<'a>(&'a self, url: &'a str) -> Doing<'a, Result<State, String>> {
        Box::pin(async move {
            let place = self.resolve(url).map_err(|error| error.to_string())?;
            let path = String::from_utf8_lossy(place.key.page_path().unwrap_or_default()).into_owned();
            let served = self.isr.serve(&visit(&path), &origin()).await.map_err(|error| error.to_string())?;
            Ok(served.state)
        })
    }

    fn sitemap<'a>(&'a self, _url: &'a str) -> Doing<'a, Result<Vec<String>, String>> {
        Box::pin(async { Ok(PATHS.map(str::to_owned).to_vec()) })
    }

    fn http_cache(&self) -> Kept {
        Kept { bytes: 5 << 20, bytes_max: 64 << 20, addresses: 214 }
    }

    fn forget_address(&self, url: &str, _purge: Purge) -> Result<Option<usize>, Unresolved> {
        Ok(url.contains("/static/").then_some(1))
    }

    fn forget_group(&self, _tenants: &[Option<Tenant>], _tag: Option<&str>, _purge: Purge) -> usize {
        0
    }

    fn ready(&self) -> Doing<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::args().nth(1).unwrap_or_else(|| "0".to_owned());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("{}", link(&listener)?);
    let (_running, stop) = watch::channel(false);
    app(listener, stop).await
}

/// The address that brings the token along.
fn link(listener: &TcpListener) -> std::io::Result<String> {
    Ok(format!("http://{}/#token={TOKEN}", listener.local_addr()?))
}

/// Serves the dashboard over an invented past until it is stopped.
async fn app(listener: TcpListener, stop: watch::Receiver<bool>) -> Result<(), Box<dyn std::error::Error>> {
    let (db, folder) = (Db::memory(), tempfile::tempdir()?);
    // The past is made with a clock of its own, because plots of three hours cannot be waited for.
    let now = db.clock().now();
    let clock = Arc::new(ManualClock::at(now - Seconds(3 * 3600)));
    let telemetry = Telemetry::new(Arc::clone(&clock) as Arc<dyn Clock>);
    invent(&telemetry, &clock, now);

    let meta = MetaStore::new(db.clone());
    meta.create_table().await?;
    let observer: Arc<dyn Observer> = Arc::clone(&telemetry) as _;
    let isr = Isr::new(meta, Bodies::folder(folder.path())?).with_observer(observer);
    let limiter = Limiter::new(db.clone());
    limiter.create_table().await?;
    let requests = Idempotency::new(db.clone());
    requests.create_table().await?;
    let policies = vec![
        limited::Policy::new("api", [Limit::per_second(20).burst(60)])?,
        limited::Policy::new("login", [Limit::per_minute(5).sliding_log()])?,
    ];
    ask(&requests, &limiter, &telemetry, &policies).await?;
    publish(&isr).await?;
    let mut tasks = JoinSet::new();
    tasks.spawn(render_slowly(isr.clone()));
    tasks.spawn(tick(Arc::clone(&telemetry), clock, Arc::clone(db.clock())));
    let parts = Components {
        backstage: Arc::new(Stage { isr: isr.clone(), policies }),
        isr,
        limiter,
        requests,
        telemetry,
        store: Whereabouts { place: "memory".to_owned(), folder: None },
        tables: ["facetheory-cache", "rate-limits", "idempotency"].map(str::to_owned).to_vec(),
        bodies: Whereabouts {
            place: folder.path().display().to_string(),
            folder: Some(folder.path().to_path_buf()),
        },
        version: env!("CARGO_PKG_VERSION"),
    };
    let admin = Admin::new(listener.local_addr()?, Secret::new(TOKEN), parts);
    serve(listener, admin, stop).await;
    Ok(())
}

/// Publishes the pages, some of them several times.
async fn publish(isr: &Isr) -> Result<(), facetheory::Error> {
    for path in PATHS.iter().filter(|path| **path != "/slow") {
        // One is broken on purpose.
        let _ = isr.serve(&visit(path), &origin()).await;
    }
    for _ in 0..3 {
        for path in ["/news", "/products/1"] {
            let _ = isr.regenerate(&visit(path), &origin())?.run().await;
        }
    }
    Ok(())
}

/// Keeps one render under way.
async fn render_slowly(isr: Isr) {
    loop {
        let _ = isr.serve(&visit("/slow"), &origin()).await;
        let _ = isr.invalidate(visit("/slow").key(), facetheory::Purge::Gone).await;
    }
}

/// Three hours of traffic with a deployment, a lull and an hour of trouble.
fn invent(telemetry: &Telemetry, clock: &ManualClock, now: Timestamp) {
    let pages = telemetry.meter("shop", "/{*path}");
    let rest = [telemetry.meter("shop", "/static/{*rest}"), telemetry.meter("shop", "/api/{*rest}")];
    let mut seed = 1_u64;
    let mut draw = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below.max(1)
    };
    let mut second = 0_u64;
    while clock.now() < now {
        let wave = 60 + (second / 40) % 50 + draw(20);
        let trouble = (6000..6600).contains(&second);
        for _ in 0..wave {
            let (outcome, micros) = match draw(100) {
                0..80 => (Outcome::Hit, 60 + draw(90)),
                80..90 if trouble => (Outcome::Failed, 900_000 + draw(400_000)),
                80..92 => (Outcome::Stale, 80 + draw(120)),
                92..96 => (Outcome::Miss, 40_000 + draw(90_000)),
                96..97 if trouble => (Outcome::StaleError, 300),
                96..98 => (Outcome::WaitHit, 30_000 + draw(50_000)),
                98..99 => (Outcome::Limited, 90),
                _ => (Outcome::Uncached, 60_000 + draw(60_000)),
            };
            let status = match outcome {
                Outcome::Failed => StatusCode::BAD_GATEWAY,
                Outcome::Limited => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::OK,
            };
            pages.answered(status, outcome, 4000 + draw(9000), Duration::from_micros(micros));
        }
        for meter in &rest {
            meter.answered(StatusCode::OK, Outcome::Passed, 900, Duration::from_micros(4000 + draw(3000)));
        }
        let event = facetheory::Event::Rendered { took: Duration::from_millis(40 + draw(90)) };
        telemetry.saw(None, &event);
        clock.advance(Seconds(1));
        telemetry.tick();
        second += 1;
    }
}

/// Requests that were repeated, and callers who ask too often.
async fn ask(
    requests: &Idempotency,
    limiter: &Limiter,
    telemetry: &Telemetry,
    policies: &[limited::Policy],
) -> Result<(), Box<dyn std::error::Error>> {
    for number in 0..6 {
        let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
        let key = IdempotencyKey::parse(format!("key-{number}"))?;
        if let Claim::Granted(attempt) = requests.claim(&Intent::of_bytes(scope, key, b"{}")).await?
            && number > 0
        {
            let _ = attempt.complete(&Response::new(201, "{}")?).await?;
        }
    }
    for (place, policy) in policies.iter().enumerate() {
        for caller in 0..9 {
            for _ in 0..(90 / (caller + 1 + place)) {
                let id = format!("ip:203.0.113.{caller}");
                telemetry.asked(policy.name(), &id, &limiter.check(policy, &id, 1).await?);
            }
        }
    }
    Ok(())
}

/// Goes on with the clock of the machine, and a little traffic.
async fn tick(telemetry: Arc<Telemetry>, clock: Arc<ManualClock>, real: Arc<dyn Clock>) {
    let pages = telemetry.meter("shop", "/{*path}");
    loop {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let passed = real.now().seconds() - clock.now().seconds();
        clock.advance(Seconds(passed));
        for _ in 0..25 {
            pages.answered(StatusCode::OK, Outcome::Hit, 5000, Duration::from_micros(95));
        }
        pages.answered(StatusCode::OK, Outcome::Miss, 5000, Duration::from_millis(70));
        telemetry.tick();
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const MODULES: &str = "THEORY_BROWSER_NODE_MODULES";
    const SKIP: &str = "THEORY_SKIP_BROWSER";

    /// Pictures of what was seen go to `target/pictures/dashboard`, or wherever targets are.
    fn pictures() -> PathBuf {
        let program = std::env::current_exe().unwrap();
        program.ancestors().nth(3).unwrap().join("pictures/dashboard")
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_person_reads_renders_rolls_back_and_purges_in_a_browser() {
        if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
            return;
        }
        assert!(
            std::env::var_os(MODULES).is_some(),
            "{MODULES} is not set: run `cargo xtask test`, which installs Chromium and puppeteer and sets it, or set {SKIP}=1"
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let link = link(&listener).unwrap();
        let (running, stop) = watch::channel(false);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../theory/tests/browser/dashboard.mjs");
        let mut person = tokio::process::Command::new("node");
        person.arg(script).args(["--link", &link, "--page", "shop.example/products/1", "--pictures"]);
        person.arg(pictures()).kill_on_drop(true);
        let person = async {
            let seen = tokio::time::timeout(Duration::from_secs(180), person.output()).await;
            running.send(true).unwrap();
            seen
        };
        let (served, seen) = tokio::join!(app(listener, stop), person);
        served.unwrap();
        let seen = seen.expect("it does not take so long").unwrap();
        assert!(
            seen.status.success(),
            "{}{}",
            String::from_utf8_lossy(&seen.stdout),
            String::from_utf8_lossy(&seen.stderr)
        );
    }
}
