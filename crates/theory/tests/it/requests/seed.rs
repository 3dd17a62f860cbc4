//! One table shared with a service of the seed: AWS's own client makes that service's writes with its conditions, and Rust has the
//! keys and fingerprints that such a table needs.

use idempotent::{
    Attempt, Claim, Completion, Fingerprint, Idempotency, IdempotencyKey, Intent, KeyScheme, Response, Scope,
    Settings,
};
use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value as Json, json};

use crate::cache;
use crate::clients::client::{ANY, aws, aws_refused};
use crate::clients::tools::{self, Tools};
use crate::server::Server;

const TABLE: &str = "idempotency";
const REQUEST: &[u8] = b"{\"amount\":5}";

/// The other service, as its writes are.
struct Service<'a> {
    tools: &'a Tools,
    endpoint: &'a str,
}

impl Service<'_> {
    /// Its claim: locked until so many seconds from now, with nine digits after the point.
    fn claim(&self, key: &str, lock_seconds: i64) -> Vec<String> {
        let (now, expires_at) = (moment(0), Timestamp::now().as_second() + 86_400);
        let item = json!({
            "IdempotencyKey": {"S": key},
            "SK": {"S": "IDEMPOTENCY"},
            "FunctionName": {"S": "charge"},
            "Status": {"S": "PROCESSING"},
            "Timestamp": {"S": "0001-01-01T00:00:00Z"},
            "RequestHash": {"S": Fingerprint::plain(REQUEST).as_hex()},
            "RequestBody": {"S": "{\"amount\":5}"},
            "Response": {"S": ""},
            "StatusCode": {"N": "0"},
            "LockToken": {"S": token(key)},
            "LockedUntil": {"S": moment(lock_seconds)},
            "ExpiresAt": {"N": expires_at.to_string()},
            "CreatedAt": {"S": now},
            "UpdatedAt": {"S": now},
            "CompletedAt": {"S": "0001-01-01T00:00:00Z"},
        });
        let condition = "attribute_not_exists(IdempotencyKey) OR #status <> :processing OR #locked < :now";
        let names = json!({"#status": "Status", "#locked": "LockedUntil"});
        let values = json!({":processing": {"S": "PROCESSING"}, ":now": {"S": now}});
        command(&["put-item", "--item", &item.to_string()], condition, &names, &values)
    }

    /// Its completion, if the token is still its own.
    fn complete(key: &str) -> Vec<String> {
        let update = "SET #status = :done, #response = :response, CompletedAt = :now";
        let row = json!({"IdempotencyKey": {"S": key}, "SK": {"S": "IDEMPOTENCY"}}).to_string();
        let values = json!({
            ":done": {"S": "COMPLETED"},
            ":response": {"S": "{\"paid\":true}"},
            ":now": {"S": moment(0)},
            ":token": {"S": token(key)},
        });
        let names = json!({"#status": "Status", "#response": "Response"});
        let words = ["update-item", "--key", &row, "--update-expression", update];
        command(&words, "LockToken = :token", &names, &values)
    }

    fn does(&self, command: &[String]) {
        aws(self.tools, self.endpoint, ANY, &words(command));
    }

    fn is_refused(&self, command: &[String]) {
        let complaint = aws_refused(self.tools, self.endpoint, ANY, &words(command));
        assert!(complaint.contains("ConditionalCheckFailedException"), "{complaint}");
    }

    /// The row as it reads it.
    fn row(&self, key: &str) -> Json {
        let row = json!({"IdempotencyKey": {"S": key}, "SK": {"S": "IDEMPOTENCY"}}).to_string();
        let get = ["get-item", "--table-name", TABLE, "--consistent-read", "--key", &row];
        aws(self.tools, self.endpoint, ANY, &get)["Item"].take()
    }
}

fn command(begin: &[&str], condition: &str, names: &Json, values: &Json) -> Vec<String> {
    let (names, values) = (names.to_string(), values.to_string());
    let names = ["--expression-attribute-names", &names, "--expression-attribute-values", &values];
    let table = ["--table-name", TABLE, "--condition-expression", condition];
    [begin, &table, &names].concat().into_iter().map(str::to_owned).collect()
}

fn words(command: &[String]) -> Vec<&str> {
    command.iter().map(String::as_str).collect()
}

fn token(key: &str) -> String {
    format!("4f0c7a3e-0000-4000-8000-{key:0>12}")
}

