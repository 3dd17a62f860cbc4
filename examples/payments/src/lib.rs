//! An API that takes payments. Callers are limited by their address before anybody looks at who they are, and by their user
//! afterwards; a payment that is sent again, by a client that lost the answer, is answered again and not taken again.

mod limits;
mod payment;
mod user;

use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use idempotent::{Idempotency, IdempotencyLayer, Scope, Settings};
use limited::Limiter;
use tabletheory::Db;

pub use payment::{NewPayment, Payment};
use user::User;

/// The API on this database, which gets the tables that it lacks.
///
/// # Errors
/// If a table cannot be made.
pub async fn app(db: Db) -> anyhow::Result<Router> {
    db.table::<Payment>().ensure().await?;
    let limiter = Limiter::new(db.clone());
    limiter.create_table().await?;
    // Whoever repeats a request while it runs waits a little for its answer.
    let settings = Settings { wait_up_to: Duration::from_secs(2), ..Settings::default() };
    let requests = Idempotency::new(db.clone()).with_settings(settings)?;
    requests.create_table().await?;

    let once = IdempotencyLayer::new(requests, |parts| {
        let User(name) = parts.extensions.get::<User>()?;
        Some(Scope::route(&parts.method, parts.uri.path()).tenant("shop").principal(*name))
    });
    // The last layer that is added is the first that a request meets.
    Ok(Router::new()
        .route("/payments", post(payment::take))
        .route_layer(once.require_key())
        .route("/payments/{id}", get(payment::show))
        .layer(limits::by_user(limiter.clone())?)
        .layer(from_fn(user::authenticate))
        .layer(limits::by_address(limiter)?)
        .with_state(db))
}
