//! Stores that trouble a server: one that panics, one that never answers, one that answers when it is told to.

use std::sync::Arc;

use tabletheory_core::store::StoreFuture;
use tabletheory_core::{Request, Response, Store};
use tokio::sync::Notify;

/// Panics on `ListTables`, before or after it has waited; everything else goes to the engine.
#[derive(Debug)]
pub(crate) struct Panicking(pub(crate) Arc<dyn Store>);

impl Store for Panicking {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        match request {
            Request::ListTables(list) if list.limit == Some(1) => panic!("a store that breaks at once"),
            Request::ListTables(_) => Box::pin(async {
                tokio::task::yield_now().await;
                panic!("a store that breaks later")
            }),
            other => self.0.call(other),
        }
    }
}

/// Never answers.
#[derive(Debug)]
pub(crate) struct Silent;

impl Store for Silent {
    fn call(&self, _: Request) -> StoreFuture<'_> {
        Box::pin(std::future::pending())
    }
}

/// Answers when it is told to.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Told when a request has arrived.
    pub(crate) arrived: Notify,
    /// Lets one request go on.
    pub(crate) released: Notify,
}

#[derive(Debug)]
pub(crate) struct Holding(pub(crate) Arc<Held>);

impl Store for Holding {
    fn call(&self, _: Request) -> StoreFuture<'_> {
        Box::pin(async {
            self.0.arrived.notify_one();
            self.0.released.notified().await;
            Ok(Response::ListTables(Box::default()))
        })
    }
}
