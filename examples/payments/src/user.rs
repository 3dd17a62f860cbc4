//! Who calls: the user that an API key belongs to.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::AUTHORIZATION;

/// A user that was authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct User(pub(crate) &'static str);

/// A real service would look keys up, and compare their hashes.
const KEYS: [(&str, User); 2] = [("Bearer ada-key", User("ada")), ("Bearer bob-key", User("bob"))];

/// Says who calls, or refuses.
pub(crate) async fn authenticate(mut request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((_, user)) = KEYS.iter().find(|(key, _)| given == Some(*key)) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    request.extensions_mut().insert(*user);
    next.run(request).await
}
