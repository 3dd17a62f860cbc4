//! An endpoint with keys: who does not sign is refused, and nothing is done. What a right signature is, the unit tests of
//! `sigv4` and the real clients of `theory` know.

use std::sync::Arc;

use serde_json::json;
use tabletheory_core::store::op::ListTables;
use tabletheory_engine::Engine;
use tabletheory_wire::sigv4::{Credentials, Verifier};
use tabletheory_wire::{Endpoint, server};

use crate::talk::{Server, head};

#[test]
fn unsigned_and_wrongly_signed_requests_are_refused_and_do_nothing() {
    let engine = Engine::memory();
    let verifier = Verifier::new(vec![Credentials::new("AKIDEXAMPLE", "hush")]);
    let endpoint = Endpoint::signed(Arc::new(engine.clone()), verifier);
    let server = Server::start(endpoint, server::Settings::default());
    let mut talk = server.connect();
    let body = json!({
        "TableName": "pages", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
    })
    .to_string();
    let mut ask = |headers: &str| {
        let head = head("CreateTable", &format!("{headers}Content-Length: {}\r\n", body.len()));
        talk.send(format!("{head}{body}").as_bytes()).expect("the server reads");
        talk.reply().expect("an answer")
    };
    ask("").refused(400, "MissingAuthenticationTokenException", "Request is missing Authentication Token");
    ask("Authorization: Basic aGVsbG8=\r\n").refused(400, "MissingAuthenticationTokenException", "");
    ask("Authorization: AWS4-HMAC-SHA256 Credential=A\r\n").refused(400, "IncompleteSignatureException", "");
    let signed = "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, \
                  SignedHeaders=host;x-amz-date;x-amz-target, \
                  Signature=0000000000000000000000000000000000000000000000000000000000000000\r\n";
    let date = "X-Amz-Date: 20150830T123600Z\r\n";
    ask(&format!("{signed}{date}")).refused(400, "InvalidSignatureException", "Signature expired");
    ask(&format!("{signed}{date}{date}")).refused(400, "InvalidSignatureException", "");
    assert!(engine.run(ListTables::default()).expect("tables are listed").tables.is_empty());
}
