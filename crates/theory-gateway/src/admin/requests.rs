//! Idempotent requests: which there are, and how one is forgotten. Nobody sees what was asked and answered.

use http::StatusCode;
use idempotent::{Entry, Forgot};
use serde_json::{Value, json};
use tabletheory_core::Timestamp;

use super::change::note;
use super::components::Components;
use super::problem::Problem;
use super::query::Query;
use super::view::{moment, seconds_between};

/// `GET /api/requests`
pub(super) async fn list(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["limit", "cursor"])?;
    let limit = query.number("limit", 50, 500)?;
    let page = parts.requests.list(limit, query.get("cursor")).await?;
    let now = parts.now();
    let requests: Vec<Value> = page.entries.iter().map(|entry| view(entry, now)).collect();
    Ok(json!({ "requests": requests, "cursor": page.cursor }))
}

/// `GET /api/requests/show`
pub(super) async fn show(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["id"])?;
    let entry = parts.requests.show(query.need("id")?).await?.ok_or_else(no_request)?;
    Ok(view(&entry, parts.now()))
}

/// `DELETE /api/requests`
pub(super) async fn forget(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["id", "force"])?;
    let force = match query.get("force") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Problem::bad("`force` is true or false")),
    };
    let id = query.need("id")?;
    match parts.requests.forget(id, force).await? {
        Forgot::Forgotten => {
            note(parts, "forget-request", id, if force { "forced" } else { "" });
            Ok(json!({ "id": id, "outcome": "forgotten" }))
        }
        Forgot::NoRecord => Err(no_request()),
        Forgot::Running => {
            let detail =
                "somebody works on this request; wait, or forget it with force=true, and it may happen twice";
            Err(Problem::new(StatusCode::CONFLICT, detail))
        }
    }
}

fn view(entry: &Entry, now: Timestamp) -> Value {
    let age = entry.created.or(entry.began).map(|since| seconds_between(since, now));
    json!({
        "id": entry.id,
        "route": entry.function,
        "tenant": entry.tenant,
        "status": entry.progress.as_str(),
        "code": entry.status,
        "age_s": age,
        "created_at": entry.created.and_then(moment),
        "completed_at": entry.completed.and_then(moment),
        "locked_until": entry.locked_until.and_then(moment),
        "expires_in_s": entry.expires.map(|expires| seconds_between(now, expires)),
        "attempt": entry.attempt,
    })
}

fn no_request() -> Problem {
    Problem::missing("there is no such request; take its `id` from the list")
}
