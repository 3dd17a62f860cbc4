//! The address under which answers are kept: whose site it is, scheme, host, path and query. Nothing else of a request is in it, and
//! no part can be mistaken for another.

use std::sync::Arc;

use crate::asked::Asked;

/// Stands between the parts: none of them can contain it.
const BETWEEN: char = '\n';

/// The address of what is asked for.
pub(super) fn of(scope: &str, asked: &Asked) -> Arc<str> {
    beside(scope, asked, asked.target().as_str())
}

/// The address of another path and query on the same host.
pub(super) fn beside(scope: &str, asked: &Asked, path_and_query: &str) -> Arc<str> {
    let scheme = if asked.is_secure() { "https" } else { "http" };
    let parts = [scope, scheme, asked.host(), path_and_query];
    let mut key = String::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
    for part in parts {
        key.push_str(part);
        key.push(BETWEEN);
    }
    key.into()
}
