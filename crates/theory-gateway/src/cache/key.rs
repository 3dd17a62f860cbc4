//! The address under which answers are kept: whose site it is, scheme, host, path and query. Nothing else of a request is in it, and
//! no part can be mistaken for another.

use std::sync::Arc;

use crate::asked::Asked;

/// Stands between the parts: none of them can contain it.
const BETWEEN: char = '\n';

/// The address of what is asked for.
pub(super) fn of(scope: &str, asked: &Asked) -> Arc<str> {
    let mut path =
        String::with_capacity(asked.path.len() + asked.query.as_ref().map_or(0, |query| query.len() + 1));
    path.push_str(&asked.path);
    if let Some(query) = &asked.query {
        path.push('?');
        path.push_str(query);
    }
    beside(scope, asked, &path)
}

/// The address of another path and query on the same host.
pub(super) fn beside(scope: &str, asked: &Asked, path_and_query: &str) -> Arc<str> {
    let scheme = if asked.is_secure { "https" } else { "http" };
    let parts = [scope, scheme, &asked.host, path_and_query];
    let mut key = String::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
    for part in parts {
        key.push_str(part);
        key.push(BETWEEN);
    }
    key.into()
}
