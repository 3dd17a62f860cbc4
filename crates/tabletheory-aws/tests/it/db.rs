//! The typed database on the store over AWS: the engine behind HTTP, a service that is silent, and the environment of a
//! function.

use std::sync::Arc;
use std::time::Duration;

use tabletheory::aws::ConfigError;
use tabletheory::deadline::Deadline;
use tabletheory::{Db, Model};
use tokio::process::Command;
use tokio::time::timeout;

use crate::client::config;
use crate::contract::serve_engine;
use crate::process::{PATIENCE, isolate};
use crate::server::{Answer, Server};

/// The environment variable by which a test knows that it is the function.
const FUNCTION: &str = "THEORY_TEST_FUNCTION";

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "users")]
struct User {
    #[model(pk)]
    id: String,
    name: String,
}

fn ada() -> User {
    User { id: "1".into(), name: "Ada".into() }
}

#[tokio::test]
async fn a_database_on_dynamodb_is_as_one_in_memory() {
    let db = Db::dynamodb(config(&serve_engine().await)).await.unwrap();
    db.create_table::<User>().await.unwrap();
    db.create(&ada()).await.unwrap();
    let refused = db.create(&User { name: "Bob".into(), ..ada() }).await.unwrap_err();
    assert_eq!(refused.into_current(), Some(ada()));
    let hurried = db.within(Duration::from_secs(600));
    let changed = hurried.update(User::key("1")).change(User::NAME.set("Eve")).await.unwrap();
    assert_eq!(changed.name, "Eve");
    assert_eq!(db.get(User::key("1")).await.unwrap(), Some(changed));
}

#[tokio::test]
async fn a_silent_service_is_left_at_the_deadline() {
    let server = Server::start(vec![Answer::Silence]);
    let db = Db::dynamodb(config(server.endpoint_url())).await.unwrap();
    // More than a machine that stands still for a while leaves nothing of: the request has to be sent before.
    let hurried = db.within(Deadline::after(Duration::from_secs(5)).with_buffer(Duration::ZERO));
    let late = hurried.create(&ada()).await.unwrap_err();
    assert!(late.is_deadline_exceeded() && late.is_ambiguous(), "{late:?}");
    let later = hurried.get(User::key("1")).await.unwrap_err();
    assert!(later.is_deadline_exceeded() && !later.is_ambiguous(), "{later:?}");
    assert_eq!(server.count_from(1).await, 1, "what comes after the deadline is not sent");
}

/// Whether this process is the function.
fn is_function() -> bool {
    std::env::var_os(FUNCTION).is_some()
}

/// Runs a test of this file once more, as a function that has this environment.
async fn run_function(test: &str, environment: &[(&str, &str)]) {
    let mut function = Command::new(std::env::current_exe().expect("a test is a program"));
    isolate(&mut function);
    function.args(["--exact", test, "--nocapture"]).env(FUNCTION, "1").envs(environment.iter().copied());
    let done = timeout(PATIENCE, function.output()).await.expect("the function ends").expect("it starts");
    let told = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
async fn a_function_has_one_database_from_its_environment() {
    if is_function() {
        let (one, two) = (Db::lambda().await.unwrap(), Db::lambda().await.unwrap());
        assert!(Arc::ptr_eq(one.store(), two.store()));
        one.create_table::<User>().await.unwrap();
        one.within(Duration::from_secs(600)).create(&ada()).await.unwrap();
        assert_eq!(two.get(User::key("1")).await.unwrap(), Some(ada()));
        assert!(format!("{one:?}").contains("alias/users"), "it has the keys that the environment names");
        return;
    }
    let endpoint = serve_engine().await;
    let environment = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "local"),
        ("AWS_SECRET_ACCESS_KEY", "local"),
        ("KMS_KEY_ARN", "alias/users"),
    ];
    run_function("db::a_function_has_one_database_from_its_environment", &environment).await;
    let db = Db::dynamodb(config(&endpoint)).await.unwrap();
    assert_eq!(db.get(User::key("1")).await.unwrap(), Some(ada()), "the function wrote it here");
}

#[tokio::test]
async fn a_function_without_a_region_is_told_so_every_time() {
    if is_function() {
        for _ in 0..2 {
            assert_eq!(Db::lambda().await.unwrap_err(), ConfigError::NoRegion);
        }
        return;
    }
    run_function("db::a_function_without_a_region_is_told_so_every_time", &[]).await;
}

#[tokio::test]
async fn a_function_with_a_bad_variable_is_told_which() {
    if is_function() {
        let error = Db::lambda().await.unwrap_err().to_string();
        assert!(error.starts_with(r#"DYNAMORM_RETRY_MAX_ATTEMPTS="many" is not "#), "{error}");
        return;
    }
    let environment = [("AWS_REGION", "us-east-1"), ("DYNAMORM_RETRY_MAX_ATTEMPTS", "many")];
    run_function("db::a_function_with_a_bad_variable_is_told_which", &environment).await;
}