/// So many seconds from now, as Go writes it.
fn moment(seconds: i64) -> String {
    format!("{:.9}", Timestamp::now() + seconds.seconds())
}

fn intent(key: &str, request: &[u8]) -> Intent {
    let key = IdempotencyKey::parse(key).expect("a key");
    Intent::new(Scope::function("charge"), key, Fingerprint::plain(request))
}

async fn granted(requests: &Idempotency, key: &str) -> Attempt {
    match requests.claim(&intent(key, REQUEST)).await.expect("the endpoint answers") {
        Claim::Granted(attempt) => attempt,
        other => panic!("{key}: {other:?}"),
    }
}

/// Each attribute that the seed names and that is here has the seed's type.
fn has_the_seeds_shape(row: &Json, names: &[&str]) {
    for name in names {
        let is_number = ["StatusCode", "ExpiresAt"].contains(name);
        let text = &row[*name][if is_number { "N" } else { "S" }];
        assert!(text.is_string(), "{name} is missing or of another type: {row}");
        if ["Timestamp", "LockedUntil", "CreatedAt", "UpdatedAt", "CompletedAt"].contains(name) {
            let moment = text.as_str().map(str::parse::<Timestamp>);
            assert!(moment.is_some_and(|moment| moment.is_ok()), "{name} is a moment: {row}");
        }
    }
}

const CLAIMED: [&str; 10] = [
    "IdempotencyKey",
    "SK",
    "FunctionName",
    "Status",
    "Timestamp",
    "RequestHash",
    "LockToken",
    "ExpiresAt",
    "CreatedAt",
    "UpdatedAt",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_service_of_the_seed_and_rust_respect_each_others_locks_and_answers_in_one_table() {
    let Some(tools) = tools::find() else { return };
    let server = Server::dynamodb(&["--memory"]);
    let service = Service { tools: &tools, endpoint: &server.address };
    let settings = Settings { scheme: KeyScheme::Raw, ..Settings::default() };
    let requests = Idempotency::new(cache::connect(&server.address).await).with_settings(settings);
    let requests = requests.expect("settings");
    requests.create_table().await.expect("the table is made");

    // The service holds a lock: Rust waits for it, and gives its answer again.
    service.does(&service.claim("1", 300));
    let claim = requests.claim(&intent("1", REQUEST)).await.expect("the endpoint answers");
    assert!(matches!(claim, Claim::Running { .. }), "{claim:?}");
    let claim = requests.claim(&intent("1", b"{\"amount\":6}")).await.expect("the endpoint answers");
    assert!(matches!(claim, Claim::Mismatch), "{claim:?}");
    service.does(&Service::complete("1"));
    let claim = requests.claim(&intent("1", REQUEST)).await.expect("the endpoint answers");
    let Claim::Replay(replay) = claim else { panic!("{claim:?}") };
    assert_eq!((replay.response.status.as_u16(), &replay.response.body[..]), (200, &b"{\"paid\":true}"[..]));

    // The service is silent: Rust takes over, and what the service completes late is refused.
    service.does(&service.claim("2", -10));
    let attempt = granted(&requests, "2").await;
    service.is_refused(&Service::complete("2"));
    let answer = Response::new(200, "{\"paid\":\"by rust\"}").expect("a status");
    assert_eq!(attempt.complete(&answer).await.expect("the endpoint answers"), Completion::Completed);
    service.is_refused(&Service::complete("2"));

    // Rust holds a lock: the service waits for it, and finds all it reads.
    let attempt = granted(&requests, "3").await;
    service.is_refused(&service.claim("3", 300));
    has_the_seeds_shape(&service.row("3"), &[&CLAIMED[..], &["LockedUntil"]].concat());
    assert_eq!(attempt.complete(&answer).await.expect("the endpoint answers"), Completion::Completed);
    for key in ["2", "3"] {
        let row = service.row(key);
        has_the_seeds_shape(&row, &[&CLAIMED[..], &["Response", "StatusCode", "CompletedAt"]].concat());
        assert_eq!((&row["Status"]["S"], &row["StatusCode"]["N"]), (&json!("COMPLETED"), &json!("200")));
        assert_eq!(row["RequestHash"]["S"], Fingerprint::plain(REQUEST).as_hex());
        assert_eq!(row["Response"]["S"], "{\"paid\":\"by rust\"}");
    }
}
