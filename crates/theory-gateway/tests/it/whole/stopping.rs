//! A stop, and what it waits for.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::world::World;
use crate::origin::raw::Raw;

#[tokio::test]
async fn a_stop_waits_for_a_request_that_happens_once_although_its_client_has_left() {
    let gate = Arc::new(Semaphore::new(0));
    let behind = Arc::clone(&gate);
    let application = Raw::start(move |mut line| {
        let gate = Arc::clone(&behind);
        async move {
            while let Some(head) = line.head().await {
                assert!(head.starts_with("POST /orders"), "{head}");
                line.body(2).await;
                gate.acquire().await.unwrap().forget();
                line.say("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await;
            }
        }
    })
    .await;
    let settings = "origin = 'ORIGIN'\n[[route]]\npath = '/orders'\nkind = 'pass'\nidempotency = true";
    let world = World::start(application.address, settings).await;
    let order = world.client.post(world.url("/orders")).header("idempotency-key", "one").body("{}");
    let asking = tokio::spawn(order.send());
    while application.requests() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    let stopping = tokio::spawn(world.gateway.stop());
    // Time enough for a stop that does not wait to be over.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!stopping.is_finished(), "the order is still under way");
    gate.add_permits(1);
    stopping.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_without_a_key_ends_with_its_client_also_where_others_happen_once() {
    let application = Raw::start(|mut line| async move {
        if line.head().await.is_some() {
            // It never answers; the gateway closes the connection when nobody waits any more.
            line.closed().await;
        }
    })
    .await;
    let settings = "origin = 'ORIGIN'\n[[route]]\npath = '/orders'\nkind = 'pass'\nidempotency = true";
    let world = World::start(application.address, settings).await;
    let asking = tokio::spawn(world.client.get(world.url("/orders")).send());
    while application.requests() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    // The application's patience is 30 s; a stop that waited for it would take as long.
    let stopping = tokio::time::timeout(std::time::Duration::from_secs(15), world.gateway.stop());
    stopping.await.expect("nothing is under way").unwrap();
}
