//! Single invocations of functions in this process, in time that is moved by hand.

mod archive;
mod pages;
mod world;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use idempotent::{Idempotency, IdempotencyLayer, Scope};
use limited::{
    ClientAddress, Identity, Limit, Limiter, LimiterSettings, Missing, OnFailure, RateLimitLayer,
    RateLimitRule,
};
use serde_json::json;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::{ManualClock, Seconds};
use theory_synth::metric;
use tokio::time::{Instant, sleep};
use tower::{Layer, service_fn};

use super::*;
use crate::in_time::InTimeLayer;
use world::{World, request};

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_longer_than_the_invocation_is_answered_before_its_end() {
    let world = World::new();
    let forever = get(std::future::pending::<()>);
    let function =
        Function::http(Router::new().route("/", forever).route("/quick", get(|| async { "quick" })));
    let began = Instant::now();
    let answer = world.invoke(&function, request("GET", "/")).await.unwrap();
    assert_eq!((&answer["statusCode"], &answer["headers"]["retry-after"]), (&json!(503), &json!("1")));
    assert_eq!(began.elapsed(), Duration::from_millis(2_750));
    assert_eq!(world.invoke(&function, request("GET", "/quick")).await.unwrap()["body"], "quick");
}

#[tokio::test]
async fn a_handler_knows_who_calls_and_how_long_it_has() {
    let world = World::new();
    let handler = async |parts: http::request::Parts| {
        let address = parts.extensions.get::<SocketAddr>().expect("an address").ip();
        let Invocation { id, deadline } =
            parts.extensions.get::<Invocation>().expect("an invocation").clone();
        let clock = ManualClock::at(Timestamp::from_seconds(1_800_000_000));
        format!("{address} {id} {:?}", deadline.remaining(&clock))
    };
    let function = Function::http(Router::new().route("/", get(handler)));
    let answer = world.invoke(&function, request("GET", "/")).await.unwrap();
    assert_eq!(answer["body"], "203.0.113.7 r-1 2.5s");
}

async fn panics() -> &'static str {
    panic!("as told")
}

#[tokio::test]
async fn what_fails_panics_or_is_too_long_is_an_answer() {
    let world = World::new();
    let app = Router::new()
        .route("/panic", get(panics))
        .route("/long", get(|| async { vec![b'x'; application::ANSWER_BYTES_MAX + 1] }))
        .route("/nearly", get(|| async { vec![0xff_u8; 5 << 20] }));
    let function = Function::http(app);
    for (path, detail) in [
        ("/panic", "the request could not be answered"),
        ("/long", "the answer is longer than a function may give"),
        ("/nearly", "the answer is longer than a function may give"),
    ] {
        let answer = world.invoke(&function, request("GET", path)).await.unwrap();
        assert_eq!(answer["statusCode"], 500, "{path}");
        assert!(answer["body"].as_str().expect("a problem").contains(detail), "{path}: {answer}");
    }
    let failing =
        service_fn(async |_: Request<Full<Bytes>>| Err::<Response<Full<Bytes>>, BoxError>("secret".into()));
    let answer = world.invoke(&Function::http(failing), request("GET", "/")).await.unwrap();
    assert_eq!(answer["statusCode"], 500);
    assert!(!answer.to_string().contains("secret"));
}

#[tokio::test]
async fn an_event_for_which_there_is_nobody_is_a_failure() {
    let world = World::new();
    let sqs = json!({ "Records": [{ "eventSource": "aws:sqs", "messageId": "m-1", "body": "{}" }] });
    for (function, event) in [
        (Function::default(), request("GET", "/")),
        (Function::http(Router::new()), sqs),
        (Function::default(), json!({ "hello": "world" })),
    ] {
        assert!(world.invoke(&function, event).await.is_err());
    }
}

