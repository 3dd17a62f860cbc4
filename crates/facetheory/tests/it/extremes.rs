//! Bad input of every kind: never a panic, never an endless loop, never another page.

use std::sync::Arc;
use std::time::Duration;

use facetheory::meta::Group;
use facetheory::record::Meta;
use facetheory::render::{Render, RenderError, Rendered, Renderer};
use facetheory::{Error, Intent, Mode, PageKey, Policy, Purge, Served, State, Visit};
use tabletheory::Model as _;
use tabletheory::testing::TestStore;
use tabletheory_core::store::op::PutItem;
use tabletheory_core::{Item, Number, Seconds, StoreExt as _, Value};
use tokio::time::sleep;

use crate::scene::Fleet;

/// Renders what only this key can have rendered.
fn origin(takes: Duration) -> Arc<dyn Renderer> {
    Arc::new(move |render: Render| async move {
        sleep(takes).await;
        Ok(Rendered::html(render.key.digest()))
    })
}

fn is_page_of(served: &Served, key: &PageKey) -> bool {
    served.body.bytes() == key.digest().as_bytes()
}

#[tokio::test(start_paused = true)]
async fn keys_of_any_bytes_and_length_have_their_own_page() {
    let fleet = Fleet::new().await;
    let (worker, origin) = (fleet.worker("a"), origin(Duration::ZERO));
    let long = vec![b'x'; 1 << 20];
    let paths: [&[u8]; 10] =
        [b"", b"/", b"\0", b"\xff\xfe", b"CACHE#", b"META", b"/a\r\nb", b"/../..", b"//", &long];
    let mut keys: Vec<PageKey> = paths.into_iter().map(PageKey::path).collect();
    keys.extend(paths.map(|bytes| PageKey::path("/").query(bytes, b"")));
    keys.extend(paths.map(|bytes| PageKey::path("/").header("x", bytes)));
    keys.extend(paths.map(|bytes| PageKey::path("/").cookie("x", bytes).host(bytes)));
    for state in [State::Miss, State::Hit] {
        for key in &keys {
            let served = worker.isr.serve(&Visit::to(key.clone()), &origin).await.unwrap();
            assert!(is_page_of(&served, key), "{key:?}");
            assert_eq!(served.state, state, "{key:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn policies_that_cannot_be_kept_do_no_harm() {
    let seconds = [i64::MIN, -1, 0, 1, i64::MAX].map(Seconds);
    let spans = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];
    let mut policies = Vec::new();
    for mode in [Mode::Background, Mode::Blocking] {
        let usual = || Policy { mode, ..Policy::default() };
        for seconds in seconds {
            policies.push(Policy { revalidate: seconds, ..usual() });
            policies.push(Policy { stale_max: seconds, ..usual() });
            policies.push(Policy { stale_if_error: seconds, ..usual() });
            policies.push(Policy { negative: seconds, ..usual() });
            policies.push(Policy { retention: seconds, ..usual() });
            policies.push(Policy { ttl_buffer: seconds, ..usual() });
            policies.push(Policy { lease: seconds, ..usual() });
            policies.push(Policy { clock_skew: seconds, ..usual() });
        }
        for span in spans {
            policies.push(Policy { wait: span, ..usual() });
            policies.push(Policy { render_max: span, ..usual() });
            policies.push(Policy { backoff: span, ..usual() });
            policies.push(Policy { backoff_max: span, backoff: span, ..usual() });
        }
    }
    for policy in policies {
        let fleet = Fleet::new().await;
        let (worker, slow, key) = (fleet.worker("a"), origin(Duration::from_secs(5)), PageKey::path("/"));
        let failing: Arc<dyn Renderer> = Arc::new(|_: Render| async {
            Ok(Rendered::new(http::StatusCode::BAD_GATEWAY, Default::default(), ""))
        });
        for renderer in [&slow, &failing, &slow, &failing] {
            let visit = Visit::to(key.clone()).policy(policy.clone());
            // An error is fine, and a page only if it is whole.
            if let Ok(served) = worker.isr.serve(&visit, renderer).await {
                assert!(is_page_of(&served, &key) || served.page.status() == 502, "{policy:?}");
                if let Some(later) = served.later {
                    later.run().await;
                }
            }
            sleep(Duration::from_secs(70)).await;
        }
        assert!(fleet.tally.get("store") < 60, "{} calls with {policy:?}", fleet.tally.get("store"));
    }
}

#[tokio::test(start_paused = true)]
async fn pages_that_want_to_be_fresh_for_ever_or_less_than_never_are_served() {
    for seconds in [i64::MIN, -1, 0, i64::MAX] {
        let fleet = Fleet::new().await;
        let (worker, key) = (fleet.worker("a"), PageKey::path("/"));
        let origin: Arc<dyn Renderer> = Arc::new(move |render: Render| async move {
            let page = Rendered::html(render.key.digest());
            Ok(Rendered { revalidate: Some(Seconds(seconds)), ..page })
        });
        for _ in 0..3 {
            let served = worker.isr.serve(&Visit::to(key.clone()), &origin).await.unwrap();
            assert!(is_page_of(&served, &key), "{seconds}");
            sleep(Duration::from_secs(2)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ages_that_no_cache_would_send_do_no_harm() {
    for age in ["-1", "9223372036854775807", "99999999999999999999", "x", ""] {
        let fleet = Fleet::new().await;
        let (worker, key) = (fleet.worker("a"), PageKey::path("/"));
        let origin: Arc<dyn Renderer> = Arc::new(move |render: Render| async move {
            let mut page = Rendered::html(render.key.digest());
            page.headers.insert("age", age.parse().unwrap());
            Ok(page)
        });
        for _ in 0..2 {
            let served = worker.isr.serve(&Visit::to(key.clone()), &origin).await.unwrap();
            assert!(is_page_of(&served, &key), "{age}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn request_ids_of_any_length_are_told_apart() {
    let fleet = Fleet::new().await;
    let (worker, origin) = (fleet.worker("a"), origin(Duration::ZERO));
    let policy = Policy { mode: Mode::Blocking, ..Policy::fresh_for(Seconds(1)) };
    let ids = [vec![b'#'; 10_240], vec![b'#'; 10_241], vec![0xff], vec![]];
    for state in [State::Miss, State::WaitHit] {
        for id in &ids {
            let visit =
                Visit::to(PageKey::path("/")).policy(policy.clone()).intent(Intent::from_request_id(id));
            assert_eq!(worker.isr.serve(&visit, &origin).await.unwrap().state, state);
            sleep(Duration::from_secs(2)).await;
        }
    }
    assert!(matches!(Intent::raw("x".repeat(10_240)), Err(Error::IdempotencyKey { length: 10_240, .. })));
}

/// Values that no store would write there.
fn wrong() -> Vec<Value> {
    let number = |text: &str| Value::N(text.parse::<Number>().unwrap());
    vec![
        Value::s(""),
        Value::s("\0"),
        Value::s("x".repeat(10_000)),
        number("-1"),
        number("0.5"),
        number("9223372036854775807"),
        number("-9223372036854775808"),
        number("18446744073709551615"),
        number("1E+100"),
        Value::Bool(true),
        Value::Null,
        Value::L(vec![Value::Null]),
        Value::M([("name".to_owned(), Value::Null)].into_iter().collect()),
    ]
}

async fn put(store: &TestStore, item: Item) {
    let put = PutItem { table: "facetheory-cache".into(), item, ..PutItem::default() };
    store.put_item(put).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_row_is_wrong_in_any_way_is_served_right() {
    let names = Meta::SCHEMA.attributes.iter().map(|attribute| attribute.name);
    let (origin, key) = (origin(Duration::ZERO), PageKey::path("/"));
    let visit = Visit::to(key.clone());
    for name in names.filter(|name| !["pk", "sk"].contains(name)) {
        for value in wrong() {
            let fleet = Fleet::new().await;
            let first = fleet.worker("a").isr;
            first.serve(&visit, &origin).await.unwrap();
            let look = first.meta().get(&first.meta().partition(&key).unwrap()).await.unwrap();
            let mut row = look.meta.expect("it is kept").to_item().unwrap();
            row.insert(name, value.clone());
            put(&fleet.store, row).await;
            // Processes that have never seen the page, before and after a purge.
            for worker in ["b", "c"].map(|name| fleet.worker(name)) {
                let served = worker.isr.serve(&visit, &origin).await;
                let served = served.unwrap_or_else(|error| panic!("{name} = {value:?}: {error}"));
                assert!(is_page_of(&served, &key), "{name} = {value:?}");
                if let Some(later) = served.later {
                    later.run().await;
                }
                // A row on which nothing can be counted may be refused; whoever comes next is served all the same.
                let _ = worker.isr.invalidate(&key, Purge::Gone).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lock_that_is_wrong_in_any_way_blocks_for_the_budget_at_most() {
    let (origin, key) = (origin(Duration::ZERO), PageKey::path("/"));
    let visit = Visit::to(key.clone());
    for name in ["lease_token", "lease_expires_at", "ttl", "fail_count", "next_attempt_ms"] {
        for value in wrong() {
            let fleet = Fleet::new().await;
            let worker = fleet.worker("a");
            let pk = worker.isr.meta().partition(&key).unwrap().as_str().to_owned();
            let mut row = Item::from([("pk", Value::s(&pk)), ("sk", Value::s("LOCK"))]);
            row.insert(name, value.clone());
            put(&fleet.store, row).await;
            match worker.isr.serve(&visit, &origin).await {
                Ok(served) => assert!(is_page_of(&served, &key), "{name} = {value:?}"),
                // A lease that lasts for ever is a lease, and a pause without end a pause, until somebody purges the page.
                Err(Error::Busy { .. } | Error::BackedOff { .. }) => {
                    worker.isr.invalidate(&key, Purge::Stale).await.unwrap();
                    assert!(worker.isr.serve(&visit, &origin).await.is_ok(), "{name} = {value:?}");
                }
                Err(error) => panic!("{name} = {value:?}: {error}"),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_is_wrong_in_any_way_is_no_failure() {
    let (origin, key) = (origin(Duration::ZERO), PageKey::path("/"));
    let visit = Visit::to(key.clone());
    for value in wrong() {
        let fleet = Fleet::new().await;
        let page = fleet.worker("a").isr.meta().partition(&key).unwrap();
        for pk in [page.as_str(), page.site()] {
            for name in ["epoch", "stale", "gone", "stale_all", "gone_all"] {
                let mut row = Item::from([("pk", Value::s(pk)), ("sk", Value::s("EPOCH"))]);
                row.insert(name, value.clone());
                put(&fleet.store, row).await;
                let served = fleet.worker("b").isr.serve(&visit, &origin).await;
                let served = served.unwrap_or_else(|error| panic!("{pk} {name} = {value:?}: {error}"));
                assert!(is_page_of(&served, &key), "{pk} {name} = {value:?}");
            }
        }
    }
}

/// A count at its end stood in the lock, and the failure that should have been counted brought the worker down.
#[tokio::test(start_paused = true)]
async fn a_failure_after_failures_without_number_is_a_failure_like_any_other() {
    let failing: Arc<dyn Renderer> = Arc::new(|_: Render| async { Err(RenderError::new("down")) });
    let key = PageKey::path("/");
    for value in wrong() {
        let fleet = Fleet::new().await;
        let worker = fleet.worker("a");
        let pk = worker.isr.meta().partition(&key).unwrap().as_str().to_owned();
        let mut row = Item::from([("pk", Value::s(&pk)), ("sk", Value::s("LOCK"))]);
        row.insert("fail_count", value.clone());
        put(&fleet.store, row).await;
        let refused = worker.isr.serve(&Visit::to(key.clone()), &failing).await;
        assert!(matches!(refused, Err(Error::Render(_))), "{value:?}: {refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_is_purged_or_refused_whatever_the_journal_says() {
    let (origin, key) = (origin(Duration::ZERO), PageKey::path("/"));
    let visit = Visit::to(key.clone());
    for value in wrong() {
        let fleet = Fleet::new().await;
        let worker = fleet.worker("a");
        worker.isr.serve(&visit, &origin).await.unwrap();
        let site = worker.isr.meta().partition(&key).unwrap().site().to_owned();
        let mut row = Item::from([("pk", Value::s(&site)), ("sk", Value::s("EPOCH"))]);
        row.insert("epoch", value.clone());
        put(&fleet.store, row).await;
        match worker.isr.invalidate_group(None, Group::All, Purge::Gone).await {
            // What is said to be purged is rendered again.
            Ok(_) => {
                assert_eq!(worker.isr.serve(&visit, &origin).await.unwrap().state, State::Miss, "{value:?}")
            }
            Err(error) => assert!(matches!(error, Error::Journal), "{value:?}: {error}"),
        }
    }
}
