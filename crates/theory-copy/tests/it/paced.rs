//! Copies that are told to be slow.

use std::time::Duration;

use tabletheory::testing::{TestStore, Trouble};
use theory_copy::TableCopy;
use theory_copy::pace::Rate;

use crate::world::{arc, copy, fill, items, make, pair, run, side};

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_turn_does_not_use_up_patience() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 25).await;
    // Patience lasts for five seconds, and the batch takes twenty-five.
    let rate = Rate { items: Some(1), units: None };
    let slow = TableCopy { segments: 1, rate, ..copy(side(&from, "a"), side(&to, "b")) };
    let (pairs, journal) = ([pair("users", "users")], folder.path().join("journal"));
    let (reports, ()) = tokio::join!(run(&slow, &pairs, &journal), async {
        tokio::time::sleep(Duration::from_secs(12)).await;
        to.trouble("BatchWriteItem", Trouble::Throttled);
    });
    assert!(reports.unwrap()[0].is_equal());
    assert_eq!(items(&to, "users").await, items(&from, "users").await);
}
