//! How long an origin is waited for, and how much it is asked at once.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::{Request, StatusCode};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt as _, Empty, StreamBody};
use theory_gateway::origin::{Origin, OriginBody, OriginError, Step};
use theory_gateway::refusal::Refusal;
use tokio::sync::Semaphore;
use tokio::time::{advance, sleep};

use super::raw::Raw;
use super::{get, settings, text};
use crate::clock::StillClock;

const MOMENT: Duration = Duration::from_millis(150);

#[tokio::test]
async fn a_head_that_does_not_come_is_waited_for_only_so_long() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.closed().await;
    })
    .await;
    let mut settings = settings(raw.address);
    settings.head_wait = MOMENT;
    let origin = Origin::new(&settings).unwrap();
    let error = origin.fetch(get("/")).await.unwrap_err();
    assert!(
        matches!(error, OriginError::TimedOut { step: Step::Head, waited } if waited == MOMENT),
        "{error:?}"
    );
    assert_eq!(Refusal::from(&error).status, StatusCode::GATEWAY_TIMEOUT);
    // What was sent may be read after nobody waits any more.
    while raw.requests() == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(raw.requests(), 1, "a slow request is not repeated");
}

#[tokio::test]
async fn half_a_head_is_no_head() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.say("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n").await;
        line.closed().await;
    })
    .await;
    let mut settings = settings(raw.address);
    settings.head_wait = MOMENT;
    let error = Origin::new(&settings).unwrap().fetch(get("/")).await.unwrap_err();
    assert!(matches!(error, OriginError::TimedOut { step: Step::Head, .. }), "{error:?}");
}

/// The clock moves when the test says so: between two pieces for less than the patience, though for more than it altogether.
#[tokio::test]
async fn a_body_may_be_slow_but_not_pause_for_too_long() {
    let pieces = Arc::new(Semaphore::new(0));
    let allowed = Arc::clone(&pieces);
    let raw = Raw::start(move |mut line| {
        let allowed = Arc::clone(&allowed);
        async move {
            line.head().await;
            line.say("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n").await;
            for piece in ["a", "b", "c", "d"] {
                allowed.acquire().await.unwrap().forget();
                line.say(piece).await;
            }
            line.closed().await;
        }
    })
    .await;
    let clock = StillClock::stop();
    let mut settings = settings(raw.address);
    settings.body_wait = MOMENT * 4;
    let origin = Origin::new(&settings).unwrap();
    let mut body = origin.send(get("/").map(|()| Empty::<Bytes>::new())).await.unwrap().into_body();
    for piece in ["a", "b", "c", "d"] {
        begin_to_wait(&mut body).await;
        clock.pass(MOMENT * 3).await;
        pieces.add_permits(1);
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.data_ref().unwrap(), piece);
    }
    begin_to_wait(&mut body).await;
    clock.pass(MOMENT * 5).await;
    let error = body.frame().await.unwrap().unwrap_err();
    assert!(matches!(error, OriginError::TimedOut { step: Step::Body, .. }), "{error:?}");
}

/// Asks for the next piece of a body, which is not there yet: from now on it is waited for.
async fn begin_to_wait(body: &mut OriginBody) {
    let is_early =
        poll_fn(|context| Poll::Ready(Pin::new(&mut *body).poll_frame(context).is_pending())).await;
    assert!(is_early, "nothing was sent");
}

#[tokio::test]
async fn nobody_there_is_a_bad_gateway() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = Origin::new(&settings(address)).unwrap().fetch(get("/")).await.unwrap_err();
    assert!(matches!(error, OriginError::Unreachable(_)), "{error:?}");
    assert_eq!(Refusal::from(&error).status, StatusCode::BAD_GATEWAY);
}

#[tokio::test]
async fn a_client_that_sends_slowly_is_not_the_origins_fault() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.body("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n".len()).await;
        line.say("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
        line.closed().await;
    })
    .await;
    // Time passes while the client is waited for, and never while the origin is.
    let _clock = StillClock::stop();
    let mut settings = settings(raw.address);
    settings.head_wait = MOMENT * 5;
    let origin = Origin::new(&settings).unwrap();
    let pieces = stream::unfold(["hello", "world"].into_iter(), |mut pieces| async {
        advance(MOMENT * 6).await;
        let piece = pieces.next()?;
        Some((Ok::<_, std::io::Error>(Frame::data(Bytes::from(piece))), pieces))
    });
    let request = Request::post("/").body(StreamBody::new(pieces)).unwrap();
    let answer = origin.send(request).await.unwrap();
    assert_eq!(text(answer.into_body()).await.unwrap(), "ok");
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_its_body_is_not_the_origins_fault() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.closed().await;
    })
    .await;
    let mut settings = settings(raw.address);
    settings.failures_max = 1;
    let origin = Origin::new(&settings).unwrap();
    let pieces =
        stream::iter([Ok(Frame::data(Bytes::from("hel"))), Err(std::io::Error::other("the client left"))]);
    let request = Request::post("/").header("content-length", "5").body(StreamBody::new(pieces)).unwrap();
    let error = origin.send(request).await.unwrap_err();
    assert!(matches!(error, OriginError::Asker(_)), "{error:?}");
    assert_eq!(Refusal::from(&error).status, StatusCode::BAD_REQUEST);
    assert_eq!(origin.health(), theory_gateway::origin::Health::Well);
}

/// The origin answers when the test says so. It once answered after a second and a half, and a machine that stood still for
/// half a second more let the patience of those who waited run out.
#[tokio::test]
async fn more_requests_than_it_may_get_at_once_wait_and_are_then_refused() {
    let answers = Arc::new(Semaphore::new(0));
    let allowed = Arc::clone(&answers);
    let raw = Raw::start(move |mut line| {
        let allowed = Arc::clone(&allowed);
        async move {
            while line.head().await.is_some() {
                allowed.acquire().await.unwrap().forget();
                line.say("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
            }
        }
    })
    .await;
    let asked_for = async |requests| {
        while raw.requests() < requests {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let mut patient = settings(raw.address);
    patient.requests_max = 2;
    patient.connect_wait = Duration::from_secs(60);
    patient.head_wait = Duration::from_secs(60);
    let origin = Origin::new(&patient).unwrap();
    let ask = |origin: &Arc<Origin>| {
        let origin = Arc::clone(origin);
        tokio::spawn(async move { origin.fetch(get("/")).await })
    };
    let asked: Vec<_> = (0..4).map(|_| ask(&origin)).collect();
    asked_for(2).await;
    sleep(MOMENT).await;
    assert_eq!(raw.requests(), 2, "the others wait");
    answers.add_permits(4);
    for asked in asked {
        asked.await.unwrap().expect("two waited for the first two");
    }
    assert_eq!(raw.connections(), 2);

    let mut hasty = patient;
    hasty.requests_max = 1;
    hasty.connect_wait = MOMENT * 3;
    let origin = Origin::new(&hasty).unwrap();
    let first = ask(&origin);
    asked_for(5).await;
    let error = origin.fetch(get("/")).await.unwrap_err();
    assert!(matches!(error, OriginError::Overloaded), "{error:?}");
    assert_eq!(Refusal::from(&error).status, StatusCode::SERVICE_UNAVAILABLE);
    answers.add_permits(1);
    first.await.unwrap().unwrap();
}
