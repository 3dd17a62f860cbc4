//! `theory pages`.

use serde_json::{Value, json};

use super::stand_in::{Answer, StandIn};
use super::{ask, refused, said, told};

fn page(number: usize, state: &str) -> Value {
    json!({
        "id": format!("CACHE#{number:064x}"), "url": format!("/news/{number}"), "tenant": null, "state": state,
        "age_s": 200, "fresh_for_s": 240, "fresh_left_s": 40, "status": 200, "bytes": 12_698, "tags": ["news", "front"], "generation": 7,
        "etag": "\"a\"",
    })
}

/// Pages behind cursors, a hundred at a time.
fn many(total: usize) -> StandIn {
    StandIn::new(move |asked| {
        let parameter = |name: &str| {
            let query = asked.target.split_once('?').map_or("", |(_, query)| query);
            query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
        };
        let from: usize = parameter("cursor").map_or(0, |cursor| cursor.parse().expect("one of our cursors"));
        let limit: usize = parameter("limit").expect("a limit is always said").parse().expect("a number");
        let to = total.min(from + limit.min(100));
        let pages: Vec<Value> = (from..to).map(|number| page(number, "fresh")).collect();
        Answer::json(&json!({ "pages": pages, "cursor": (to < total).then(|| to.to_string()) }))
    })
}

#[test]
fn pages_are_listed_in_columns() {
    let gateway = StandIn::always(json!({ "pages": [page(1, "fresh"), page(22, "stale")], "cursor": null }));
    let told = told(&ask(&gateway, &["pages", "ls"]));
    assert_eq!(
        told,
        "STATE    AGE  LEFT  STATUS     SIZE  GEN  TENANT  TAGS        URL\n\
         fresh  3m20s   40s     200  12.4 KB    7  -       news,front  /news/1\n\
         stale  3m20s   40s     200  12.4 KB    7  -       news,front  /news/22\n"
    );
}

#[test]
fn what_is_wanted_goes_into_the_query() {
    let gateway = StandIn::always(json!({ "pages": [], "cursor": null }));
    let output = ask(
        &gateway,
        &["pages", "ls", "/é?", "--state", "stale", "--tag", "a&b", "--tenant", "acme", "-n", "5"],
    );
    assert_eq!(told(&output), "");
    assert_eq!(said(&output.stderr), "no pages\n");
    let asked = gateway.asked();
    assert_eq!(asked[0].target, "/api/pages?prefix=/%C3%A9%3F&tenant=acme&state=stale&tag=a%26b&limit=5");
    assert_eq!(asked[0].method, "GET");
}

#[test]
fn a_list_goes_on_until_enough_has_come() {
    let gateway = many(1234);
    let listed = |arguments: &[&str]| {
        let output = ask(&gateway, &[&["pages", "ls"], arguments].concat());
        (told(&output).lines().count() - 1, said(&output.stderr))
    };
    let (rows, aside) = listed(&[]);
    assert_eq!(rows, 50);
    assert!(aside.contains("--cursor 50"), "{aside}");
    assert_eq!(listed(&["--cursor", "1200"]), (34, String::new()));
    let (rows, aside) = listed(&["--limit", "250"]);
    assert_eq!(rows, 250);
    assert!(aside.contains("--cursor 250"), "{aside}");
    assert_eq!(listed(&["--all"]), (1234, String::new()));
}

#[test]
fn json_has_the_form_of_the_api_over_all_pieces() {
    let gateway = many(250);
    let listed: Value =
        serde_json::from_str(&told(&ask(&gateway, &["pages", "ls", "--all", "--json"]))).unwrap();
    let pages = listed["pages"].as_array().unwrap();
    assert_eq!((pages.len(), &listed["cursor"]), (250, &Value::Null));
    assert_eq!(pages[249], page(249, "fresh"));
    let some: Value =
        serde_json::from_str(&told(&ask(&gateway, &["pages", "ls", "--json", "-n", "7"]))).unwrap();
    assert_eq!((some["pages"].as_array().map(Vec::len), &some["cursor"]), (Some(7), &json!("7")));
    let none = StandIn::always(json!({ "pages": [], "cursor": null }));
    let none: Value = serde_json::from_str(&told(&ask(&none, &["pages", "ls", "--json"]))).unwrap();
    assert_eq!(none, json!({ "pages": [], "cursor": null }));
}

#[test]
fn a_cursor_that_leads_nowhere_ends_the_list() {
    let gateway = StandIn::always(json!({ "pages": [page(1, "fresh")], "cursor": "again" }));
    let error = refused(&ask(&gateway, &["pages", "ls", "--all"]), 1);
    assert!(error.contains("the same cursor"), "{error}");
}

