//! `theory leases`.

use serde_json::{Value, json};

use super::stand_in::StandIn;
use super::{ask, said, told};

#[test]
fn leases_are_listed() {
    let leases = json!({ "cursor": null, "leases": [
        { "id": "CACHE#1", "url": "/news", "is_held": true, "expires_in_s": 61, "failures": 3, "next_attempt_in_s": null },
        { "id": "CACHE#2", "url": null, "is_held": false, "expires_in_s": 0, "failures": 1, "next_attempt_in_s": 9 },
    ] });
    let gateway = StandIn::always(leases.clone());
    let table = told(&ask(&gateway, &["leases"]));
    assert_eq!(
        table,
        "STATE      EXPIRES IN  FAILURES  NEXT ATTEMPT IN  PAGE\n\
         rendering        1m1s         3                -  /news\n\
         waiting            0s         1               9s  CACHE#2\n"
    );
    let json: Value = serde_json::from_str(&told(&ask(&gateway, &["leases", "--json"]))).unwrap();
    assert_eq!(json, leases);
    assert_eq!(gateway.asked()[0].target, "/api/leases?limit=50");
}

#[test]
fn that_nothing_is_regenerated_is_said_beside_the_output() {
    let gateway = StandIn::always(json!({ "leases": [], "cursor": null }));
    let output = ask(&gateway, &["leases"]);
    assert_eq!(
        (told(&output), said(&output.stderr)),
        (String::new(), "no page is being regenerated\n".to_owned())
    );
}
