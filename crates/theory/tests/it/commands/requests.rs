//! `theory requests`.

use serde_json::{Value, json};

use super::stand_in::StandIn;
use super::{ask, refused, said, told};

#[test]
fn requests_are_listed_shown_and_forgotten() {
    let request = json!({ "id": "r#1", "route": "/orders", "status": "completed", "age_s": 61, "code": 201 });
    let gateway = StandIn::always(json!({ "requests": [request], "cursor": null }));
    let table = told(&ask(&gateway, &["requests", "ls"]));
    assert!(table.lines().nth(1).is_some_and(|row| row == "completed  1m1s   201  /orders  r#1"), "{table}");
    let json: Value = serde_json::from_str(&told(&ask(&gateway, &["requests", "ls", "--json"]))).unwrap();
    assert_eq!(json["requests"][0], request);
    told(&ask(&gateway, &["requests", "show", "r#1"]));
    told(&ask(&gateway, &["requests", "forget", "r#1"]));
    told(&ask(&gateway, &["requests", "forget", "r#1", "--force"]));
    let asked = gateway.asked();
    assert_eq!(asked[0].target, "/api/requests?limit=50");
    assert_eq!((asked[2].method.as_str(), asked[2].target.as_str()), ("GET", "/api/requests/show?id=r%231"));
    assert_eq!((asked[3].method.as_str(), asked[3].target.as_str()), ("DELETE", "/api/requests?id=r%231"));
    assert_eq!(asked[4].target, "/api/requests?id=r%231&force=true");
}

#[test]
fn a_request_has_an_id() {
    let gateway = StandIn::always(json!({ "requests": [], "cursor": null }));
    refused(&ask(&gateway, &["requests", "forget"]), 2);
    assert_eq!(said(&ask(&gateway, &["requests", "ls"]).stderr), "no requests are remembered\n");
}
