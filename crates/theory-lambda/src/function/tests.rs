//! Single invocations of functions in this process, in time that is moved by hand.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use facetheory::{Bodies, Isr, MetaStore, Policy};
use idempotent::{Idempotency, IdempotencyLayer, Scope};
use limited::{
    ClientAddress, Identity, Limit, Limiter, LimiterSettings, Missing, OnFailure, RateLimitLayer,
    RateLimitRule,
};
use object_store::memory::InMemory;
use object_store::throttle::{ThrottleConfig, ThrottledStore};
use serde_json::{Value, json};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::{Clock, ManualClock, Seconds, StoreError};
use theory_archive::ArchiveSettings;
use theory_synth::metric;
use tokio::time::{Instant, sleep};
use tower::{Layer, service_fn};

use super::*;
use crate::PageRoute;
use crate::in_time::InTimeLayer;
use crate::queue::{Regeneration, RegenerationQueue, Sending};
use crate::site::Site;

/// Invocations that begin now and have three seconds.
struct World {
    process: Process,
    clock: Arc<ManualClock>,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
        Self { process: Process::new("tested").with_clock(Arc::clone(&clock) as _), clock }
    }

    async fn invoke(&self, function: &Function, payload: Value) -> Result<Value, Diagnostic> {
        let mut context = Context::default();
        context.request_id = "r-1".to_owned();
        context.deadline = u64::try_from(self.clock.now().millis()).unwrap() + 3_000;
        let payload = RawValue::from_string(payload.to_string()).unwrap();
        // What was counted is looked at by the test, and not printed.
        let bounds = self.process.time().begin(
            Timestamp::from_millis(i64::try_from(context.deadline).unwrap()),
            self.process.buffer(),
            self.process.clock(),
        );
        let answer = function.answer(&self.process, &payload, &context, bounds).await;
        self.process.time().end();
        answer.map(|answer| serde_json::from_str(answer.get()).unwrap())
    }

    fn told(&self) -> Value {
        let line = self.process.figures().line("tested", "r-1", self.clock.now());
        line.map_or(Value::Null, |line| serde_json::from_str(&line).unwrap())
    }
}

fn request(method: &str, path: &str) -> Value {
    json!({
        "version": "2.0", "rawPath": path, "rawQueryString": "",
        "headers": { "host": "site.example", "idempotency-key": "k-1" },
        "requestContext": { "stage": "$default", "http": { "method": method, "path": path, "sourceIp": "203.0.113.7" } },
        "body": "{}", "isBase64Encoded": false,
    })
}

fn page(path: &str) -> Value {
    let mut event = request("GET", path);
    event["body"] = Value::Null;
    event
}

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

#[derive(Debug, Default)]
struct Queue {
    sent: parking_lot::Mutex<Vec<String>>,
    is_slow: bool,
}

impl RegenerationQueue for Queue {
    fn send<'a>(&'a self, message: &'a RegenerationMessage) -> Sending<'a> {
        Box::pin(async move {
            if self.is_slow {
                sleep(Duration::from_secs(60)).await;
            }
            self.sent.lock().push(message.text());
            Ok(())
        })
    }
}

/// A site whose only page is stale.
async fn stale_site(world: &World, queue: Arc<Queue>) -> (Function, Arc<AtomicU32>) {
    stale_site_of(world, isr_in(world, &Db::memory(), Bodies::memory()), queue, |_| std::future::ready(()))
        .await
}

fn isr_in(world: &World, db: &Db, bodies: Bodies) -> Isr {
    let db = db.clone().with_clock(Arc::clone(&world.clock) as _);
    Isr::new(MetaStore::new(world.process.timely(&db)), bodies)
}

