//! Connections that become another protocol's.

use theory_gateway::settings::EdgeLimits;
use tokio::io::AsyncWriteExt;

use super::talk::{Server, statuses};

const SWITCH: &str = "GET /switch HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n";
const NO_SWITCH: &str = "GET /no HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n";

#[tokio::test]
async fn after_101_everything_passes_in_both_directions() {
    let server = Server::start(EdgeLimits::default()).await;
    let mut client = server.connect().await;
    client.send(SWITCH.as_bytes()).await;
    client.until("\r\n\r\n").await;
    client.send(b"not http\n\0 at all").await;
    client.until("NOT HTTP\n\0 AT ALL").await;
    client.0.shutdown().await.unwrap();
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn bytes_sent_before_101_belong_to_the_other_protocol() {
    let server = Server::start(EdgeLimits::default()).await;
    let mut client = server.connect().await;
    client.send(format!("{SWITCH}GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).await;
    client.until("GET /SMUGGLED HTTP/1.1\r\nHOST: A\r\n\r\n").await;
    assert_eq!(server.seen(), ["GET /switch switch"]);
}

#[tokio::test]
async fn without_101_the_bytes_behind_are_judged_as_requests() {
    let good = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    for (behind, expected) in [(good, vec![200, 200, 200, 400]), ("rubbish\n", vec![200, 400])] {
        let server = Server::start(EdgeLimits::default()).await;
        let bytes = format!("{NO_SWITCH}{behind}{behind}rubbish\n");
        let answers = server.converse(bytes.as_bytes()).await;
        assert_eq!(statuses(&answers), expected, "{answers:?}");
    }
}
