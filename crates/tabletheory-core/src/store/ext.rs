//! Typed calls for every [`Store`], from the one list of operations.

use std::future::Future;

use super::op::*;
use super::request::{Operation, for_each_operation};
use super::{Store, StoreFuture};
use crate::error::StoreError;

macro_rules! calls {
    ($($name:ident -> $output:ident, $method:ident;)*) => {
        /// Typed calls, one for each operation, for every [`Store`].
        pub trait StoreExt: Store {
            /// Performs any operation.
            fn send<O: Operation>(&self, operation: O) -> impl Future<Output = Result<O::Output, StoreError>> + Send {
                let future: StoreFuture<'_> = self.call(operation.into_request());
                async move { future.await.map(O::from_response) }
            }

            $(
                #[doc = concat!("Performs `", stringify!($name), "`.")]
                fn $method(&self, request: $name) -> impl Future<Output = Result<$output, StoreError>> + Send {
                    self.send(request)
                }
            )*
        }

        impl<S: Store + ?Sized> StoreExt for S {}
    };
}

for_each_operation!(calls);
