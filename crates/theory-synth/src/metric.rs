//! The figures that functions tell CloudWatch (as lines of their log, in the embedded metric format) and that alarms watch. An alarm
//! on a figure that nobody tells can never ring, so both sides take the names from here.

/// The namespace of all of them.
pub const NAMESPACE: &str = "TableTheory";
/// Their one dimension: the name of the function.
pub const DIMENSION: &str = "FunctionName";

/// Requests that a rate limit let pass.
pub const LIMIT_ALLOWED: &str = "LimitAllowed";
/// Requests that a rate limit refused.
pub const LIMIT_DENIED: &str = "LimitDenied";
/// Requests that were let pass because the limiter's store did not answer.
pub const LIMIT_FAIL_OPEN: &str = "LimitFailOpen";
/// Pages served from the cache while fresh.
pub const ISR_HIT: &str = "IsrHit";
/// Pages that were rendered for their visitor.
pub const ISR_MISS: &str = "IsrMiss";
/// Pages served stale while they are regenerated.
pub const ISR_STALE: &str = "IsrStale";
/// Pages served stale because the application or the store failed.
pub const ISR_STALE_AFTER_ERROR: &str = "IsrStaleAfterError";
/// Regenerations that failed.
pub const REGENERATION_FAILED: &str = "RegenerationFailed";
/// How long regenerations took, in milliseconds.
pub const REGENERATION_MS: &str = "RegenerationMs";
/// Regenerations that the queue did not take, so that a visitor waited for them.
pub const REGENERATION_NOT_QUEUED: &str = "RegenerationNotQueued";
/// Requests answered with what an earlier one was answered.
pub const REQUEST_REPLAYED: &str = "RequestReplayed";
/// Requests refused because the same one was under way, or its key belongs to another.
pub const REQUEST_REFUSED: &str = "RequestRefused";
/// Items written to the archive.
pub const ARCHIVED: &str = "Archived";
/// Records of the stream that could not be archived.
pub const ARCHIVE_FAILED: &str = "ArchiveFailed";
