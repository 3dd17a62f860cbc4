//! The attempts that the SDK makes for one request: how many, whether one of them may have been carried out although its
//! answer was lost, and whether another may follow.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef, InterceptorContext,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;
use tabletheory_core::StoreError;

use crate::effect::Effect;

/// What happened to the attempts of one request so far. Clones look at the same request.
#[derive(Debug, Clone)]
pub(crate) struct Attempts(Arc<State>);

#[derive(Debug)]
struct State {
    effect: Effect,
    count: AtomicU32,
    // An attempt was given to the network, and has not ended yet.
    in_flight: AtomicBool,
    lost: AtomicBool,
}

impl Attempts {
    pub(crate) fn new(effect: Effect) -> Self {
        let (in_flight, lost) = (AtomicBool::new(false), AtomicBool::new(false));
        Self(Arc::new(State { effect, count: AtomicU32::new(0), in_flight, lost }))
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u32 {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Whether the service may have carried one of them out without our learning of it.
    pub(crate) fn may_have_happened(&self) -> bool {
        self.0.lost.load(Ordering::Relaxed) || self.0.in_flight.load(Ordering::Relaxed)
    }

    /// The error as it must be told; `code` is the service's own name for it. After a lost answer a later refusal says
    /// nothing about the earlier attempt, unless the service knew the request by its token or would have refused it the
    /// first time too. Only the service can say so: a proxy's refusal, or a name we do not know, does not.
    pub(crate) fn settle(&self, error: StoreError, code: Option<&str>) -> StoreError {
        let still_true = matches!(code, Some("TransactionCanceledException" | "ValidationException"));
        if self.0.effect == Effect::Read || still_true || error.is_ambiguous() || !self.may_have_happened() {
            return error;
        }
        StoreError::Internal(format!(
            "the answer to an earlier attempt was lost, and the last one was refused: {}: {error}",
            error.code()
        ))
    }
}

#[dyn_dispatch_hint]
impl Intercept for Attempts {
    fn name(&self) -> &'static str {
        "Attempts"
    }

    fn read_before_attempt(
        &self,
        _context: &BeforeTransmitInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn read_before_transmit(
        &self,
        _context: &BeforeTransmitInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.in_flight.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn read_after_attempt(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if self.0.in_flight.swap(false, Ordering::Relaxed) && answer_is_lost(context.inner()) {
            self.0.lost.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl ClassifyRetry for Attempts {
    fn classify_retry(&self, _context: &InterceptorContext) -> RetryAction {
        // Forbidding ends the classification; everything else is decided by the SDK's own classifiers.
        if self.0.effect == Effect::Once && self.may_have_happened() {
            RetryAction::RetryForbidden
        } else {
            RetryAction::NoActionIndicated
        }
    }

    fn name(&self) -> &'static str {
        "Attempts"
    }
}

/// Whether an attempt that was given to the network failed in a way that does not say what the service did.
fn answer_is_lost(context: &InterceptorContext) -> bool {
    let Some(Err(error)) = context.output_or_error() else { return false };
    if let Some(response) = context.response() {
        // A refusal below 500 is the service's word that it did nothing, whatever else it says.
        return !(400..500).contains(&response.status().as_u16());
    }
    error.as_connector_error().is_none_or(|error| !never_connected(error))
}

/// Whether the request never left because there was no connection to send it on.
pub(crate) fn never_connected(error: &(dyn Error + 'static)) -> bool {
    sources(error).any(|error| {
        error.downcast_ref::<hyper_util::client::legacy::Error>().is_some_and(|error| error.is_connect())
    })
}

/// The error and what caused it, down to the first cause.
pub(crate) fn sources<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