/// An API whose handler takes as long as it is told, first forever and then no time.
async fn once(world: &World, is_in_time: bool) -> (Function, Arc<AtomicU32>) {
    let store = TestStore::new();
    let requests = Idempotency::new(world.process.timely(&store.db()));
    requests.create_table().await.unwrap();
    let layer = IdempotencyLayer::new(requests, |parts| {
        Some(Scope::route(&parts.method, "/orders").without_tenant().principal("ada"))
    })
    .in_place();
    let begun = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&begun);
    let handler = post(move || async move {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            sleep(Duration::from_secs(60)).await;
        }
        "done"
    });
    let mut app = Router::new().route("/orders", handler);
    if is_in_time {
        app = app.layer(InTimeLayer::new(&world.process));
    }
    (Function::http(app.layer(layer)), begun)
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_cut_off_gives_its_claim_back_and_the_repetition_is_performed() {
    let world = World::new();
    let (function, begun) = once(&world, true).await;
    let cut = world.invoke(&function, request("POST", "/orders")).await.unwrap();
    assert_eq!((&cut["statusCode"], &cut["headers"]["retry-after"]), (&json!(503), &json!("1")));
    let again = world.invoke(&function, request("POST", "/orders")).await.unwrap();
    assert_eq!((&again["statusCode"], &again["body"]), (&json!(200), &json!("done")));
    let replayed = world.invoke(&function, request("POST", "/orders")).await.unwrap();
    assert_eq!(replayed["headers"]["idempotent-replayed"], "true");
    assert_eq!(begun.load(Ordering::SeqCst), 2);
    assert_eq!(world.told()[metric::REQUEST_REPLAYED], 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_not_cut_off_keeps_its_claim_and_the_repetition_is_told_so() {
    let world = World::new();
    let (function, begun) = once(&world, false).await;
    let late = world.invoke(&function, request("POST", "/orders")).await.unwrap();
    assert_eq!(late["statusCode"], 503);
    let running = world.invoke(&function, request("POST", "/orders")).await.unwrap();
    assert_eq!(running["statusCode"], 409, "{running}");
    assert_eq!(begun.load(Ordering::SeqCst), 1);
    assert_eq!(world.told()[metric::REQUEST_REFUSED], 1);
}

#[tokio::test(start_paused = true)]
async fn limits_tell_whether_they_let_pass_denied_or_were_without_a_store() {
    let world = World::new();
    let store = TestStore::new();
    let settings =
        LimiterSettings { on_failure: OnFailure::Open, pause: Duration::ZERO, ..LimiterSettings::default() };
    let limiter = Limiter::new(world.process.timely(&store.db())).with_settings(settings).unwrap();
    limiter.create_table().await.unwrap();
    let everybody = Identity::from_fn(Missing::Skip, |_| Some("everybody".to_owned()));
    let policy = limited::Policy::new("all", [Limit::per_minute(1)]).unwrap();
    let layer =
        RateLimitLayer::new(limiter, ClientAddress::socket()).rule(RateLimitRule::new(policy, everybody));
    let service = service_fn(async |_: Request<Full<Bytes>>| {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::new())))
    });
    let function = Function::http(world.process.counted(layer).layer(service));
    let mut statuses = Vec::new();
    for _ in 0..2 {
        statuses.push(world.invoke(&function, request("GET", "/")).await.unwrap()["statusCode"].clone());
    }
    assert_eq!(statuses, [json!(200), json!(429)]);
    // The denial is remembered for a second.
    sleep(Duration::from_secs(2)).await;
    store.clock().advance(Seconds(120));
    store.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(60)));
    let open = world.invoke(&function, request("GET", "/")).await.unwrap();
    assert_eq!(open["statusCode"], 200);
    let told = world.told();
    let figure = |name: &str| told[name].clone();
    let figures = [metric::LIMIT_ALLOWED, metric::LIMIT_DENIED, metric::LIMIT_FAIL_OPEN].map(figure);
    assert_eq!(figures, [json!(1), json!(1), json!(1)], "{told}");
}

/// An alarm on a figure that nobody tells can never ring.
#[test]
fn every_figure_that_alarms_can_watch_is_told_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = std::fs::read_to_string(root.join("../theory-synth/src/metric.rs")).unwrap();
    let names = words.lines().filter_map(|line| line.strip_prefix("pub const ")?.split(':').next());
    let tellers: String = ["archive.rs", "figures.rs", "page.rs"]
        .map(|file| std::fs::read_to_string(root.join("src").join(file)).unwrap())
        .concat();
    let names: Vec<_> = names.collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let is_word = tellers.split(|letter: char| !(letter.is_alphanumeric() || "_:".contains(letter)));
        assert!(is_word.into_iter().any(|word| word == format!("metric::{name}")), "nobody tells {name}");
    }
}
