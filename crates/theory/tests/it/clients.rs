//! Real clients against `theory dynamodb`: boto3, the AWS SDK for JavaScript, the AWS command line and dynamodb-admin. What
//! they do and what they expect stands in `tests/clients`; here the endpoint is started, they are run, and what they leave
//! behind is looked at from Rust.

pub(crate) mod client;
mod page;
pub(crate) mod tools;

use std::process::Command;

use serde_json::{Value as Json, json};
use tabletheory_core::store::op::{GetItem, ListTables, Scan};
use tabletheory_core::{Item, Value};
use tabletheory_engine::{Engine, Settings};

use crate::server::Server;
use client::{ANY, Keys, Script, aws, aws_refused, isolate};
use tools::Tools;

const SIGNER: Keys = Keys { access: "AKIDTHEORY", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

/// Makes a table with the key `pk` the way a person does.
fn create_table(tools: &Tools, endpoint: &str, keys: Keys, table: &str) -> Json {
    let definition = ["--attribute-definitions", "AttributeName=pk,AttributeType=S"];
    let schema = ["--key-schema", "AttributeName=pk,KeyType=HASH"];
    let arguments = ["create-table", "--table-name", table, "--billing-mode", "PAY_PER_REQUEST"];
    aws(tools, endpoint, keys, &[&arguments[..], &definition, &schema].concat())
}

fn recipes(script: Script) {
    let Some(tools) = tools::find() else { return };
    let server = Server::dynamodb(&["--memory"]);
    let told = script.run(&tools, &server.address, ANY, &["recipes"]);
    assert!(
        !told.contains("left out") && told.lines().filter(|line| line.starts_with("ok ")).count() > 100,
        "{told}"
    );
}

#[test]
fn every_recipe_holds_for_boto3() {
    recipes(Script::Python);
}

#[test]
fn every_recipe_holds_for_the_javascript_sdk() {
    recipes(Script::JavaScript);
}

#[test]
fn the_aws_command_line_makes_fills_and_reads_a_table() {
    let Some(tools) = tools::find() else { return };
    let server = Server::dynamodb(&["--memory"]);
    let run = |arguments: &[&str]| aws(&tools, &server.address, ANY, arguments);
    let made = create_table(&tools, &server.address, ANY, "pages");
    assert_eq!(made["TableDescription"]["TableName"], "pages");
    run(&["wait", "table-exists", "--table-name", "pages"]);
    let described = run(&["describe-table", "--table-name", "pages"]);
    assert_eq!(described["Table"]["TableStatus"], "ACTIVE");
    assert_eq!(described["Table"]["KeySchema"], json!([{"AttributeName": "pk", "KeyType": "HASH"}]));

    for number in ["1", "2", "3"] {
        let item = json!({"pk": {"S": format!("CACHE#{number}")}, "n": {"N": number}}).to_string();
        run(&["put-item", "--table-name", "pages", "--item", &item]);
    }
    let values = r#"{":pk": {"S": "CACHE#2"}}"#;
    let condition = ["--key-condition-expression", "pk = :pk", "--expression-attribute-values", values];
    let found = run(&[&["query", "--table-name", "pages"][..], &condition].concat());
    assert_eq!(found["Items"], json!([{"pk": {"S": "CACHE#2"}, "n": {"N": "2"}}]));
    let found = run(&["scan", "--table-name", "pages", "--page-size", "1"]);
    assert_eq!((&found["Count"], found["Items"].as_array().map(Vec::len)), (&json!(3), Some(3)));

    let again = ["put-item", "--table-name", "pages", "--item", r#"{"pk": {"S": "CACHE#1"}}"#];
    let again = [&again[..], &["--condition-expression", "attribute_not_exists(pk)"]].concat();
    let complaint = aws_refused(&tools, &server.address, ANY, &again);
    assert!(complaint.contains("ConditionalCheckFailedException"), "{complaint}");
}

#[test]
fn dynamodb_admin_lists_tables_and_shows_items() {
    let Some(tools) = tools::find() else { return };
    let server = Server::dynamodb(&["--memory"]);
    create_table(&tools, &server.address, ANY, "pages");
    let item = r#"{"pk": {"S": "front-page"}, "etag": {"S": "made-by-a-person"}}"#;
    aws(&tools, &server.address, ANY, &["put-item", "--table-name", "pages", "--item", item]);

    let mut admin = Command::new("node");
    admin.arg(tools.node_modules.join("dynamodb-admin/dist/dynamodb-admin.js"));
    admin.args(["--host", "127.0.0.1", "--port", "0"]).env("DYNAMO_ENDPOINT", &server.address);
    isolate(&mut admin, ANY);
    let admin = Server::start(&mut admin, "listening on ");
    let look = |path: &str, expected: &str| {
        let page = page::get(&admin.address, path);
        assert!(page.contains(expected), "GET {path} does not show {expected}:\n{page}");
    };
    look("/", "/tables/pages");
    look("/tables/pages", "[Table] pages");
    look("/tables/pages/items", "front-page");
    look("/tables/pages/items/front-page", "made-by-a-person");
    look("/tables/pages/meta", "PAY_PER_REQUEST");
    look("/tables/pages/ttl", "pages");
}

#[test]
fn a_row_of_every_type_is_the_same_for_all_clients_and_for_rust_after_a_stop() {
    let Some(tools) = tools::find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("the folder's name is text");
    let server = Server::dynamodb(&["--data", data]);
    create_table(&tools, &server.address, ANY, "values");
    let rows = Script::ALL.map(|script| format!("by {script:?}"));
    for (script, row) in Script::ALL.iter().zip(&rows) {
        script.run(&tools, &server.address, ANY, &["write", "--table", "values", "--pk", row]);
    }
    for script in Script::ALL {
        for row in &rows {
            script.run(&tools, &server.address, ANY, &["read", "--table", "values", "--pk", row]);
        }
    }
    let status = server.stop();
    assert!(status.success(), "a server that is asked to end has done nothing wrong: {status}");

    let expected = std::fs::read_to_string(tools::file("values.json")).expect("the row is in the checkout");
    let expected: Item = serde_json::from_str(&expected).expect("the row is DynamoDB JSON");
    let engine = Engine::open(folder.path(), Settings::default()).expect("the folder is whole and free");
    for row in rows {
        let key = Item::from([("pk", Value::s(row))]);
        let found = engine.run(GetItem { table: "values".into(), key: key.clone(), ..GetItem::default() });
        let found = found.expect("the table is there").item.expect("the row is there");
        let whole: Item =
            key.iter().chain(expected.iter()).map(|(name, value)| (name, value.clone())).collect();
        assert_eq!(found, whole);
    }
}

#[test]
fn only_requests_signed_with_the_secret_are_served() {
    let Some(tools) = tools::find() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("the folder's name is text");
    let keys = ["--data", data, "--access-key", SIGNER.access, "--secret-key", SIGNER.secret];
    let server = Server::dynamodb(&keys);
    create_table(&tools, &server.address, SIGNER, "values");
    for script in Script::ALL {
        script.run(&tools, &server.address, SIGNER, &["write", "--table", "values", "--pk", "signed"]);
        script.run(&tools, &server.address, SIGNER, &["read", "--table", "values", "--pk", "signed"]);
    }

    let wrong = Keys { secret: "another", ..SIGNER };
    let stranger = Keys { access: "AKIDSTRANGER", ..SIGNER };
    // The endpoint does not tell which access keys exist: a stranger and a wrong secret hear the same.
    let code = "InvalidSignatureException";
    for keys in [wrong, stranger] {
        for script in Script::ALL {
            script.run(&tools, &server.address, keys, &["refused", "--table", "values", "--code", code]);
        }
        let delete = ["delete-table", "--table-name", "values"];
        let complaint = aws_refused(&tools, &server.address, keys, &delete);
        assert!(complaint.contains(code), "{complaint}");
    }
    assert!(server.stop().success());

    let engine = Engine::open(folder.path(), Settings::default()).expect("the folder is whole and free");
    assert_eq!(engine.run(ListTables::default()).expect("tables can be listed").tables, ["values"]);
    let rows = engine.run(Scan { table: "values".into(), ..Scan::default() }).expect("the table can be read");
    assert_eq!(rows.count, 1, "what was refused has changed nothing");
}
