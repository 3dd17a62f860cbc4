//! Orders: taken once, in one transaction with the answer to whoever sent them.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::StatusCode;
use http::header::RETRY_AFTER;
use idempotent::Attempt;
use serde::{Deserialize, Serialize};
use tabletheory::{Db, Model};
use theory_lambda::BoxError;

/// An order that was taken.
#[derive(Model, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[model(table = "orders", table_env("ORDERS_TABLE_NAME"))]
pub struct Order {
    /// Its number.
    #[model(pk)]
    pub id: String,
    /// What is ordered.
    pub item: String,
    /// What came with it: a drawing, a photograph, any bytes.
    pub attachment: Option<Vec<u8>>,
}

/// What somebody wants to order.
#[derive(Debug, Deserialize)]
pub(crate) struct NewOrder {
    item: String,
}

/// Takes an order. The order and the answer are written together or not at all, so a client that sends it again with the same key
/// gets one order, even if this process dies between any two lines.
pub(crate) async fn take(
    State(db): State<Db>,
    Extension(attempt): Extension<Attempt>,
    Json(wanted): Json<NewOrder>,
) -> Response {
    let id = format!("{:032x}", db.entropy().bits());
    let order = Order { id, item: wanted.item, attachment: None };
    match record(&db, &attempt, &order).await {
        Ok(answer) => answer,
        Err(error) => unconfirmed(&*error),
    }
}

async fn record(db: &Db, attempt: &Attempt, order: &Order) -> Result<Response, BoxError> {
    let answer = idempotent::Response::new(201, serde_json::to_string(order)?)?
        .with_header("content-type", "application/json");
    let completion = attempt.completion(&answer).await?;
    db.transact().with(db.create(order)).with(completion).await?;
    Ok(http::Response::from(answer).map(axum::body::Body::from))
}

/// Keeps what belongs to an order.
pub(crate) async fn attach(State(db): State<Db>, Path(id): Path<String>, bytes: bytes::Bytes) -> Response {
    match db.update(Order::key(id)).change(Order::ATTACHMENT.set(Some(bytes.to_vec()))).await {
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
        Err(error) if error.is_not_found() => StatusCode::NOT_FOUND.into_response(),
        Err(error) => unconfirmed(&error),
    }
}

/// Gives back what belongs to an order, byte for byte.
pub(crate) async fn attachment(State(db): State<Db>, Path(id): Path<String>) -> Response {
    match db.get(Order::key(id)).await {
        Ok(Some(Order { attachment: Some(bytes), .. })) => bytes.into_response(),
        Ok(_) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => unconfirmed(&error),
    }
}

/// What the store said is nothing for clients. The answer of the store may be what was lost; the key knows.
fn unconfirmed(error: &dyn std::error::Error) -> Response {
    eprintln!("the store did not confirm: {error}");
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], "ask again with the same key\n").into_response()
}
