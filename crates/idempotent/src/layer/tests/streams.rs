//! Streams of events, which may have no end. A route that repeated requests once read them whole: nobody got so much as a head,
//! the lock was made longer for as long as the other side kept the stream open, and the task outlived its client.

use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use super::*;

const SOON: Duration = Duration::from_secs(1);

/// A world whose handler answers with one event and no end, and who still listens to such an answer.
struct Events {
    world: World,
    layer: IdempotencyLayer,
    listening: Arc<()>,
}

impl Events {
    async fn new(in_place: bool) -> Self {
        let world = World::new().await;
        let layer = if in_place { world.layer().in_place() } else { world.layer() };
        Self { world, layer, listening: Arc::new(()) }
    }

    /// Asks; the handler waits for the gate.
    async fn ask(&self) -> Response<IdempotentBody<AnyBody>> {
        let (world, listening) = (self.world.clone(), Arc::clone(&self.listening));
        let handler = service_fn(move |_: Request<IdempotentBody<AnyBody>>| {
            let (world, listening) = (world.clone(), Arc::clone(&listening));
            async move {
                world.begun.fetch_add(1, Ordering::SeqCst);
                world.gate.acquire().await.expect("it is never closed").forget();
                let response = Response::builder().header("content-type", "Text/Event-Stream; charset=utf-8");
                Ok::<_, Broken>(response.body(endless(listening)).expect("a response"))
            }
        });
        self.layer.layer(handler).oneshot(post("/events")).await.expect("this service does not fail")
    }

    fn listeners(&self) -> usize {
        Arc::strong_count(&self.listening) - 1
    }
}

fn endless(listening: Arc<()>) -> AnyBody {
    let first = stream::once(async { Ok(Frame::data(Bytes::from_static(b"data: 1\n\n"))) });
    let silence: BoxStream<'static, _> = stream::poll_fn(move |_| {
        let _open = &listening;
        Poll::Pending
    })
    .boxed();
    StreamBody::new(first.chain(silence)).boxed_unsync()
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_events_begins_at_once_and_is_not_performed_again() {
    for in_place in [false, true] {
        let events = Events::new(in_place).await;
        events.world.open();
        let mut first = tokio::time::timeout(SOON, events.ask()).await.expect("the head comes at once");
        assert_eq!(
            (first.status(), first.headers().get("idempotent-replayed")),
            (http::StatusCode::OK, None)
        );
        let event = tokio::time::timeout(SOON, first.body_mut().frame()).await.expect("so does an event");
        assert_eq!(event.expect("one").expect("whole").into_data().expect("data"), "data: 1\n\n");
        // While it is open, in this process and in another, and when nobody listens any more.
        let other = Idempotency::new(events.world.store.db());
        let elsewhere = World { machine: other, ..events.world.clone() };
        for world in [&events.world, &elsewhere] {
            let again = world.call(&world.layer(), post("/events")).await;
            assert_eq!((again.status, again.code().as_str()), (500, "answer_lost"));
        }
        assert_eq!(events.listeners(), 1);
        drop(first);
        assert_eq!(events.listeners(), 0, "a stream ends with who listens");
        let again = Seen::of(events.ask().await).await;
        assert_eq!((again.status, again.code().as_str()), (500, "answer_lost"));
        assert_eq!(events.world.begun(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn while_a_stream_of_events_is_open_nobody_makes_its_lock_longer() {
    let events = Events::new(false).await;
    events.world.open();
    let mut first = tokio::time::timeout(SOON, events.ask()).await.expect("the head comes at once");
    let calls = events.world.store.calls().len();
    let listening = async { while first.body_mut().frame().await.is_some() {} };
    assert!(tokio::time::timeout(Duration::from_secs(3_600), listening).await.is_err(), "it has no end");
    assert_eq!(events.world.store.calls().len(), calls);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_begins_when_its_client_is_gone_is_closed() {
    let events = Events::new(false).await;
    let left = tokio::time::timeout(SOON, events.ask()).await;
    assert!(left.is_err(), "the gate is closed");
    events.world.open();
    tokio::time::sleep(SOON).await;
    assert_eq!((events.world.begun(), events.listeners()), (1, 0));
    let again = Seen::of(events.ask().await).await;
    assert_eq!((again.status, again.code().as_str()), (500, "answer_lost"));
}

#[tokio::test]
async fn other_kinds_of_answers_are_read_as_before() {
    for (kind, is_stream) in [
        ("text/event-stream", true),
        ("TEXT/EVENT-STREAM ;charset=utf-8", true),
        ("text/event-streams", false),
        ("application/json", false),
        ("text/plain; note=text/event-stream", false),
    ] {
        let world = World::new().await;
        let handler = service_fn(move |_: Request<IdempotentBody<AnyBody>>| {
            let response = Response::builder().header("content-type", kind).body(full("x"));
            async move { Ok::<_, Broken>(response.expect("a response")) }
        });
        let layer = world.layer();
        let mut seen = Vec::new();
        for _ in 0..2 {
            let answer = layer.layer(handler).oneshot(post("/any")).await.expect("it does not fail");
            seen.push(Seen::of(answer).await);
        }
        assert_eq!((seen[0].status, seen[0].body.as_str()), (200, "x"));
        assert_eq!(
            (seen[1].status, seen[1].is_replay()),
            if is_stream { (500, false) } else { (200, true) },
            "{kind}"
        );
    }
}
