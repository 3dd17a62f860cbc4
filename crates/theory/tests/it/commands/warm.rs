//! `theory pages warm`.

use std::io::Write as _;

use serde_json::{Value, json};

use super::stand_in::{Answer, Asked, StandIn};
use super::{ask, refused, said, told};

/// Answers a line for each address; those with "bad" in them fail.
fn warming(asked: &Asked) -> Answer {
    let sitemap = [json!("/s/1"), json!("/s/2")];
    let urls = asked.body["urls"].as_array().map_or(&sitemap[..], Vec::as_slice);
    let lines = urls.iter().map(|url| match url.as_str().is_some_and(|url| url.contains("bad")) {
        true => json!({ "url": url, "outcome": "failed", "ms": 3, "why": "the application answered 500" }),
        false => json!({ "url": url, "outcome": "rendered", "ms": 3 }),
    });
    let body: Vec<String> = lines.map(|line| format!("{line}\n")).collect();
    Answer { status: 200, kind: "application/x-ndjson", body: body.concat().into_bytes() }
}

#[test]
fn addresses_are_warmed_and_counted() {
    let gateway = StandIn::new(warming);
    let output = ask(&gateway, &["pages", "warm", "/a", "/b"]);
    let told = told(&output);
    assert!(told.starts_with("2 pages in ") && told.ends_with(": 2 rendered\n"), "{told}");
    assert_eq!(said(&output.stderr), "", "there is no bar without a terminal");
    assert_eq!(gateway.asked()[0].body, json!({ "urls": ["/a", "/b"] }));
}

#[test]
fn a_page_that_failed_is_named_and_the_command_fails() {
    let gateway = StandIn::new(warming);
    let output = ask(&gateway, &["pages", "warm", "/a", "/bad"]);
    let error = refused(&output, 1);
    assert!(error.contains("failed /bad: the application answered 500"), "{error}");
    assert!(error.contains("error: 1 page could not be warmed"), "{error}");
    assert!(said(&output.stdout).contains("1 failed, 1 rendered"));
}

#[test]
fn a_file_is_sent_in_pieces_that_a_gateway_takes() {
    let gateway = StandIn::new(warming);
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    writeln!(file, "# pages\n\n  /first  ").unwrap();
    for number in 0..3000 {
        writeln!(file, "/{}/{number}", "long".repeat(20)).unwrap();
    }
    let path = file.path().to_str().expect("the name is text");
    let told = told(&ask(&gateway, &["pages", "warm", "--file", path]));
    assert!(told.starts_with("3001 pages in "), "{told}");
    let asked = gateway.asked();
    assert!(
        asked.len() > 1 && asked.iter().all(|asked| asked.body.to_string().len() < 64 * 1024),
        "{}",
        asked.len()
    );
    assert_eq!(asked[0].body["urls"][0], "/first");
}

#[test]
fn a_sitemap_is_the_gateways_to_read() {
    let gateway = StandIn::new(warming);
    let output = ask(&gateway, &["pages", "warm", "--sitemap", "/sitemap.xml", "--json"]);
    let lines: Vec<Value> = told(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1], json!({ "url": "/s/2", "outcome": "rendered", "ms": 3 }));
    assert_eq!(gateway.asked()[0].body, json!({ "sitemap": "/sitemap.xml" }));
}

#[test]
fn a_file_without_addresses_is_named() {
    let gateway = StandIn::new(warming);
    let error = refused(&ask(&gateway, &["pages", "warm", "--file", "no/such/list.txt"]), 1);
    assert!(error.contains("no/such/list.txt"), "{error}");
    let empty = tempfile::NamedTempFile::new().expect("a temporary file");
    let error = refused(&ask(&gateway, &["pages", "warm", "--file", empty.path().to_str().unwrap()]), 1);
    assert!(error.contains("holds no addresses"), "{error}");
    assert!(gateway.asked().is_empty());
}

#[test]
fn lines_that_are_no_json_are_refused() {
    let gateway = StandIn::new(|_| Answer {
        status: 200,
        kind: "text/plain",
        body: b"{\"url\":\"/a\"}\nhello\n".to_vec(),
    });
    let error = refused(&ask(&gateway, &["pages", "warm", "/a", "/b"]), 1);
    assert!(error.contains("not as a gateway does") && error.contains("hello"), "{error}");
}
