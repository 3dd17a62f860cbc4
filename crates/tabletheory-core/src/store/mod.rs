//! The waist: [`Store`] is the only door to data. The embedded engine, DynamoDB itself and anything behind HTTP are
//! stores; models, caches and limits only ever see this trait.

pub mod capacity;
#[cfg(feature = "contract")]
pub mod contract;
pub mod ext;
pub mod op;
pub mod request;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use crate::error::StoreError;
use request::{Request, Response};

/// The answer to come of a [`Store`] call.
pub type StoreFuture<'a> = Pin<Box<dyn Future<Output = Result<Response, StoreError>> + Send + 'a>>;

/// Performs DynamoDB's operations. Typed calls come from [`ext::StoreExt`].
pub trait Store: Debug + Send + Sync {
    /// Performs one operation.
    ///
    /// A write that was acknowledged is as durable as the store promises. Dropping the future does not undo a write
    /// that has begun.
    fn call(&self, request: Request) -> StoreFuture<'_>;
}

impl<S: Store + ?Sized> Store for std::sync::Arc<S> {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        (**self).call(request)
    }
}
