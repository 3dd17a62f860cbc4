//! The environment of a function: the names that templates set and functions read. Models name their tables' variables themselves
//! (`table_env`), with the same texts.

/// The table of rendered pages.
pub const CACHE_TABLE: &str = "FACETHEORY_CACHE_TABLE_NAME";
/// The same, as older functions call it.
pub const CACHE_TABLE_ALIAS: &str = "APPTHEORY_CACHE_TABLE_NAME";
/// The bucket with the bodies of pages.
pub const ISR_BUCKET: &str = "FACETHEORY_ISR_BUCKET";
/// What the keys of bodies begin with.
pub const ISR_PREFIX: &str = "FACETHEORY_ISR_PREFIX";
/// The address of the queue that regenerations are handed to. Without it they are awaited.
pub const REGENERATION_QUEUE: &str = "FACETHEORY_REGENERATION_QUEUE_URL";
/// The table of rate limits.
pub const RATE_LIMIT_TABLE: &str = "RATE_LIMIT_TABLE_NAME";
/// The table of idempotent requests.
pub const IDEMPOTENCY_TABLE: &str = "IDEMPOTENCY_TABLE_NAME";
/// The bucket of the archive.
pub const ARCHIVE_BUCKET: &str = "ARCHIVE_BUCKET_NAME";
/// What the keys of the archive begin with.
pub const ARCHIVE_PREFIX: &str = "ARCHIVE_PREFIX";
/// The attribute by which items of the archived table expire.
pub const TTL_ATTRIBUTE: &str = "TTL_ATTRIBUTE_NAME";
/// Whether calls are logged.
pub const DEBUG: &str = "DYNAMORM_DEBUG";
/// How often a call is tried.
pub const RETRY_MAX_ATTEMPTS: &str = "DYNAMORM_RETRY_MAX_ATTEMPTS";
/// The first pause between attempts, in milliseconds.
pub const RETRY_BASE_DELAY: &str = "DYNAMORM_RETRY_BASE_DELAY";