#[test]
fn an_address_of_a_stranger_moves_no_cursor() {
    let mut page = page(1, "fresh");
    page["url"] = json!("/a\u{1b}[2J\u{202e}b");
    let gateway = StandIn::always(json!({ "pages": [page], "cursor": null }));
    let told = told(&ask(&gateway, &["pages", "ls"]));
    assert!(told.contains("/a\\u{1b}[2J\\u{202e}b") && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn one_page_is_shown_with_its_rows() {
    let gateway = StandIn::always(json!({
        "id": "CACHE#1",
        "page": { "url": "/news", "state": "stale", "age_s": 90, "bytes": 2048, "tags": ["a", "b"], "id": "CACHE#1" },
        "lock": { "failures": 2, "is_held": false },
        "versions": [{ "id": "v1", "is_shown": true }, { "id": "v2", "is_shown": false }],
        "events": [],
        "meta": { "headers": [["content-type", "text/html"]] },
    }));
    let told = told(&ask(&gateway, &["pages", "show", "/news"]));
    let expected = "url    /news\nstate  stale\nage    1m30s\nbytes  2.0 KB\ntags   a, b\nid     CACHE#1\n\n\
                    lock\nfailures  2\nheld      no\n\nversions\nid  shown\nv1  yes\nv2  no\n\n\
                    meta\nheaders  content-type: text/html\n";
    assert_eq!(told, expected);
    assert_eq!(gateway.asked()[0].target, "/api/pages/show?url=/news");
    let by_id = ask(&gateway, &["pages", "show", "--id", "CACHE#1", "--json"]);
    assert!(serde_json::from_slice::<Value>(&by_id.stdout).is_ok());
    assert_eq!(gateway.asked()[1].target, "/api/pages/show?id=CACHE%231");
}

#[test]
fn versions_are_listed_and_the_shown_one_is_marked() {
    let gateway = StandIn::always(json!({ "versions": [
        { "id": "v2", "generated_at": "2001-09-09T01:46:40.000Z", "bytes": 10, "status": 200, "etag": "\"b\"", "is_shown": true },
        { "id": "v1", "generated_at": 1_000_000_000, "bytes": 9, "status": 200, "etag": null, "is_shown": false },
    ] }));
    let told = told(&ask(&gateway, &["pages", "versions", "/news"]));
    assert!(told.contains("*  v2 ") && told.contains("   v1 ") && told.contains(" ago "), "{told}");
    assert_eq!(gateway.asked()[0].target, "/api/pages/versions?url=/news");
}

#[test]
fn what_is_done_goes_into_the_body() {
    let gateway = StandIn::always(json!({ "outcome": "published", "ms": 12 }));
    let cases: [(&[&str], &str, Value); 10] = [
        (&["revalidate", "/a"], "revalidate", json!({ "url": "/a" })),
        (&["revalidate", "--tag", "t"], "revalidate", json!({ "tag": "t" })),
        (&["revalidate", "--tenant", "t"], "revalidate", json!({ "tenant": "t" })),
        (&["revalidate", "--all"], "revalidate", json!({ "all": true })),
        (&["purge", "/a"], "purge", json!({ "url": "/a", "hard": true })),
        (&["purge", "--id", "p", "--soft"], "purge", json!({ "id": "p", "hard": false })),
        (
            &["purge", "--tag", "t", "--tenant", "u"],
            "purge",
            json!({ "tag": "t", "tenant": "u", "hard": true }),
        ),
        (&["purge", "--all", "--yes"], "purge", json!({ "all": true, "hard": true })),
        (&["rollback", "/a", "--to", "v1"], "rollback", json!({ "url": "/a", "version": "v1" })),
        (
            &["rollback", "/a", "--to", "v1", "--hold", "1h30m"],
            "rollback",
            json!({ "url": "/a", "version": "v1", "hold_s": 5400 }),
        ),
    ];
    for (at, (arguments, path, body)) in cases.into_iter().enumerate() {
        let told = told(&ask(&gateway, &[&["pages"], arguments].concat()));
        assert!(told.contains("outcome  published") && told.contains("took     12 ms"), "{told}");
        let asked = &gateway.asked()[at];
        assert_eq!(
            (asked.method.as_str(), asked.target.as_str()),
            ("POST", format!("/api/pages/{path}").as_str())
        );
        assert_eq!(asked.body, body);
    }
}

#[test]
fn a_page_that_was_not_rendered_is_a_failure() {
    let gateway = StandIn::always(json!({ "outcome": "failed", "ms": 12 }));
    let error = refused(&ask(&gateway, &["pages", "revalidate", "/a"]), 1);
    assert!(error.contains("did not render"), "{error}");
}

#[test]
fn everything_is_purged_only_if_that_is_meant() {
    let gateway = StandIn::always(json!({}));
    let error = refused(&ask(&gateway, &["pages", "purge", "--all"]), 1);
    assert!(error.contains("--yes"), "{error}");
    assert!(gateway.asked().is_empty());
}

#[test]
fn neither_no_page_nor_two_are_one_page() {
    let gateway = StandIn::always(json!({}));
    for wrong in [
        &["pages", "show"][..],
        &["pages", "show", "/a", "--id", "b"],
        &["pages", "purge"],
        &["pages", "purge", "/a", "--tag", "t"],
        &["pages", "purge", "--all", "--tenant", "t"],
        &["pages", "rollback", "/a"],
        &["pages", "rollback", "/a", "--to", "v", "--hold", "soon"],
        &["pages", "ls", "--limit", "0"],
        &["pages", "ls", "--state", "old"],
        &["pages", "ls", "--all", "--limit", "5"],
        &["pages"],
        &["pages", "warm"],
        &["pages", "warm", "/a", "--sitemap", "/s.xml"],
    ] {
        refused(&ask(&gateway, wrong), 2);
    }
    assert!(gateway.asked().is_empty());
}

#[test]
fn a_page_that_is_not_there_is_told_in_the_gateways_words() {
    let gateway = StandIn::new(|_| Answer::problem(404, "there is no page /x\u{1b}[2J"));
    let error = refused(&ask(&gateway, &["pages", "show", "/x"]), 1);
    assert_eq!(error, "error: there is no page /x\\u{1b}[2J\n");
}
