//! What is tried again, and after how long.

use std::future::Future;
use std::time::Duration;

use object_store::Error;
use tabletheory::db::Backoff;
use tabletheory_core::sys::SystemEntropy;
use tokio::time::sleep;

use crate::settings::ArchiveSettings;

/// The longest wait after the first failure; each may be twice as long as the one before.
const FIRST: Duration = Duration::from_millis(100);

/// Tries until it succeeds, the attempts are used up, or trying again would change nothing.
pub(crate) async fn try_again<T, F>(settings: &ArchiveSettings, attempt: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut failures = 0;
    loop {
        match attempt().await {
            Err(error) if may_pass(&error) && failures + 1 < settings.attempts => {
                failures += 1;
                sleep(wait(failures, settings.backoff_max)).await;
            }
            answer => return answer,
        }
    }
}

/// The wait after so many failures in a row.
pub(crate) fn wait(failures: u32, longest: Duration) -> Duration {
    Backoff { first: FIRST, longest, ..Backoff::default() }.pause(failures, &SystemEntropy)
}

/// Whether the same request may succeed later. What is not known to be final may pass.
fn may_pass(error: &Error) -> bool {
    !matches!(
        error,
        Error::NotFound { .. }
            | Error::InvalidPath { .. }
            | Error::NotSupported { .. }
            | Error::NotImplemented { .. }
            | Error::PermissionDenied { .. }
            | Error::Unauthenticated { .. }
    )
}
