//! How the service words its refusal of a text that is no statement.

use crate::error::StoreError;

/// The complaint about a text that is no statement. The service leaves `detail` empty where not even its tokens can be
/// read.
pub(super) fn malformed(detail: &str) -> StoreError {
    StoreError::validation(format!("Statement wasn't well formed, can't be processed: {detail}"))
}

/// The complaint about whatever follows a complete statement.
pub(super) fn leftover() -> StoreError {
    malformed("Unexpected token after expression")
}
