//! Connections: kept alive, shared by requests in order, bounded in number, and none takes the server down.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tabletheory_engine::Engine;
use tabletheory_wire::{Endpoint, server};

use crate::stores::{Panicking, Silent};
use crate::talk::{Server, head, request};

#[test]
fn requests_sent_ahead_are_answered_in_order() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.make_table();
    let mut bytes = Vec::new();
    for number in 0..50 {
        let item = json!({ "TableName": "pages", "Item": { "pk": { "S": "a" }, "n": { "N": number.to_string() } },
            "ReturnValues": "ALL_OLD" });
        bytes.extend(request("PutItem", item.to_string().as_bytes()));
    }
    talk.send(&bytes).expect("the server reads");
    for number in 0..50 {
        let reply = talk.reply().expect("an answer");
        let before = reply.json()["Attributes"]["n"]["N"].as_str().map(str::to_owned);
        assert_eq!(before, (number > 0).then(|| (number - 1).to_string()));
    }
}

#[test]
fn every_answer_has_an_identifier_of_its_own() {
    let server = Server::engine();
    let mut talk = server.connect();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let reply = talk.ask("ListTables", b"{}");
        assert!(seen.insert(reply.header("x-amzn-requestid").expect("an identifier").to_owned()));
    }
}

#[test]
fn without_bounds_on_number_and_size_the_server_serves() {
    let settings = server::Settings {
        connections_max: usize::MAX,
        bodies_bytes_max: usize::MAX,
        ..server::Settings::default()
    };
    let server = Server::start(Endpoint::unsigned(Arc::new(Engine::memory())), settings);
    assert_eq!(server.connect().ask("ListTables", b"{}").status, 200);
}

#[test]
fn a_store_that_panics_answers_500_and_the_server_goes_on() {
    let server = Server::store(Arc::new(Panicking(Arc::new(Engine::memory()))));
    let mut talk = server.connect();
    talk.make_table();
    for body in [&b"{\"Limit\":1}"[..], b"{}"] {
        let reply = talk.ask("ListTables", body);
        reply.refused(500, "InternalServerError", "unknown error");
        assert!(!String::from_utf8_lossy(&reply.body).contains("breaks"), "a panic's text stays inside");
    }
    assert_eq!(talk.count(), 0);
    assert_eq!(server.connect().count(), 0);
}

#[test]
fn a_store_that_does_not_answer_is_given_up_and_the_outcome_is_called_unknown() {
    let settings =
        server::Settings { request_max: Duration::from_millis(200), ..server::Settings::default() };
    let server = Server::start(Endpoint::unsigned(Arc::new(Silent)), settings);
    let mut talk = server.connect();
    talk.ask("ListTables", b"{}").refused(500, "InternalServerError", "may have happened");
}

#[test]
fn more_connections_than_allowed_wait_for_their_turn() {
    let settings = server::Settings { connections_max: 2, ..server::Settings::default() };
    let server = Server::start(Endpoint::unsigned(Arc::new(Engine::memory())), settings);
    let (mut first, mut second) = (server.connect(), server.connect());
    assert_eq!(first.ask("ListTables", b"{}").status, 200);
    assert_eq!(second.ask("ListTables", b"{}").status, 200);
    let mut third = server.connect();
    third.send(&request("ListTables", b"{}")).expect("the kernel takes it");
    assert!(third.is_silent_for(Duration::from_millis(200)), "there is no place for the third");
    drop(first);
    assert_eq!(third.reply().expect("an answer once there is a place").status, 200);
}

#[test]
fn many_clients_at_once_lose_no_write() {
    const CLIENTS: u64 = 16;
    const WRITES: u64 = 50;
    let server = Server::engine();
    server.connect().make_table();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                let mut talk = server.connect();
                for write in 0..WRITES {
                    let key = json!({ "pk": { "S": format!("{client}/{write}") } });
                    talk.done("PutItem", &json!({ "TableName": "pages", "Item": key }));
                    talk.done(
                        "UpdateItem",
                        &json!({
                            "TableName": "pages", "Key": { "pk": { "S": "counter" } },
                            "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": { ":one": { "N": "1" } },
                        }),
                    );
                }
            });
        }
    });
    let mut talk = server.connect();
    assert_eq!(talk.count(), CLIENTS * WRITES + 1);
    let counter = talk.done("GetItem", &json!({ "TableName": "pages", "Key": { "pk": { "S": "counter" } } }));
    assert_eq!(counter["Item"]["n"]["N"], (CLIENTS * WRITES).to_string());
}

#[test]
fn large_bodies_wait_until_there_is_room() {
    let settings = server::Settings {
        body_bytes_max: 100_000,
        bodies_bytes_max: 100_000,
        ..server::Settings::default()
    };
    let server = Server::start(Endpoint::unsigned(Arc::new(Engine::memory())), settings);
    let (mut first, mut second) = (server.connect(), server.connect());
    let padded = |bytes: usize| format!("{{}}{}", " ".repeat(bytes - 2)).into_bytes();
    // The server says "go on" when it begins to read a body, which is when the body has its room.
    first
        .send(head("ListTables", "Content-Length: 90000\r\nExpect: 100-continue\r\n").as_bytes())
        .expect("the server reads");
    assert_eq!(first.reply().expect("a word to go on").status, 100);
    second.send(&request("ListTables", &padded(80_000))).expect("the server reads");
    assert_eq!(server.connect().ask("ListTables", &padded(1000)).status, 200, "small bodies do not wait");
    assert!(second.is_silent_for(Duration::from_millis(200)), "there is no room for the second");
    first.send(&padded(90_000)).expect("the server reads");
    assert_eq!(first.reply().expect("an answer").status, 200);
    assert_eq!(second.reply().expect("an answer once there is room").status, 200);
}

#[test]
fn a_table_answers_to_its_resource_name_under_that_name() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.make_table();
    talk.done("PutItem", &json!({ "TableName": "pages", "Item": { "pk": { "S": "a" } } }));
    let table = talk.done("DescribeTable", &json!({ "TableName": "pages" }));
    let arn = table["Table"]["TableArn"].as_str().expect("a resource name");
    let keys = json!([{ "pk": { "S": "a" } }]);
    let found = talk.done("BatchGetItem", &json!({ "RequestItems": { arn: { "Keys": keys } } }));
    assert_eq!(found["Responses"], json!({ arn: keys }));
}

#[test]
fn a_large_page_arrives_whole() {
    let server = Server::engine();
    let mut talk = server.connect();
    talk.make_table();
    for number in 0..5 {
        let item = json!({ "pk": { "S": number.to_string() }, "text": { "S": "é\"\\\n".repeat(60_000) } });
        talk.done("PutItem", &json!({ "TableName": "pages", "Item": item }));
    }
    let keys: Vec<_> = (0..5).map(|number| json!({ "pk": { "S": number.to_string() } })).collect();
    let answer = talk.done("BatchGetItem", &json!({ "RequestItems": { "pages": { "Keys": keys } } }));
    let items = answer["Responses"]["pages"].as_array().expect("items");
    assert_eq!(items.len(), 5);
    assert!(items.iter().all(|item| item["text"]["S"].as_str().is_some_and(|text| text.len() == 300_000)));
}
