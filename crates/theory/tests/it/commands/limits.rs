//! `theory limits`.

use serde_json::{Value, json};

use super::stand_in::StandIn;
use super::{ask, refused, told};

#[test]
fn consumers_are_listed_shown_and_reset() {
    let top = json!({ "consumers": [{ "policy": "per-address", "id": "203.0.113.7", "asked": 100, "denied": 3, "off_by": 0 }] });
    let gateway = StandIn::always(top.clone());
    let table = told(&ask(&gateway, &["limits", "top"]));
    assert!(
        table
            .lines()
            .nth(1)
            .is_some_and(|row| row.starts_with("per-address") && row.ends_with("203.0.113.7")),
        "{table}"
    );
    let json: Value =
        serde_json::from_str(&told(&ask(&gateway, &["limits", "top", "-n", "3", "--json"]))).unwrap();
    assert_eq!(json, top);
    told(&ask(&gateway, &["limits", "show", "per-address", "a b"]));
    told(&ask(&gateway, &["limits", "reset", "per-address", "a b"]));
    let asked = gateway.asked();
    assert_eq!(asked[0].target, "/api/limits/top?limit=20");
    assert_eq!(asked[1].target, "/api/limits/top?limit=3");
    assert_eq!(asked[2].target, "/api/limits/show?policy=per-address&id=a%20b");
    assert_eq!(
        (asked[3].target.as_str(), &asked[3].body),
        ("/api/limits/reset", &json!({ "policy": "per-address", "id": "a b" }))
    );
}

#[test]
fn a_consumer_is_a_policy_and_an_id() {
    let gateway = StandIn::always(json!({}));
    refused(&ask(&gateway, &["limits", "show", "per-address"]), 2);
    let error = refused(&ask(&gateway, &["limits", "top"]), 1);
    assert!(error.contains("no list"), "{error}");
}
