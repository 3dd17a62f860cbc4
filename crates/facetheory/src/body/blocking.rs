//! Calls that block, such as those to files: away from the runtime's threads where there is a runtime, else in place.

use tokio::runtime::Handle;

/// What `work` returns. It runs to its end even if nobody waits for it any more.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let Ok(runtime) = Handle::try_current() else {
        return work();
    };
    match runtime.spawn_blocking(work).await {
        Ok(value) => value,
        Err(failure) => match failure.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only a runtime that shuts down cancels work, and it polls nobody afterwards.
            Err(_) => std::future::pending().await,
        },
    }
}
