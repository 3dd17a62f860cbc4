//! The cache's table shared with the TypeScript store: boto3 does what that store does, with the same expressions, and what
//! the seeds say to the letter. What it does stands in `tests/clients/isr.py`; here the Rust side works beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use facetheory::body::BodyKey;
use facetheory::meta::{
    Acquire, Begun, Claimed, Commit, Draft, Ended, LostTo, MetaSettings, Purged, Release,
};
use facetheory::record::Meta;
use facetheory::render::{Render, Rendered, Renderer};
use facetheory::{
    Bodies, Intent, Isr, KeyScheme, MetaStore, Mode, PageKey, Partition, Policy, Purge, State, Visit,
};
use tabletheory::{Db, Model as _};
use tabletheory_core::Seconds;
use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Timestamp, jittered};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::cache;
use crate::clients::client;
use crate::clients::tools::{self, Tools};
use crate::laws::Laws;
use crate::server::Server;

/// A table and a folder of bodies that both sides work on.
struct Shared {
    server: Server,
    folder: TempDir,
    db: Db,
}

impl Shared {
    async fn open() -> Self {
        let server = Server::dynamodb(&["--memory"]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let db = cache::connect(&server.address).await;
        Self { server, folder, db }
    }

    /// The cache as a process has it, with the keys of the other store.
    fn isr(&self) -> Isr {
        let settings = MetaSettings { scheme: KeyScheme::Raw, ..MetaSettings::default() };
        Isr::new(MetaStore::new(self.db.clone()).with_settings(settings), self.bodies())
    }

    fn bodies(&self) -> Bodies {
        Bodies::folder(self.folder.path()).expect("a folder for bodies")
    }

    /// One run of the other store, to be waited for.
    fn python(&self, tools: &Tools, words: &[&str]) -> impl FnOnce() -> String + Send + 'static {
        let (tools, endpoint) = (tools.clone(), self.server.address.clone());
        let folder = self.folder.path().to_str().expect("the folder's name is text").to_owned();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        move || {
            let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
            let table = Meta::table();
            words.extend(["--table", table.as_ref(), "--bodies", &folder]);
            client::isr(&tools, &endpoint, &words)
        }
    }
}

/// The partition of a page of the other store.
fn partition(isr: &Isr, page: &str) -> Partition {
    isr.meta().partition(&PageKey::raw(page)).expect("a partition")
}

