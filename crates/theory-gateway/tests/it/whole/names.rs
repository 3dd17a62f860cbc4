//! What requests are called, from end to end.

use super::world::{World, header};
use crate::origin::raw::Raw;

async fn echo() -> Raw {
    Raw::start(|mut line| async move {
        while let Some(head) = line.head().await {
            let told = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap_or("none");
            let isr = "x-facetheory-isr: hit\r\n";
            line.say(&format!("HTTP/1.1 200 OK\r\n{isr}content-length: {}\r\n\r\n{told}", told.len())).await;
        }
    })
    .await
}

#[tokio::test]
async fn a_request_has_one_name_for_the_client_and_the_application_which_strangers_cannot_choose() {
    let application = echo().await;
    let world =
        World::start(application.address, "origin = 'ORIGIN'\n[[route]]\npath = '/{*rest}'\nkind = 'pass'")
            .await;
    let first = world.client.get(world.url("/a")).header("x-request-id", "mine").send().await.unwrap();
    let name = header(&first, "x-request-id").to_owned();
    assert_eq!(name.len(), 32, "{name}");
    // Only the gateway says how it served something: an application that says so is not believed.
    assert_eq!(header(&first, "x-facetheory-isr"), "");
    assert_eq!(first.text().await.unwrap(), name);
    let second = world.get("/a").await;
    assert_ne!(header(&second, "x-request-id"), name);
    let refused = world.client.get(world.url("/a%00")).send().await.unwrap();
    assert_eq!((refused.status().as_u16(), header(&refused, "x-request-id").len()), (400, 32));
}

#[tokio::test]
async fn a_trusted_proxy_names_requests_if_the_name_is_plain() {
    let application = echo().await;
    let settings =
        "trusted_proxies = ['127.0.0.0/8']\norigin = 'ORIGIN'\n[[route]]\npath = '/{*rest}'\nkind = 'pass'";
    let world = World::start(application.address, settings).await;
    let ask = async |name: &str| {
        world.client.get(world.url("/")).header("x-request-id", name).send().await.unwrap()
    };
    let answer = ask("edge-7.42").await;
    assert_eq!(header(&answer, "x-request-id"), "edge-7.42");
    assert_eq!(answer.text().await.unwrap(), "edge-7.42");
    let refused =
        world.client.get(world.url("/%00")).header("x-request-id", "edge-7.43").send().await.unwrap();
    assert_eq!((refused.status().as_u16(), header(&refused, "x-request-id")), (400, "edge-7.43"));
    let answer = ask("two words").await;
    assert_eq!(header(&answer, "x-request-id").len(), 32);
}

#[tokio::test]
async fn a_page_at_hand_has_no_name_of_a_request() {
    let application = Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage").await;
    let world =
        World::start(application.address, "origin = 'ORIGIN'\n[[route]]\npath = '/{*rest}'\nkind = 'page'")
            .await;
    assert_eq!(header(&world.get("/a").await, "x-request-id").len(), 32);
    let hit = world.get("/a").await;
    assert_eq!((header(&hit, "x-facetheory-isr"), header(&hit, "x-request-id")), ("hit", ""));
}

#[tokio::test]
async fn nobody_gets_the_name_of_somebody_elses_request_with_a_kept_answer() {
    let application = Raw::start(|mut line| async move {
        while let Some(head) = line.head().await {
            let told = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap_or("none");
            let kept = "cache-control: max-age=60\r\ncontent-length: 0\r\n";
            line.say(&format!("HTTP/1.1 200 OK\r\nx-request-id: {told}\r\n{kept}\r\n")).await;
        }
    })
    .await;
    let settings = "origin = 'ORIGIN'\n[[route]]\npath = '/{*rest}'\nkind = 'http-cache'";
    let world = World::start(application.address, settings).await;
    assert_eq!(header(&world.get("/a").await, "x-request-id").len(), 32);
    let hit = world.get("/a").await;
    assert!(header(&hit, "cache-status").starts_with("theory; hit"), "{hit:?}");
    assert_eq!(header(&hit, "x-request-id"), "");
}
