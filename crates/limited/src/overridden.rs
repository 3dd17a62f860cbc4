//! The limits that hold for somebody: an override if there is one, and the policy's own if nobody can say.

use std::sync::Arc;

use tabletheory_core::StoreError;

use crate::error::Error;
use crate::gauge::Gauges;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::subject::Subject;
use crate::timeout::within;

impl Limiter {
    /// An override that cannot be read leaves the policy's limits: they still limit, and the count of failures tells.
    pub(crate) async fn overridden(
        &self,
        policy: &Policy,
        subject: Subject<'_>,
    ) -> Result<Arc<Gauges>, Error> {
        let own = || Arc::clone(policy.gauges());
        if self.is_resting() {
            return Ok(own());
        }
        let asked = self.inner.overrides.effective(policy, &subject);
        match within(self.inner.settings.timeout, asked).await {
            Some(Ok(None)) => Ok(own()),
            Some(Ok(Some(limits))) => Ok(Arc::new(policy.gauges_of(&limits))),
            Some(Err(Error::Store(error))) if !Self::is_outage(&error) => Err(error.into()),
            Some(Err(Error::Store(error))) => {
                self.rest_after(&error);
                Ok(own())
            }
            Some(Err(Error::Row(_))) => {
                self.inner.tally.failed();
                Ok(own())
            }
            Some(Err(error)) => Err(error),
            None => {
                self.rest_after(&StoreError::DeadlineExceeded { sent: true });
                Ok(own())
            }
        }
    }
}
