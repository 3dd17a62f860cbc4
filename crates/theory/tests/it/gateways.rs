//! Three gateways on one store, in front of one application: a page that expires again and again is rendered once for all of them,
//! and nobody gets an error while one gateway is killed and another stands still.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::Client;
use serde_json::Value as Json;
use tabletheory_core::store::contract::DynamoDbLocal;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};

use crate::clients::client::{ANY, isolate};
use crate::server::Server;

const CLIENTS: usize = 300;
/// For how long they ask.
const SPAN: Duration = Duration::from_secs(60);
/// For how long the page is fresh.
const FRESH: Duration = Duration::from_secs(2);
/// How long the application takes to render it.
const RENDER: Duration = Duration::from_millis(300);
/// After this time a client turns to another gateway, as a load balancer would.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a gateway may take until it has the page.
const WARM_MAX: Duration = Duration::from_secs(60);

/// What the clients of a fleet saw.
#[derive(Debug, Default)]
struct Seen {
    pages: AtomicU64,
    errors: AtomicU64,
}

/// The gateways, of which some may be gone.
struct Fleet {
    addresses: Vec<String>,
    gone: AtomicUsize,
    servers: Vec<Option<Server>>,
    _folder: TempDir,
}

impl Fleet {
    fn start(store: &str, origin: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("theory.toml");
        let settings = format!(
            "origin = '{origin}'\nlisten = '127.0.0.1:0'\n[store]\nkind = 'dynamodb'\nendpoint = '{store}'\nregion = 'us-east-1'\n\
             [bodies]\nkind = 'dir'\ndir = 'bodies'\n[admin]\nlisten = 'off'\n\
             [[route]]\npath = '/news'\nkind = 'page'\nrevalidate = '{}s'\n",
            FRESH.as_secs()
        );
        std::fs::write(&file, settings).expect("a file can be written");
        let servers: Vec<Server> = (0..3)
            .map(|_| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
                isolate(&mut command, ANY);
                command.args(["serve", "--json", "--log", "error", "--config"]).arg(&file);
                Server::start(&mut command, "")
            })
            .collect();
        let address = |server: &Server| {
            let told: Json = serde_json::from_str(&server.address).expect("it says in JSON where it is");
            told["listen"][0].as_str().expect("an address").to_owned()
        };
        let addresses = servers.iter().map(address).collect();
        let servers = servers.into_iter().map(Some).collect();
        Self { addresses, gone: AtomicUsize::new(usize::MAX), servers, _folder: folder }
    }
}

/// An application that takes its time, and counts.
async fn application() -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let renders = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&renders);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n")
                    && stream.read_buf(&mut head).await.is_ok_and(|read| read > 0)
                {}
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                sleep(RENDER).await;
                let body = format!("news, render {number}");
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                // A gateway that was killed does not read it.
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    (address, renders)
}

/// Asks again and again, and turns to another gateway when one does not answer.
async fn visit(client: Client, fleet: Arc<Fleet>, first: usize, until: Instant, seen: Arc<Seen>) {
    let mut gateway = first;
    while Instant::now() < until {
        if gateway == fleet.gone.load(Ordering::SeqCst) {
            gateway = (gateway + 1) % fleet.addresses.len();
        }
        match client.get(format!("{}/news", fleet.addresses[gateway])).timeout(PATIENCE).send().await {
            Ok(answer) if answer.status().is_success() => {
                let counter = match answer.text().await {
                    Ok(body) if body.starts_with("news, render ") => &seen.pages,
                    // One that was killed in the middle of an answer.
                    _ => continue,
                };
                counter.fetch_add(1, Ordering::SeqCst);
            }
            Ok(_) => drop(seen.errors.fetch_add(1, Ordering::SeqCst)),
            Err(_) => gateway = (gateway + 1) % fleet.addresses.len(),
        }
        sleep(Duration::from_millis(500)).await;
    }
}

/// Asks a gateway until it has the page: its first calls of the store may take longer than it waits for them, and then it renders
/// for each visitor.
async fn warm(client: &Client, address: &str) {
    let is_warm = async || {
        let answer = client.get(format!("{address}/news")).send().await.ok()?;
        Some(answer.headers().get("x-facetheory-isr")? == "hit")
    };
    let warm = async {
        while is_warm().await != Some(true) {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(WARM_MAX, warm).await.expect("the page is kept");
}

async fn run(store: &str) {
    let (origin, renders) = application().await;
    let mut fleet = Fleet::start(store, &origin);
    let (killed, paused) = (fleet.servers[0].take(), fleet.servers[1].as_ref().map(Server::id));
    let fleet = Arc::new(fleet);
    let seen = Arc::new(Seen::default());
    let client = Client::builder().no_proxy().build().expect("a client");
    for address in &fleet.addresses {
        warm(&client, address).await;
    }
    let (started, rendered_before) = (Instant::now(), renders.load(Ordering::SeqCst));
    let visitors: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (client, fleet, seen) = (client.clone(), Arc::clone(&fleet), Arc::clone(&seen));
            tokio::spawn(visit(client, fleet, number % 3, started + SPAN, seen))
        })
        .collect();

    sleep(SPAN / 3).await;
    fleet.gone.store(0, Ordering::SeqCst);
    drop(killed);
    let paused = paused.expect("it runs").to_string();
    let script = r#"kill -STOP "$1" && sleep "$2" && kill -CONT "$1""#;
    let pause = Command::new("sh").args(["-c", script, "sh", &paused, "6"]).spawn();
    for visitor in visitors {
        visitor.await.expect("a visitor does not panic");
    }
    pause.and_then(|mut pause| pause.wait()).expect("it goes on");

    let took = started.elapsed();
    let (pages, errors) = (seen.pages.load(Ordering::SeqCst), seen.errors.load(Ordering::SeqCst));
    let renders = renders.load(Ordering::SeqCst) - rendered_before;
    println!("{pages} pages, {errors} errors, {renders} renders in {} s", took.as_secs());
    assert_eq!(errors, 0, "nobody gets an error");
    assert!(pages > CLIENTS as u64, "{pages}: everybody gets pages");
    // A render begins when the page before it is no longer fresh, so that there cannot be more; the gateway that was killed may have
    // left one behind, and so may the one that stood still.
    let expiries = took.as_secs() / FRESH.as_secs() + 1;
    assert!((2..=expiries + 2).contains(&renders), "{renders} renders for {expiries} expiries");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_gateways_render_an_expiring_page_once_at_our_endpoint() {
    let store = Server::dynamodb(&["--memory"]);
    run(&store.address).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_gateways_render_an_expiring_page_once_at_dynamodb_local() {
    let Some(folder) = DynamoDbLocal::folder("gateways on it") else {
        eprintln!("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so no gateways run on DynamoDB Local");
        return;
    };
    let local = DynamoDbLocal::start(&folder);
    run(&format!("http://127.0.0.1:{}", local.port())).await;
}
