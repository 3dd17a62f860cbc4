//! The contract put to the service itself, when the environment says in which account and under which names.

use std::sync::Arc;

use tabletheory_aws::{Config, DynamoDb};
use tabletheory_core::store::contract::World;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock, Store};

use super::{hold, say};

/// The environment variable with the beginning of the names of the tables that the cases make and remove, at most 60 letters.
const PREFIX: &str = "THEORY_CONTRACT_TABLE_PREFIX";

#[tokio::test]
async fn the_contract_holds_for_the_service_where_it_is_configured() {
    let Some(prefix) = std::env::var(PREFIX).ok().filter(|prefix| !prefix.is_empty()) else {
        say(&format!(
            "NOT CONFIGURED: the AWS store does not meet the service itself; set {PREFIX}, AWS_REGION and credentials of \
             an account where tables may be made and removed"
        ));
        return;
    };
    // A run of its own: the account remembers the tokens of transactions, which follow from the names, for ten minutes.
    let prefix = format!("{prefix}.{}.{}", std::process::id(), SystemClock.now().millis());
    let config = Config::from_env().expect("the environment is well formed");
    let store: Arc<dyn Store> = Arc::new(DynamoDb::connect(config).await.expect("there is a region"));
    hold(|| {
        World::new(Arc::clone(&store))
            .with_prefix(prefix.clone())
            .with_pause(|span| Box::pin(tokio::time::sleep(span)))
    })
    .await;
}
