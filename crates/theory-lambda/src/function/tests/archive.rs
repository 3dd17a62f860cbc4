//! Records of a stream that are archived.

use std::sync::Arc;
use std::time::Duration;

use object_store::memory::InMemory;
use object_store::throttle::{ThrottleConfig, ThrottledStore};
use serde_json::json;
use theory_archive::{Archive, ArchiveSettings};
use theory_synth::metric;

use super::world::World;
use crate::function::Function;

/// A timeout threw away what was archived before it: a batch that took too long came again from its first record, for ever.
#[tokio::test(start_paused = true)]
async fn records_that_were_archived_in_time_do_not_come_again() {
    let world = World::new();
    let slow = ThrottleConfig { wait_put_per_call: Duration::from_secs(1), ..ThrottleConfig::default() };
    let settings = ArchiveSettings { concurrency: 1, ..ArchiveSettings::default() };
    let bucket = Arc::new(ThrottledStore::new(InMemory::new(), slow));
    let function = Function::archiving(Archive::new(bucket, "").with_settings(settings));
    let record = |number: u32| {
        json!({
            "eventID": format!("e{number}"), "eventName": "REMOVE", "eventSource": "aws:dynamodb",
            "userIdentity": { "type": "Service", "principalId": "dynamodb.amazonaws.com" },
            "dynamodb": {
                "ApproximateCreationDateTime": 1_704_067_260, "SequenceNumber": number.to_string(),
                "StreamViewType": "OLD_IMAGE",
                "Keys": { "id": { "S": "a" } }, "OldImage": { "id": { "S": "a" } },
            },
        })
    };
    let records: Vec<_> = (1..=5).map(record).collect();
    let answer = world.invoke(&function, json!({ "Records": records })).await.unwrap();
    assert_eq!(answer, json!({ "batchItemFailures": [{ "itemIdentifier": "3" }] }));
    let told = world.told();
    assert_eq!((&told[metric::ARCHIVED], &told[metric::ARCHIVE_FAILED]), (&json!(2), &json!(1)), "{told}");
}
