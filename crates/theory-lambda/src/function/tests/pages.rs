//! Pages that are stale: rendered before the answer, elsewhere, or not in time; and the bodies that nobody names.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use facetheory::{Bodies, Isr, MetaStore, Policy};
use object_store::memory::InMemory;
use object_store::throttle::{ThrottleConfig, ThrottledStore};
use serde_json::{Value, json};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::{Seconds, StoreError};
use theory_synth::metric;
use tokio::time::{Instant, sleep};

use super::world::{World, page};
use crate::PageRoute;
use crate::function::Function;
use crate::message::RegenerationMessage;
use crate::page::Pages;
use crate::queue::{Regeneration, RegenerationQueue, Sending};
use crate::site::Site;

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
    stale_site_of(world, isr_in(world, &TestStore::new().db(), Bodies::memory()), queue, |_| {
        std::future::ready(())
    })
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
    let isr = isr_in(&world, &TestStore::new().db(), Bodies::over(Arc::clone(&bucket) as _));
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
    let isr = isr_in(&world, &TestStore::new().db(), Bodies::memory());
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
