//! The contract put to AWS's DynamoDB Local.

use std::sync::Arc;

use tabletheory_core::Store;
use tabletheory_core::store::contract::{DYNAMODB_LOCAL_2020, DynamoDbLocal, World};

use super::{hold, say};
use crate::client::connect;

#[tokio::test]
async fn the_contract_holds_for_dynamodb_local_through_the_sdk() {
    let Some(folder) = DynamoDbLocal::folder("the contract against it") else {
        say("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so the AWS store does not meet DynamoDB Local");
        return;
    };
    let local = DynamoDbLocal::start(&folder);
    let store: Arc<dyn Store> = Arc::new(connect(&format!("http://127.0.0.1:{}", local.port())).await);
    // The cases come one after the other, as the jar needs it: table updates that meet fail inside it.
    hold(|| {
        World::new(Arc::clone(&store))
            .with_pause(|span| Box::pin(tokio::time::sleep(span / 25)))
            .with_quirks(DYNAMODB_LOCAL_2020)
            .without_messages()
    })
    .await;
}
