//! A store as DynamoDB Local of 2020, which does not say what a false condition of UpdateItem met.

use tabletheory::testing::TestStore;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::OnConditionFailure;
use tabletheory_core::{Request, Store};

#[derive(Debug)]
pub(crate) struct Forgetful(pub(crate) TestStore);

impl Store for Forgetful {
    fn call(&self, mut request: Request) -> StoreFuture<'_> {
        if let Request::UpdateItem(update) = &mut request {
            update.returns.on_condition_failure = OnConditionFailure::None;
        }
        self.0.call(request)
    }
}
