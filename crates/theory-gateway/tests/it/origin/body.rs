//! Whole answers: complete, and no larger than what may be kept.

use bytes::Bytes;
use http::StatusCode;
use http_body_util::Empty;
use theory_gateway::origin::{Origin, OriginError};
use theory_gateway::refusal::Refusal;

use super::raw::Raw;
use super::{get, settings, text};

/// One that answers and closes.
async fn closing_after(answer: &'static str) -> Raw {
    Raw::start(move |mut line| async move {
        line.head().await;
        line.say(answer).await;
    })
    .await
}

#[tokio::test]
async fn a_part_is_not_taken_for_the_whole() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nha",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\nhalf\r\n0\r\n\r\n",
    ] {
        let raw = closing_after(answer).await;
        let error = Origin::new(&settings(raw.address)).unwrap().fetch(get("/")).await.expect_err(answer);
        assert!(matches!(error, OriginError::Broken(_)), "{answer:?}: {error:?}");
    }
    // Its end is the connection's, and that may come at any time.
    for answer in ["HTTP/1.1 200 OK\r\n\r\nhalf", "HTTP/1.0 200 OK\r\n\r\nhalf"] {
        let raw = closing_after(answer).await;
        let error = Origin::new(&settings(raw.address)).unwrap().fetch(get("/")).await.expect_err(answer);
        assert!(matches!(error, OriginError::Endless), "{answer:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_with_its_connection_says_so() {
    let raw = closing_after("HTTP/1.0 200 OK\r\n\r\nperhaps all").await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let answer = origin.send(get("/").map(|()| Empty::<Bytes>::new())).await.unwrap();
    assert!(!answer.body().has_visible_end());
    assert_eq!(text(answer.into_body()).await.unwrap(), "perhaps all");
}

#[tokio::test]
async fn an_answer_larger_than_what_may_be_kept_is_given_up() {
    let large = [
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n123456789",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12345\r\n4\r\n6789\r\n0\r\n\r\n",
    ];
    for answer in large {
        let raw = closing_after(answer).await;
        for (bytes_max, is_kept) in [(8, false), (9, true)] {
            let mut settings = settings(raw.address);
            settings.kept_bytes_max = bytes_max;
            let fetched = Origin::new(&settings).unwrap().fetch(get("/")).await;
            match fetched {
                Ok(answer) => assert!(is_kept && answer.body() == "123456789"),
                Err(error) => {
                    assert!(!is_kept && matches!(error, OriginError::TooLarge { bytes_max: 8 }), "{error:?}");
                    assert_eq!(Refusal::from(&error).status, StatusCode::BAD_GATEWAY);
                }
            }
        }
    }
}

#[tokio::test]
async fn redirects_are_answers_like_others() {
    let raw = Raw::saying(
        "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest\r\ncontent-length: 0\r\n\r\n",
    )
    .await;
    let answer = Origin::new(&settings(raw.address)).unwrap().fetch(get("/")).await.unwrap();
    assert_eq!(answer.status(), StatusCode::FOUND);
    assert_eq!(answer.headers()["location"], "http://169.254.169.254/latest");
    assert_eq!(raw.requests(), 1);
}
