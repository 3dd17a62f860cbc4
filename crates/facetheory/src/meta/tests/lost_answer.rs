//! Answers that were lost, before and after the effect, once and each time.

use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, StoreError};

use super::world::{TERM, World, published};
use crate::meta::{
    Acquire, Begun, Claimed, Commit, Ended, Group, Intent, Purge, Purged, Refresh, Release, Rollback,
};
use crate::record::RequestStatus;

const LOST: [Trouble; 2] = [Trouble::LostRequest, Trouble::LostAnswer];

/// F5: a retried acquire lost to itself, and the page was not rendered for a whole lease.
#[tokio::test]
async fn an_acquire_does_not_lose_to_itself() {
    for trouble in LOST {
        let world = World::new().await;
        world.trouble("UpdateItem", trouble.clone());
        let lease = world.acquire().await;
        let (sent, read) = (world.store.count("UpdateItem"), world.store.count("BatchGetItem"));
        assert_eq!((sent, read), (2, 0), "{trouble:?}: its double is granted by the condition itself");
        assert_eq!(world.lock().await.unwrap().lease_token, lease.token(), "{trouble:?}");
    }
}

#[tokio::test]
async fn an_acquire_whose_every_answer_is_lost_is_settled_by_the_row() {
    let world = World::new().await;
    world.trouble("UpdateItem", Trouble::LostRequest);
    world.trouble("UpdateItem", Trouble::LostAnswer);
    let lease = world.acquire().await;
    drop(lease);
    world.trouble("UpdateItem", Trouble::LostAnswer);
    let refused = world.meta.try_acquire(&world.page, TERM).await.unwrap();
    assert!(matches!(refused, Acquire::Held { .. }), "{refused:?}");
}

#[tokio::test]
async fn an_acquire_that_nothing_can_settle_is_an_error() {
    let world = World::new().await;
    world.trouble("UpdateItem", Trouble::LostAnswer);
    world.trouble("UpdateItem", Trouble::LostAnswer);
    world.trouble("BatchGetItem", Trouble::Refused(StoreError::AccessDenied("no".to_owned())));
    assert!(world.meta.try_acquire(&world.page, TERM).await.unwrap_err().is_ambiguous());
}

#[tokio::test]
async fn a_refresh_is_settled() {
    for trouble in LOST {
        let world = World::new().await;
        let mut lease = world.acquire().await;
        world.store.advance(Seconds(10));
        world.trouble("UpdateItem", trouble.clone());
        assert_eq!(world.meta.refresh(&mut lease, TERM).await.unwrap(), Refresh::Extended);
        assert_eq!(lease.expires_at().seconds(), world.lock().await.unwrap().lease_expires_at);
        world.store.advance(Seconds(10));
        (0..2).for_each(|_| world.trouble("UpdateItem", trouble.clone()));
        let answer = world.meta.refresh(&mut lease, TERM).await;
        match trouble {
            Trouble::LostAnswer => assert_eq!(answer.unwrap(), Refresh::Extended),
            _ => assert!(answer.unwrap_err().is_ambiguous(), "ours, and nobody knows until when"),
        }
        assert!(lease.expires_at().seconds() <= world.lock().await.unwrap().lease_expires_at);
    }
}

