//! An API that takes orders, as a function of AWS Lambda. The router is an ordinary one of `axum`, with the same layers that a server
//! would have: callers are limited by their address, and an order that is sent again is answered again and not taken again.

mod order;

use axum::Router;
use axum::routing::{post, put};
use idempotent::{Idempotency, IdempotencyLayer, Scope};
use limited::{ClientAddress, Identity, Limiter, Policy, RateLimitLayer, RateLimitRule};
use tabletheory::Db;
use theory_lambda::{BoxError, Function, Process};

pub use order::Order;

/// The API on this database.
///
/// # Errors
/// If the limit is none.
pub fn app(process: &Process, db: Db) -> Result<Router, limited::Error> {
    let address = ClientAddress::socket();
    let per_address = Policy::new("address", ["5/s burst 10".parse()?])?;
    let limits = RateLimitLayer::new(Limiter::new(db.clone()), address.clone())
        .rule(RateLimitRule::new(per_address, Identity::address()));
    // Who somebody is would be what an authorizer found, among the extensions of the request.
    let once = IdempotencyLayer::new(Idempotency::new(db.clone()), move |parts| {
        let principal = address.identifier(parts)?;
        Some(Scope::route(&parts.method, parts.uri.path()).tenant("shop").principal(principal))
    });
    Ok(Router::new()
        .route("/orders", post(order::take))
        // A handler that takes too long ends with its invocation.
        .route_layer(once.require_key().in_place())
        .route("/orders/{id}/attachment", put(order::attach).get(order::attachment))
        .layer(process.counted(limits))
        .with_state(db))
}

/// Initialises the function: once for each process.
///
/// # Errors
/// If the environment lacks something.
pub async fn init(process: Process) -> Result<Function, BoxError> {
    println!("initialised");
    let db = process.db().await?;
    Ok(Function::http(app(&process, db)?))
}
