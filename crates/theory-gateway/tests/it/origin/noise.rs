//! Answers with noise in them: bytes that changed, went missing, or came in twice.

use std::time::Duration;

use http::header::CONTENT_LENGTH;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use theory_gateway::origin::Origin;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::raw::Raw;
use super::{get, settings};

const ANSWERS: [&str; 3] = [
    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 11\r\n\r\nhello world",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\na: b\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 304 Not Modified\r\netag: \"1\"\r\n\r\n",
];

/// What happens to an answer, at a place that is taken modulo its length.
#[derive(Debug, Clone)]
enum Noise {
    Change(usize, u8),
    Lose(usize, usize),
    Repeat(usize, usize),
}

fn noise() -> impl Strategy<Value = Noise> {
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(place, byte)| Noise::Change(place, byte)),
        (any::<usize>(), 1_usize..20).prop_map(|(place, bytes)| Noise::Lose(place, bytes)),
        (any::<usize>(), 1_usize..20).prop_map(|(place, bytes)| Noise::Repeat(place, bytes)),
    ]
}

fn disturbed(answer: &str, noises: &[Noise]) -> Vec<u8> {
    let mut bytes = answer.as_bytes().to_vec();
    for noise in noises {
        if bytes.is_empty() {
            break;
        }
        let range = |place: usize, count: usize| {
            let start = place % bytes.len();
            start..(start + count).min(bytes.len())
        };
        match *noise {
            Noise::Change(place, byte) => {
                let place = place % bytes.len();
                bytes[place] = byte;
            }
            Noise::Lose(place, count) => drop(bytes.drain(range(place, count))),
            Noise::Repeat(place, count) => {
                let range = range(place, count);
                let piece = bytes[range.clone()].to_vec();
                bytes.splice(range.start..range.start, piece);
            }
        }
    }
    bytes
}

/// Asks once; the answer, if there is one, is as long as it says.
async fn ask(said: Vec<u8>) -> Result<(), TestCaseError> {
    let raw = Raw::start(move |mut line| {
        let said = said.clone();
        async move {
            line.head().await;
            let _ = line.stream.write_all(&said).await;
        }
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let answered = timeout(Duration::from_secs(9), origin.fetch(get("/"))).await;
    let answered = answered.map_err(|_| TestCaseError::fail("neither an answer nor an error"))?;
    if let Ok(answer) = answered
        // These speak of the length of another answer.
        && !matches!(answer.status().as_u16(), 204 | 304)
        && let Some(length) = answer.headers().get(CONTENT_LENGTH)
    {
        prop_assert_eq!(length.to_str().unwrap(), answer.body().len().to_string());
    }
    Ok(())
}

#[test]
fn whatever_an_origin_says_there_is_a_whole_answer_or_an_error() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases: 400, ..Config::default() });
    let cases = (0..ANSWERS.len(), vec(noise(), 1..4));
    let checked =
        runner.run(&cases, |(answer, noises)| runtime.block_on(ask(disturbed(ANSWERS[answer], &noises))));
    checked.unwrap();
}