#[tokio::test]
async fn a_release_is_settled() {
    for trouble in LOST {
        let world = World::new().await;
        let lease = world.acquire().await;
        world.trouble("DeleteItem", trouble.clone());
        assert_eq!(world.meta.release(lease).await.unwrap(), Release::Released, "{trouble:?}");
        assert_eq!(world.lock().await, None);
        let lease = world.acquire().await;
        (0..2).for_each(|_| world.trouble("DeleteItem", trouble.clone()));
        let answer = world.meta.release(lease).await;
        assert_eq!(answer.is_ok(), world.lock().await.is_none(), "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_counted_once() {
    for trouble in LOST {
        let world = World::new().await;
        let lease = world.acquire().await;
        world.trouble("TransactWriteItems", trouble.clone());
        world.meta.fail(lease, world.now() + Seconds(5), "origin").await.unwrap();
        assert_eq!(world.lock().await.unwrap().fail_count, 1, "{trouble:?}");
        world.store.advance(Seconds(5));
        let lease = world.acquire().await;
        world.trouble("TransactWriteItems", trouble.clone());
        let answer = world.impatient().fail(lease, world.now(), "origin").await;
        assert_eq!(answer.is_ok(), world.lock().await.unwrap().fail_count == 2, "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_is_settled() {
    for trouble in LOST {
        let world = World::new().await;
        let intent = Intent::from_request_id("r-1");
        world.trouble("TransactWriteItems", trouble.clone());
        let lease = world.claim(&intent).await;
        assert_eq!(world.request(&intent).await.unwrap().attempt, Some(1));
        world.meta.release(lease).await.unwrap();
        world.trouble("TransactWriteItems", trouble.clone());
        let answer = world.impatient().claim(&world.page, &intent, TERM).await;
        match trouble {
            Trouble::LostAnswer => assert!(matches!(answer, Ok(Claimed::Granted(_)))),
            _ => assert!(answer.unwrap_err().is_ambiguous()),
        }
    }
}

/// F4: a publish whose answer was lost was told as failed, though it was done.
#[tokio::test(start_paused = true)]
async fn a_publish_whose_answer_is_lost_is_sent_again_byte_for_byte() {
    for trouble in LOST {
        let world = World::new().await;
        let lease = world.acquire().await;
        let ground = world.ground(&lease).await;
        world.calls();
        (0..3).for_each(|_| world.trouble("TransactWriteItems", trouble.clone()));
        let meta = published(world.meta.commit_version(&lease, &ground, &world.draft("b/1")).await.unwrap());
        assert_eq!(world.row().await, Some(meta));
        let sent: Vec<_> =
            world.store.calls().into_iter().filter(|call| call.name() == "TransactWriteItems").collect();
        assert_eq!(sent.len(), 4);
        assert!(sent.windows(2).all(|pair| pair[0] == pair[1]), "{trouble:?}");
    }
}

#[tokio::test]
async fn a_publish_that_was_done_is_known_by_its_token() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    world.trouble("TransactWriteItems", Trouble::LostAnswer);
    let commit = world.impatient().commit(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(published(commit).s3_key, "b/1");
}

#[tokio::test]
async fn a_publish_of_which_nothing_is_known_is_unknown() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    world.trouble("TransactWriteItems", Trouble::LostRequest);
    let commit = world.impatient().commit(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Unknown);
    // Whoever still has the lease may publish after all.
    published(world.meta.commit(&lease, &ground, &world.draft("b/1")).await.unwrap());
}

/// The page was published, the answer lost, and another page is there already: ours or not ours cannot be told.
#[tokio::test]
async fn a_publish_that_was_followed_by_another_is_unknown() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    world.trouble("TransactWriteItems", Trouble::LostAnswer);
    let mut refused = std::pin::pin!(async {
        world.trouble("BatchGetItem", Trouble::Refused(StoreError::AccessDenied("no".to_owned())));
        world.impatient().commit(&lease, &ground, &world.draft("b/1")).await.unwrap()
    });
    assert_eq!(refused.as_mut().await, Commit::Unknown, "the page could not be read");
    world.publish("b/2").await;
    world.trouble("TransactWriteItems", Trouble::LostRequest);
    let late = world.impatient().commit(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(late, Commit::Unknown);
    assert_eq!(world.row().await.unwrap().s3_key, "b/2");
}

/// G17d: a conflict or throttling was told as a lost lease, and never tried again.
#[tokio::test(start_paused = true)]
async fn a_publish_waits_out_conflicts_and_throttling() {
    for trouble in [Trouble::Conflict, Trouble::Throttled, Trouble::NotReached] {
        let world = World::new().await;
        let lease = world.acquire().await;
        let ground = world.ground(&lease).await;
        (0..2).for_each(|_| world.trouble("TransactWriteItems", trouble.clone()));
        published(world.meta.commit(&lease, &ground, &world.draft("b/1")).await.unwrap());
        let lease = world.acquire().await;
        let ground = world.ground(&lease).await;
        world.trouble("TransactWriteItems", trouble.clone());
        let answer = world.impatient().commit(&lease, &ground, &world.draft("b/2")).await;
        assert!(answer.is_err_and(|error| !error.is_ambiguous()), "nothing was written, and nobody has won");
        published(world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn a_purge_is_repeated_until_it_is_answered() {
    for trouble in LOST {
        let world = World::new().await;
        world.publish("b/1").await;
        world.trouble("TransactWriteItems", trouble.clone());
        assert_eq!(world.meta.invalidate(&world.page, Purge::Gone).await.unwrap(), Purged::Page);
        assert_eq!(world.epoch().await, Some(1), "{trouble:?}");
        (0..2).for_each(|_| world.trouble("PutItem", trouble.clone()));
        let purged = world.meta.invalidate_group(None, Group::Tag("a"), Purge::Stale).await.unwrap();
        let journal = world.meta.get(&world.page).await.unwrap().journal.unwrap();
        assert_eq!(purged, Purged::Group(journal.epoch), "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rollback_is_settled() {
    for trouble in LOST {
        let world = World::new().await;
        world.publish_version("b/1").await;
        world.publish_version("b/2").await;
        let id = world.meta.versions(&world.page, None).await.unwrap().versions[1].id.clone();
        world.trouble("TransactWriteItems", trouble.clone());
        let answer = world.impatient().rollback(&world.page, &id, Seconds(60)).await;
        match trouble {
            Trouble::LostAnswer => assert!(matches!(answer, Ok(Rollback::Shown(_)))),
            _ => assert!(answer.unwrap_err().is_ambiguous()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn intents_alone_are_settled() {
    for trouble in LOST {
        let world = World::new().await;
        let intent = Intent::from_message_id("m-1");
        world.trouble("TransactWriteItems", trouble.clone());
        let begun = world.meta.begin_request(&world.page, &intent, "me", TERM).await.unwrap();
        assert_eq!(begun, Begun::Started);
        assert_eq!(world.request(&intent).await.unwrap().attempt, Some(1));
        world.trouble("TransactWriteItems", trouble.clone());
        let answer = world.impatient().complete_request(&world.page, &intent, "me", "b/1").await;
        let done = world.request(&intent).await.unwrap().status == RequestStatus::Completed;
        assert_eq!(matches!(answer, Ok(Ended::Recorded)), done, "{trouble:?}");
        assert_eq!(answer.is_err_and(|error| error.is_ambiguous()), !done, "{trouble:?}");
    }
}

#[tokio::test]
async fn an_intent_begun_alone_is_known_by_its_owner() {
    let world = World::new().await;
    let intent = Intent::from_message_id("m-1");
    world.trouble("TransactWriteItems", Trouble::LostAnswer);
    let begun = world.impatient().begin_request(&world.page, &intent, "me", TERM).await.unwrap();
    assert_eq!(begun, Begun::Started);
    world.trouble("TransactWriteItems", Trouble::LostAnswer);
    let other = world.impatient().begin_request(&world.page, &intent, "you", TERM).await;
    assert!(other.unwrap_err().is_ambiguous());
}
