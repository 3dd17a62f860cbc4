//! The flood: requests that never come again, in every way a stranger can name something that a gateway might remember.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder};
use tokio::time::Instant;

use crate::application::Answer;

const CLIENTS: usize = 8;
const BODY_BYTES: usize = 8 << 10;
/// What never reaches the disk is this much larger, so that keeping it shows soon.
const LARGER: usize = 8;

/// What the application answers: pages of their own, some that may be kept by what they say, and some that are not there.
pub(super) fn application(path: &str) -> Answer {
    let own = body(path);
    match path {
        path if path.contains("missing") => Answer { status: 404, ..Answer::ok("there is no such page") },
        path if path.starts_with("/cached") => {
            Answer { headers: "cache-control: max-age=3600\r\n", ..Answer::ok(own.repeat(LARGER)) }
        }
        path if path.starts_with("/page") => Answer::ok(own),
        _ => Answer::ok("done"),
    }
}

/// Letters that are of this path alone and hardly get smaller when they are compressed.
fn body(path: &str) -> String {
    let mut state = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let letters = (0..BODY_BYTES).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + u8::try_from(state >> 58).expect("six bits"))
    });
    letters.collect()
}

/// The flood.
#[derive(Debug, Default)]
pub(super) struct Flood {
    /// How many requests there were, and the name of the next one.
    requests: AtomicU64,
}

impl Flood {
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// Lets it come for so long.
    pub(super) async fn come(self: &Arc<Self>, address: &str, span: Duration) {
        let until = Instant::now() + span;
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (flood, address) = (Arc::clone(self), address.to_owned());
                tokio::spawn(async move {
                    let client = Client::builder().no_proxy().build().expect("a client");
                    while Instant::now() < until {
                        let number = flood.requests.fetch_add(1, Ordering::SeqCst);
                        let (request, expected) = request(&client, &address, number);
                        let answer = request.send().await.expect("the gateway answers");
                        let (status, url) = (answer.status().as_u16(), answer.url().clone());
                        let body = answer.text().await.expect("a whole body");
                        assert_eq!(status, expected, "{number} {url}: {body}");
                    }
                })
            })
            .collect();
        for client in clients {
            client.await.expect("every request is answered as it should be");
        }
    }
}

/// A request of this number, and the status of its answer.
fn request(client: &Client, address: &str, number: u64) -> (RequestBuilder, u16) {
    let get = |path: String| client.request(Method::GET, format!("{address}{path}"));
    match number % 9 {
        0 => (get(format!("/page/{number}")), 200),
        1 => (get(format!("/page/same?q={number}")), 200),
        2 => (get(format!("/cached/{number}")), 200),
        3 => (get(format!("/cached/same?q={number}")), 200),
        4 => {
            let [.., a, b, c] = number.to_be_bytes();
            (get("/limited/all".to_owned()).header("x-forwarded-for", format!("10.{a}.{b}.{c}")), 200)
        }
        5 => (get("/keyed/all".to_owned()).header("x-api-key", format!("key-{number}")), 200),
        6 => {
            let order = client.request(Method::POST, format!("{address}/orders"));
            (order.header("idempotency-key", format!("order-{number}")).body("one, please"), 200)
        }
        7 => (get("/page/same".to_owned()).header("host", format!("host-{number}.example")), 421),
        _ => (get(format!("/page/missing-{number}")), 404),
    }
}
