//! An origin that fails is left alone, tried, and believed again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use http::StatusCode;
use theory_gateway::origin::{Health, Origin, OriginError};
use theory_gateway::refusal::Refusal;
use theory_gateway::settings::OriginSettings;

use super::raw::Raw;
use super::{get, settings};
use crate::clock::StillClock;

const PAUSE: Duration = Duration::from_secs(1);

/// An origin that answers with whatever status it is set to; 0 closes the connection.
async fn moody() -> (Raw, Arc<AtomicU16>) {
    let mood = Arc::new(AtomicU16::new(200));
    let shared = Arc::clone(&mood);
    let raw = Raw::start(move |mut line| {
        let shared = Arc::clone(&shared);
        async move {
            while line.head().await.is_some() {
                match shared.load(Ordering::SeqCst) {
                    0 => return,
                    status => line.say(&format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n")).await,
                }
            }
        }
    })
    .await;
    (raw, mood)
}

fn touchy(raw: &Raw) -> OriginSettings {
    let mut settings = settings(raw.address);
    settings.failures_max = 3;
    settings.pause = PAUSE;
    settings
}

#[tokio::test]
async fn after_failures_in_a_row_it_is_asked_nothing_and_then_tried_by_one() {
    let (raw, mood) = moody().await;
    let origin = Origin::new(&touchy(&raw)).unwrap();
    // The pause is over when this test says so, and not while the machine stands still.
    let clock = StillClock::stop();
    mood.store(503, Ordering::SeqCst);
    for _ in 0..3 {
        // What it says is passed on: it may say more than we could.
        assert_eq!(origin.fetch(get("/")).await.unwrap().status(), StatusCode::SERVICE_UNAVAILABLE);
    }
    assert!(matches!(origin.health(), Health::LeftAlone { .. }));
    clock.pass(PAUSE / 4).await;
    for _ in 0..10 {
        let error = origin.fetch(get("/")).await.unwrap_err();
        assert!(matches!(error, OriginError::LeftAlone { .. }), "{error:?}");
        let refusal = Refusal::from(&error);
        assert_eq!((refusal.status, refusal.retry_after), (StatusCode::SERVICE_UNAVAILABLE, Some(1)));
    }
    assert_eq!(raw.requests(), 3, "it was left alone");

    clock.pass(PAUSE).await;
    assert!(origin.fetch(get("/")).await.is_ok(), "the trial is a request like others");
    assert!(matches!(origin.fetch(get("/")).await, Err(OriginError::LeftAlone { .. })), "and it failed");
    assert_eq!(raw.requests(), 4);

    mood.store(200, Ordering::SeqCst);
    clock.pass(PAUSE).await;
    for _ in 0..5 {
        assert_eq!(origin.fetch(get("/")).await.unwrap().status(), StatusCode::OK);
    }
    assert_eq!((origin.health(), raw.requests()), (Health::Well, 9));
}

#[tokio::test]
async fn connections_that_break_count_and_errors_of_the_application_do_not() {
    let (raw, mood) = moody().await;
    let origin = Origin::new(&touchy(&raw)).unwrap();
    for status in [500, 404, 501, 429] {
        mood.store(status, Ordering::SeqCst);
        origin.fetch(get("/")).await.unwrap();
        assert_eq!(origin.health(), Health::Well, "{status}");
    }
    mood.store(0, Ordering::SeqCst);
    for failures in 1..=2 {
        assert!(matches!(origin.fetch(get("/")).await, Err(OriginError::Broken(_))));
        assert!(matches!(origin.health(), Health::Failing { failures: counted, .. } if counted == failures));
    }
    mood.store(200, Ordering::SeqCst);
    origin.fetch(get("/")).await.unwrap();
    assert_eq!(origin.health(), Health::Well, "two in a row are not three");
}

#[tokio::test]
async fn a_question_on_the_side_notices_the_failure_and_the_recovery_before_clients_do() {
    let (raw, mood) = moody().await;
    let mut settings = touchy(&raw);
    settings.health_path = Some("/healthz".to_owned());
    settings.pause = Duration::from_secs(3600);
    let origin = Origin::new(&settings).unwrap();
    mood.store(500, Ordering::SeqCst);
    for _ in 0..3 {
        origin.probe().await;
    }
    assert!(matches!(origin.health(), Health::LeftAlone { .. }));
    assert!(matches!(origin.fetch(get("/")).await, Err(OriginError::LeftAlone { .. })));
    mood.store(204, Ordering::SeqCst);
    origin.probe().await;
    assert_eq!(origin.health(), Health::Well);
    assert_eq!(raw.requests(), 4);
    origin.fetch(get("/")).await.unwrap();
}

#[tokio::test]
async fn without_a_path_nothing_is_asked() {
    let (raw, _) = moody().await;
    Origin::new(&touchy(&raw)).unwrap().probe().await;
    assert_eq!(raw.requests(), 0);
}
