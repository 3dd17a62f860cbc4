//! The store under test, for an endpoint on this machine.

use std::time::Duration;

use tabletheory_aws::{Config, Credentials, DynamoDb, Retry, Timeouts};

/// Long enough to send a request on a busy machine, which now and then stands still for up to three seconds.
const MOMENT: Duration = Duration::from_secs(4);

/// A configuration that leaves nothing to the environment but a proxy, which `cargo xtask test` forbids for this machine's
/// own addresses. Three attempts, close together.
pub(crate) fn config(endpoint_url: &str) -> Config {
    Config {
        endpoint_url: Some(endpoint_url.to_owned()),
        region: Some("us-east-1".to_owned()),
        credentials: Some(Credentials::new("local", "local")),
        retry: Retry { max_attempts: 3, base_delay: Duration::from_millis(1) },
        ..Config::default()
    }
}

/// A store on that endpoint.
pub(crate) async fn connect(endpoint_url: &str) -> DynamoDb {
    DynamoDb::connect(config(endpoint_url)).await.expect("the configuration is complete")
}

/// A store that waits only a moment for the answer to each attempt.
pub(crate) async fn connect_impatient(endpoint_url: &str) -> DynamoDb {
    let timeouts = Timeouts { attempt: MOMENT, ..Timeouts::default() };
    DynamoDb::connect(Config { timeouts, ..config(endpoint_url) })
        .await
        .expect("the configuration is complete")
}

/// A store that waits only a moment for the answer to all attempts.
pub(crate) async fn connect_briefly(endpoint_url: &str) -> DynamoDb {
    let timeouts = Timeouts { total: MOMENT, ..Timeouts::default() };
    DynamoDb::connect(Config { timeouts, ..config(endpoint_url) })
        .await
        .expect("the configuration is complete")
}
