//! Limits: who asks most, how somebody stands, and how what was counted is forgotten.

use limited::{Decision, Policy};
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::note;
use super::components::Components;
use super::problem::Problem;
use super::query::Query;

/// Whose counts are forgotten.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    policy: String,
    id: String,
}

/// `GET /api/limits/top`
pub(super) fn top(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["limit"])?;
    let consumers = parts.telemetry.consumers(query.number("limit", 20, 500)?);
    let consumers: Vec<Value> = consumers
        .iter()
        .map(|consumer| {
            json!({
                "policy": consumer.policy,
                "id": consumer.id,
                "asked": consumer.asked,
                "denied": consumer.denied,
                "off_by": consumer.off_by,
            })
        })
        .collect();
    let policies: Vec<Value> = parts
        .backstage
        .policies()
        .iter()
        .map(|policy| json!({ "name": policy.name(), "limits": limits(policy), "is_shadow": policy.is_shadow() }))
        .collect();
    Ok(json!({ "consumers": consumers, "policies": policies, "counts": counts(parts) }))
}

/// `GET /api/limits/show`
pub(super) async fn show(parts: &Components, query: Option<&str>) -> Result<Value, Problem> {
    let query = Query::read(query, &["policy", "id"])?;
    let policy = policy(parts, query.need("policy")?)?;
    let id = query.need("id")?;
    let decision = parts.limiter.peek(&policy, id).await?;
    Ok(standing(&policy, id, &decision))
}

/// `POST /api/limits/reset`
pub(super) async fn reset(parts: &Components, whose: Whose) -> Result<Value, Problem> {
    let policy = policy(parts, &whose.policy)?;
    parts.limiter.reset(&policy, whose.id.as_str()).await?;
    note(parts, "limit-reset", &whose.id, policy.name());
    Ok(json!({ "policy": policy.name(), "id": whose.id, "outcome": "reset" }))
}

/// How often each kind of decision was made.
pub(super) fn counts(parts: &Components) -> Value {
    let counts = parts.limiter.counts();
    json!({
        "allowed": counts.allowed,
        "denied": counts.denied,
        "denied_in_shadow": counts.denied_in_shadow,
        "leased": counts.leased,
        "denied_from_memory": counts.denied_from_memory,
        "counted_alone": counts.counted_alone,
        "failed_open": counts.failed_open,
        "failed_closed": counts.failed_closed,
        "store_calls": counts.store_calls,
        "store_failures": counts.store_failures,
    })
}

fn policy(parts: &Components, name: &str) -> Result<Policy, Problem> {
    let policies = parts.backstage.policies();
    if let Some(policy) = policies.iter().find(|policy| policy.name() == name) {
        return Ok(policy.clone());
    }
    let names: Vec<&str> = policies.iter().map(Policy::name).collect();
    let there_are = if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    Err(Problem::missing(format!("no route has a policy of this name; {there_are}")))
}

fn standing(policy: &Policy, id: &str, decision: &Decision) -> Value {
    let limits: Vec<Value> = decision
        .limits
        .iter()
        .map(|standing| {
            json!({
                "limit": standing.limit.to_string(),
                "used": standing.used,
                "remaining": standing.remaining,
                "reset_after_ms": u64::try_from(standing.reset_after.as_millis()).unwrap_or(u64::MAX),
                "violated": standing.violated,
            })
        })
        .collect();
    json!({ "policy": policy.name(), "id": id, "is_allowed": decision.is_allowed(), "limits": limits })
}

fn limits(policy: &Policy) -> Vec<String> {
    policy.limits().iter().map(ToString::to_string).collect()
}
