//! The same transaction in the same bytes. The SDK keeps maps in an order that changes from request to request, and a
//! service that compares a repeated token's request by its bytes would take the repetition for another transaction.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextMut;
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;

/// Sorts the names in the body of a request, once, before its first attempt is signed.
#[derive(Debug)]
pub(crate) struct Ordered;

#[dyn_dispatch_hint]
impl Intercept for Ordered {
    fn name(&self) -> &'static str {
        "Ordered"
    }

    fn modify_before_retry_loop(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let body = request.body().bytes().ok_or("the body of a request to DynamoDB is in memory")?;
        let mut json: serde_json::Value = serde_json::from_slice(body)?;
        json.sort_all_objects();
        let body = serde_json::to_vec(&json)?;
        // Another way to escape a letter may have another length.
        request.headers_mut().try_insert("content-length", body.len().to_string())?;
        *request.body_mut() = SdkBody::from(body);
        Ok(())
    }
}
