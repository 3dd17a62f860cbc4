//! Payments: taken once, in one transaction with the answer to whoever asked for them.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::StatusCode;
use http::header::{LOCATION, RETRY_AFTER};
use idempotent::Attempt;
use serde::{Deserialize, Serialize};
use tabletheory::{Db, Model};

use crate::user::User;

const UNCONFIRMED: &str =
    "the payment may or may not have been taken; ask again with the same key, and it is taken once";

/// A payment that was taken.
#[derive(Model, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[model(table = "payments")]
pub struct Payment {
    /// Its number.
    #[model(pk)]
    pub id: String,
    /// Who paid.
    pub user: String,
    /// How much.
    pub cents: u64,
}

/// What somebody wants to pay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewPayment {
    /// How much.
    pub cents: u64,
}

/// Takes a payment. The payment and the answer are written together or not at all: if this process dies between any two lines, a
/// client that asks again with the same key gets one payment.
pub(crate) async fn take(
    State(db): State<Db>,
    Extension(User(user)): Extension<User>,
    Extension(attempt): Extension<Attempt>,
    Json(wanted): Json<NewPayment>,
) -> Response {
    if wanted.cents == 0 {
        return (StatusCode::UNPROCESSABLE_ENTITY, "nothing to pay").into_response();
    }
    let id = format!("{:032x}", db.entropy().bits());
    let payment = Payment { id, user: user.to_owned(), cents: wanted.cents };
    match record(&db, &attempt, &payment).await {
        Ok(answer) => answer,
        // The answer of the store may be what was lost, and then the payment is taken. The key knows; and what the store said is
        // nothing for clients.
        Err(error) => {
            eprintln!("a payment was not confirmed: {error:#}");
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")], UNCONFIRMED).into_response()
        }
    }
}

async fn record(db: &Db, attempt: &Attempt, payment: &Payment) -> anyhow::Result<Response> {
    let mut answer = idempotent::Response::new(201, serde_json::to_string(payment)?)?
        .with_header("content-type", "application/json");
    answer.headers.insert(LOCATION, format!("/payments/{}", payment.id).parse()?);
    let completion = attempt.completion(&answer).await?;
    db.transact().with(db.create(payment)).with(completion).await?;
    Ok(http::Response::from(answer).map(axum::body::Body::from))
}

/// Shows a payment to whom it belongs.
pub(crate) async fn show(
    State(db): State<Db>,
    Extension(User(user)): Extension<User>,
    Path(id): Path<String>,
) -> Response {
    match db.get(Payment::key(id)).await {
        Ok(Some(payment)) if payment.user == user => Json(payment).into_response(),
        Ok(_) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            eprintln!("a payment was not read: {error:#}");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}