/// Has a page served again and again, until the end; counts what the other side has rendered.
async fn work(isr: Isr, page: &'static str, end: Arc<AtomicBool>, theirs: Arc<AtomicUsize>) {
    let policy = Policy {
        mode: Mode::Blocking,
        lease: Seconds(3),
        wait: Duration::from_secs(60),
        ..Policy::fresh_for(Seconds(1))
    };
    let visit = Visit::to(PageKey::raw(page)).policy(policy);
    let number = Arc::new(AtomicUsize::new(0));
    let origin: Arc<dyn Renderer> = Arc::new(move |_: Render| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        async move {
            sleep(jittered(Duration::from_millis(400), &SystemEntropy)).await;
            Ok(Rendered::html(format!("rust {number}")))
        }
    });
    while !end.load(Ordering::Relaxed) {
        let served = isr.serve(&visit, &origin).await.expect("there is always something to serve");
        if served.body.bytes().starts_with(b"python ") {
            theirs.fetch_add(1, Ordering::Relaxed);
        }
        sleep(jittered(Duration::from_millis(200), &SystemEntropy)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_of_both_stores_regenerate_the_same_pages_with_one_publish_for_each_lease() {
    const PAGES: [&str; 2] = ["default::/news?page=2", "default::/about"];
    let Some(tools) = tools::find() else { return };
    let shared = Shared::open().await;
    let mut stream = cache::create_watched_table(&shared.db).await;
    let mut laws = Laws::new(&shared.bodies());
    let (end, theirs) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let processes = [shared.isr(), shared.isr()];
    let workers = processes.iter().flat_map(|isr| PAGES.map(|page| (isr.clone(), page)));
    let workers: Vec<_> = workers
        .map(|(isr, page)| tokio::spawn(work(isr, page, Arc::clone(&end), Arc::clone(&theirs))))
        .collect();

    let pages = PAGES.join(",");
    let words = ["contend", "--pages", &pages, "--rounds", "20"];
    let python = tokio::task::spawn_blocking(shared.python(&tools, &words));
    while !python.is_finished() {
        laws.follow(&mut stream).await;
        sleep(Duration::from_millis(50)).await;
    }
    end.store(true, Ordering::Relaxed);
    let told = python.await.expect("the other store's claims hold");
    for worker in workers {
        worker.await.expect("a worker serves to the end");
    }
    laws.follow(&mut stream).await;

    let counts: Vec<&str> = told.lines().filter(|line| !line.starts_with("ok")).collect();
    let (mut by_python, mut by_rust) = (0, 0);
    for page in PAGES {
        let past = laws.past(partition(&processes[0], page).as_str());
        let python = past.publishes.iter().filter(|(_, content)| content.starts_with("python ")).count();
        eprintln!(
            "{page}: {python} of {} publishes by python, {} takeovers",
            past.publishes.len(),
            past.takeovers
        );
        (by_python, by_rust) = (by_python + python, by_rust + past.publishes.len() - python);
    }
    assert!(by_python > 0 && by_rust > 0, "{by_python} by python, {by_rust} by rust");
    assert!(
        counts.contains(&format!("published {by_python}").as_str()),
        "{counts:?}: it publishes what it says"
    );
    assert!(theirs.load(Ordering::Relaxed) > 0, "Rust serves what the other store has published");
}

#[tokio::test]
async fn a_lease_that_was_outlived_or_is_the_other_stores_publishes_nothing() {
    let Some(tools) = tools::find() else { return };
    let shared = Shared::open().await;
    let isr = shared.isr();
    let meta = isr.meta();
    meta.create_table().await.expect("the table is made");
    let page = partition(&isr, "taken");
    let Ok(Acquire::Granted(lease)) = meta.try_acquire(&page, Seconds(1)).await else {
        panic!("nobody has it")
    };
    let ground = meta.look_again(&lease).await.expect("an answer").ground;

    // It waits until our lease is over, publishes, and takes the lease for a minute.
    let python = shared.python(&tools, &["take", "--pages", "taken"]);
    tokio::task::spawn_blocking(python).await.expect("the other store takes over");
    let now = meta.db().clock().now();
    let late = meta.commit(&lease, &ground, &Draft::new("late", now, Seconds(600))).await.expect("an answer");
    assert_eq!(late, Commit::Lost(LostTo::Lease));
    assert_eq!(meta.release(lease).await.expect("an answer"), Release::NotOurs);
    let found = meta.get(&page).await.expect("an answer").meta.expect("the other store's page");
    assert!(found.s3_key.starts_with("isr/"), "{found:?}");
    match meta.try_acquire(&page, Seconds(1)).await.expect("an answer") {
        Acquire::Held { until } => assert!(until > now && until <= now + Seconds(61), "{until:?}"),
        other => panic!("the other store has it: {other:?}"),
    }
}

#[tokio::test]
async fn every_kind_of_row_has_the_names_types_and_units_of_the_seeds() {
    let Some(tools) = tools::find() else { return };
    let shared = Shared::open().await;
    let isr = shared.isr();
    let meta = isr.meta();
    meta.create_table().await.expect("the table is made");

    // META, VER and a REQ that is done.
    let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async {
        let mut rendered = Rendered::html("rust 1").tagged("news");
        rendered.headers.insert("etag", "\"v1\"".parse().expect("a header"));
        Ok(rendered)
    });
    let policy = Policy { versions: true, ..Policy::fresh_for(Seconds(600)) };
    let done = Intent::raw("done").expect("a key");
    let visit = Visit::to(PageKey::raw("rows")).policy(policy).intent(done);
    assert_eq!(isr.serve(&visit, &origin).await.expect("a page").state, State::Miss);
    // LOCK and REQ while they are worked on.
    let begun = Intent::raw("begun").expect("a key");
    let held = meta.claim(&partition(&isr, "rows/held"), &begun, Seconds(60)).await.expect("an answer");
    assert!(matches!(held, Claimed::Granted(_)), "{held:?}");
    // LOCK after a failure.
    let Ok(Acquire::Granted(lease)) = meta.try_acquire(&partition(&isr, "rows/failed"), Seconds(60)).await
    else {
        panic!("nobody has it")
    };
    let later = meta.db().clock().now() + Seconds(30);
    assert_eq!(meta.fail(lease, later, "no origin").await.expect("an answer"), Release::Released);
    // EPOCH.
    let purged = meta.invalidate(&partition(&isr, "rows/purged"), Purge::Stale).await.expect("an answer");
    assert_eq!(purged, Purged::NoPage);

    let python = shared.python(&tools, &["rows", "--pages", "rows"]);
    tokio::task::spawn_blocking(python).await.expect("every claim about the rows holds");
}

/// Publishes under a lease that carries an intent, as a worker does.
async fn publish(isr: &Isr, claimed: Claimed) -> Commit {
    let Claimed::Granted(lease) = claimed else { panic!("not granted: {claimed:?}") };
    let second = isr.meta().look_again(&lease).await.expect("an answer");
    let key = BodyKey::new(lease.partition().as_str(), lease.token());
    let stored = isr.bodies().put(&key, "rust 2".into()).await.expect("a body is stored");
    let now: Timestamp = isr.meta().db().clock().now();
    let draft = Draft {
        body_sha256: stored.sha256.to_string(),
        body_len: stored.len,
        ..Draft::new(key.as_str(), now, Seconds(600))
    };
    isr.meta().commit_idempotent(&lease, &second.ground, &draft).await.expect("an answer")
}

#[tokio::test]
async fn rows_written_by_the_letter_of_the_seeds_are_understood() {
    let Some(tools) = tools::find() else { return };
    let shared = Shared::open().await;
    let isr = shared.isr();
    isr.meta().create_table().await.expect("the table is made");
    let python = shared.python(&tools, &["seed", "--pages", "seed"]);
    tokio::task::spawn_blocking(python).await.expect("the rows are written");

    let nobody: Arc<dyn Renderer> = Arc::new(|_: Render| async { panic!("nothing is to be rendered") });
    for (page, content) in [("seed", "python done"), ("seed/pointer", "python by pointer")] {
        let visit = Visit::to(PageKey::raw(page)).policy(Policy::fresh_for(Seconds(600)));
        let served = isr.serve(&visit, &nobody).await.expect("a page");
        assert_eq!((served.state, &served.body.bytes()[..]), (State::Hit, content.as_bytes()), "{page}");
    }

    let page = partition(&isr, "seed");
    let intent = |key: &str, hash: &str| Intent::raw(key).expect("a key").with_request_hash(hash);
    let claim = async |key: &str, hash: &str| {
        isr.meta().claim(&page, &intent(key, hash), Seconds(30)).await.expect("an answer")
    };
    for key in ["left", "done"] {
        let other = claim(key, "hash-2").await;
        assert!(matches!(other, Claimed::Mismatch), "other inputs are refused: {other:?}");
    }
    let replayed = claim("done", "hash-1").await;
    assert!(
        matches!(&replayed, Claimed::Completed { s3_key: Some(pointer) } if pointer == "isr/done.html"),
        "{replayed:?}"
    );
    // Nobody says who works on it or until when, so nobody is waited for.
    let published = publish(&isr, claim("left", "hash-1").await).await;
    assert!(matches!(published, Commit::Published(_)), "{published:?}");

    let rust = intent("rust", "hash-1");
    let begun = isr.meta().begin_request(&page, &rust, "owner", Seconds(30)).await.expect("an answer");
    assert_eq!(begun, Begun::Started);
    let ended = isr.meta().complete_request(&page, &rust, "owner", "isr/rust.html").await.expect("an answer");
    assert_eq!(ended, Ended::Recorded);
    let python = shared.python(&tools, &["done", "--pages", "seed"]);
    tokio::task::spawn_blocking(python).await.expect("the other store understands what is done");
}