async fn stale_site_of<F, D>(
    world: &World,
    isr: Isr,
    queue: Arc<Queue>,
    during: D,
) -> (Function, Arc<AtomicU32>)
where
    F: Future<Output = ()> + Send,
    D: Fn(u32) -> F + Clone + Send + Sync + 'static,
{
    let (pages, renders) = stale_pages(world, isr, during).await;
    let pages = pages.regenerating(Regeneration::Queue(queue));
    (Function::http(pages.clone()).regenerations(pages), renders)
}

/// Pages of which the only one is stale, with something that happens during each render.
async fn stale_pages<F, D>(world: &World, isr: Isr, during: D) -> (Pages, Arc<AtomicU32>)
where
    F: Future<Output = ()> + Send,
    D: Fn(u32) -> F + Clone + Send + Sync + 'static,
{
    isr.meta().create_table().await.unwrap();
    let renders = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&renders);
    let app = Router::new().route(
        "/news",
        get(move || async move {
            let number = count.fetch_add(1, Ordering::SeqCst);
            during(number).await;
            format!("render {number}")
        }),
    );
    let site = Site::new("news").page("/news", PageRoute::new(Policy::fresh_for(Seconds(60))));
    let pages = site.serve(&world.process, world.process.observed(isr), app).unwrap();
    world.invoke(&Function::http(pages.clone()), page("/news")).await.unwrap();
    world.clock.advance(Seconds(61));
    (pages, renders)
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_slower_than_the_invocation_keeps_nobody_from_the_answer() {
    let world = World::new();
    let queue = Arc::new(Queue { is_slow: true, ..Queue::default() });
    let (function, renders) = stale_site(&world, Arc::clone(&queue)).await;
    let began = Instant::now();
    let stale = world.invoke(&function, page("/news")).await.unwrap();
    assert_eq!((&stale["statusCode"], &stale["headers"]["x-facetheory-isr"]), (&json!(200), &json!("stale")));
    assert!(began.elapsed() <= Duration::from_millis(2_750));
    assert_eq!(renders.load(Ordering::SeqCst), 1, "there was no time left for a render");
    assert_eq!(world.told()[metric::REGENERATION_NOT_QUEUED], 1);
}

#[tokio::test(start_paused = true)]
async fn many_visitors_of_a_stale_page_send_one_message_and_it_is_done_once() {
    let world = World::new();
    let queue = Arc::new(Queue::default());
    let (function, renders) = stale_site(&world, Arc::clone(&queue)).await;
    for _ in 0..10 {
        let stale = world.invoke(&function, page("/news")).await.unwrap();
        assert_eq!(stale["headers"]["x-facetheory-isr"], "stale");
    }
    let sent = queue.sent.lock().clone();
    assert_eq!((sent.len(), renders.load(Ordering::SeqCst)), (1, 1));
    let record = |id| json!({ "eventSource": "aws:sqs", "messageId": id, "body": sent[0] });
    for batch in [json!([record("m-1"), record("m-2")]), json!([record("m-3")])] {
        let answer = world.invoke(&function, json!({ "Records": batch })).await.unwrap();
        assert_eq!(answer, json!({ "batchItemFailures": [] }));
    }
    assert_eq!(renders.load(Ordering::SeqCst), 2);
    let fresh = world.invoke(&function, page("/news")).await.unwrap();
    assert_eq!((&fresh["headers"]["x-facetheory-isr"], &fresh["body"]), (&json!("hit"), &json!("render 1")));
}

fn messages(sent: &[String]) -> Value {
    let record = |(at, body): (usize, &String)| json!({ "eventSource": "aws:sqs", "messageId": format!("m-{at}"), "body": body });
    json!({ "Records": sent.iter().enumerate().map(record).collect::<Vec<_>>() })
}

fn failed(answer: &Value) -> usize {
    answer["batchItemFailures"].as_array().expect("a list").len()
}

