//! The engine behind our own HTTP server, and the contract put to it through the SDK: requests are printed by one crate,
//! read by another, and must mean the same as if they had never left the process.

use std::sync::Arc;

use tabletheory_core::Store;
use tabletheory_core::store::contract::World;
use tabletheory_engine::Engine;
use tabletheory_wire::{Endpoint, server};
use tokio::net::TcpListener;

use super::hold;
use crate::client::connect;

/// Where an empty engine is served. The server ends with the runtime of the test.
pub(crate) async fn serve_engine() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it has an address");
    let endpoint = Endpoint::unsigned(Arc::new(Engine::memory()));
    tokio::spawn(server::serve(listener, endpoint, server::Settings::default(), std::future::pending()));
    format!("http://{address}")
}

#[tokio::test]
async fn the_contract_holds_for_the_engine_behind_http_through_the_sdk() {
    let store: Arc<dyn Store> = Arc::new(connect(&serve_engine().await).await);
    hold(|| World::new(Arc::clone(&store)).with_pause(|span| Box::pin(tokio::time::sleep(span / 20)))).await;
}