#[tokio::test(start_paused = true)]
async fn a_reader_whose_clock_is_behind_renders_what_a_message_asks_for() {
    let world = World::new();
    let queue = Arc::new(Queue::default());
    let (function, renders) = stale_site(&world, Arc::clone(&queue)).await;
    world.invoke(&function, page("/news")).await.unwrap();
    let batch = messages(&queue.sent.lock());
    world.clock.advance(Seconds(-30));
    for _ in 0..2 {
        assert_eq!(failed(&world.invoke(&function, batch.clone()).await.unwrap()), 0);
    }
    assert_eq!(renders.load(Ordering::SeqCst), 2);
}

/// A message was taken for done when its page was rendered and could not be stored.
#[tokio::test(start_paused = true)]
async fn a_message_whose_page_could_not_be_stored_comes_again() {
    let (world, store) = (World::new(), TestStore::new());
    let queue = Arc::new(Queue::default());
    let troubled = store.clone();
    let during = move |number| {
        if number == 1 {
            let full = StoreError::LimitExceeded("too much".to_owned());
            troubled.trouble("TransactWriteItems", Trouble::Refused(full));
        }
        std::future::ready(())
    };
    let isr = isr_in(&world, &store.db(), Bodies::memory());
    let (function, renders) = stale_site_of(&world, isr, Arc::clone(&queue), during).await;
    world.invoke(&function, page("/news")).await.unwrap();
    let batch = messages(&queue.sent.lock());
    assert_eq!(failed(&world.invoke(&function, batch.clone()).await.unwrap()), 1);
    assert_eq!(failed(&world.invoke(&function, batch).await.unwrap()), 0);
    assert_eq!(renders.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_takes_longer_than_the_invocation_comes_again() {
    let world = World::new();
    let bucket = Arc::new(ThrottledStore::new(InMemory::new(), ThrottleConfig::default()));
    let isr = isr_in(&world, &Db::memory(), Bodies::over(Arc::clone(&bucket) as _));
    let queue = Arc::new(Queue::default());
    let quick = |_| std::future::ready(());
    let (function, _) = stale_site_of(&world, isr, Arc::clone(&queue), quick).await;
    world.invoke(&function, page("/news")).await.unwrap();
    let batch = messages(&queue.sent.lock());
    bucket.config_mut(|config| config.wait_put_per_call = Duration::from_secs(60));
    let began = Instant::now();
    assert_eq!(failed(&world.invoke(&function, batch.clone()).await.unwrap()), 1);
    assert!(began.elapsed() <= Duration::from_millis(2_750), "{:?}", began.elapsed());
    bucket.config_mut(|config| config.wait_put_per_call = Duration::ZERO);
    assert_eq!(failed(&world.invoke(&function, batch).await.unwrap()), 0);
}

/// Renders that never began raised the count of failures, and put off those who had the time.
#[tokio::test(start_paused = true)]
async fn a_render_that_never_began_puts_nobody_off() {
    let world = World::new();
    let hurried = World {
        process: world.process.clone().with_buffer(Duration::from_millis(1_500)),
        clock: Arc::clone(&world.clock),
    };
    let queue = Arc::new(Queue::default());
    let (function, renders) = stale_site(&world, Arc::clone(&queue)).await;
    world.invoke(&function, page("/news")).await.unwrap();
    let batch = messages(&queue.sent.lock());
    // Twice this buffer is all the time there is.
    assert_eq!(failed(&hurried.invoke(&function, batch.clone()).await.unwrap()), 1);
    assert_eq!(renders.load(Ordering::SeqCst), 1);
    assert_eq!(failed(&world.invoke(&function, batch).await.unwrap()), 0);
    assert_eq!(renders.load(Ordering::SeqCst), 2);
}

/// Behind an API that waits for less than the function may take, visitors of a stale page got nothing.
#[tokio::test(start_paused = true)]
async fn a_visitor_of_a_stale_page_waits_for_its_render_no_longer_than_is_said() {
    let world = World::new();
    let isr = isr_in(&world, &Db::memory(), Bodies::memory());
    let during = |number| sleep(Duration::from_secs(if number == 1 { 60 } else { 0 }));
    let (pages, renders) = stale_pages(&world, isr, during).await;
    let function = Function::http(pages.awaiting_at_most(Duration::from_secs(1)));
    for (took, is_rendered) in [(1, 2), (0, 3)] {
        let began = Instant::now();
        let stale = world.invoke(&function, page("/news")).await.unwrap();
        assert_eq!((&stale["statusCode"], &stale["body"]), (&json!(200), &json!("render 0")));
        assert_eq!(
            (began.elapsed(), renders.load(Ordering::SeqCst)),
            (Duration::from_secs(took), is_rendered)
        );
    }
    let fresh = world.invoke(&function, page("/news")).await.unwrap();
    assert_eq!(fresh["body"], "render 2");
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

#[tokio::test(start_paused = true)]
async fn a_schedule_sweeps_bodies_that_no_row_names() {
    let (world, store) = (World::new(), TestStore::new());
    let isr = Isr::new(MetaStore::new(store.db()), Bodies::memory());
    isr.meta().create_table().await.unwrap();
    isr.bodies()
        .put(&facetheory::body::BodyKey::new("CACHE#1", "nobody names it"), "old".into())
        .await
        .unwrap();
    let hour =
        json!({ "version": "0", "detail-type": "Scheduled Event", "source": "aws.events", "detail": {} });
    let function = Function::default().sweeping(isr.clone());
    let young = world.invoke(&function, hour.clone()).await.unwrap();
    assert_eq!((&young["seen"], &young["deleted"]), (&json!(1), &json!(0)), "it may be on its way to a row");

    // The clock of the pages is far ahead of the bodies' own.
    store.advance(Seconds(10 * 365 * 86_400));
    let swept = world.invoke(&function, hour.clone()).await.unwrap();
    assert_eq!(swept, json!({ "seen": 1, "deleted": 1, "failed": 0 }));

    store.trouble("Scan", Trouble::Slow(Duration::from_secs(60)));
    let late = world.invoke(&function, hour.clone()).await.unwrap_err();
    assert_eq!(late.error_type, "Sweep.OutOfTime");
    let nobody = world.invoke(&Function::default(), hour).await.unwrap_err();
    assert_eq!(nobody.error_type, "Function.Misconfigured");
}

/// A timeout threw away what was archived before it: a batch that took too long came again from its first record, for ever.
#[tokio::test(start_paused = true)]
async fn records_that_were_archived_in_time_do_not_come_again() {
    let world = World::new();
    let slow = ThrottleConfig { wait_put_per_call: Duration::from_secs(1), ..ThrottleConfig::default() };
    let settings = ArchiveSettings { concurrency: 1, ..ArchiveSettings::default() };
    let bucket = Arc::new(ThrottledStore::new(InMemory::new(), slow));
    let function = Function::archiving(Archive::new(bucket, "").with_settings(settings));
    let record = |number: u32| {
        json!({
            "eventID": format!("e{number}"), "eventName": "REMOVE", "eventSource": "aws:dynamodb",
            "userIdentity": { "type": "Service", "principalId": "dynamodb.amazonaws.com" },
            "dynamodb": {
                "ApproximateCreationDateTime": 1_704_067_260, "SequenceNumber": number.to_string(),
                "StreamViewType": "OLD_IMAGE",
                "Keys": { "id": { "S": "a" } }, "OldImage": { "id": { "S": "a" } },
            },
        })
    };
    let records: Vec<_> = (1..=5).map(record).collect();
    let answer = world.invoke(&function, json!({ "Records": records })).await.unwrap();
    assert_eq!(answer, json!({ "batchItemFailures": [{ "itemIdentifier": "3" }] }));
    let told = world.told();
    assert_eq!((&told[metric::ARCHIVED], &told[metric::ARCHIVE_FAILED]), (&json!(2), &json!(1)), "{told}");
}
