//! Ten thousand items expire while everything goes wrong: archivers end in the middle, writes fail, answers are lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use object_store::path::Path;
use tabletheory_core::{Entropy as _, SeededEntropy};
use tokio::time::timeout;

use crate::faulty::{Fault, Faulty};
use crate::world::{ENDS, World, archive_in, check_all_archived_once, drain, originals};

const ITEMS: usize = 10_000;

#[tokio::test(start_paused = true)]
async fn archivers_that_end_at_any_write_lose_and_duplicate_nothing() {
    let world = World::new().await;
    world.expire(0..ITEMS).await;
    let entropy = SeededEntropy::new(8);
    let random = |below: u128| usize::try_from(entropy.bits() % below).unwrap();
    let mut ended = 0;
    loop {
        // This archiver gets so far, and then one of its writes is the last, done or not.
        let (last, is_done) = (random(2500), random(2) == 0);
        let objects = Faulty::over(Arc::clone(&world.objects), move |write, _| match write {
            write if write < last => Fault::None,
            write if write == last && is_done => Fault::WrittenHang,
            _ => Fault::Hang,
        });
        let run = async {
            let mut follower = world.follow(archive_in(objects)).await?;
            drain(&mut follower).await
        };
        match timeout(Duration::from_secs(60), run).await {
            Err(_) => ended += 1,
            Ok(whole) => {
                whole.unwrap();
                break;
            }
        }
    }
    assert!(ended >= 4, "only {ended} archivers ended in the middle");
    let again = world.archive_all().await;
    assert_eq!((again.archived, again.present), (0, 0), "everything is noted as read");
    check_all_archived_once(&world.archive(), &originals(0..ITEMS, ENDS)).await;
}

#[tokio::test(start_paused = true)]
async fn writes_that_fail_and_answers_that_are_lost_lose_and_duplicate_nothing() {
    let world = World::new().await;
    world.expire(0..ITEMS).await;
    // The trouble passes: of the four attempts that an archiver makes, at most three fail. It is counted for each object, because
    // the order in which objects come again is random, and a count over all of them would now and then refuse one for good.
    let attempts: Mutex<HashMap<Path, usize>> = Mutex::default();
    let objects = Faulty::over(Arc::clone(&world.objects), move |write, path| {
        let mut attempts = attempts.lock().unwrap();
        let attempt = attempts.entry(path.clone()).or_default();
        *attempt += 1;
        match write {
            _ if *attempt > 3 => Fault::None,
            write if write % 7 == 3 => Fault::Refused,
            write if write % 11 == 5 => Fault::LostAnswer,
            _ => Fault::None,
        }
    });
    let mut follower = world.follow(archive_in(objects)).await.unwrap();
    let sum = drain(&mut follower).await.unwrap();
    assert_eq!((sum.archived + sum.present, sum.dead), (ITEMS as u64, 0), "{sum:?}");
    assert!(sum.present > 100, "objects whose answer was lost are found: {sum:?}");
    check_all_archived_once(&world.archive(), &originals(0..ITEMS, ENDS)).await;
}

#[tokio::test(start_paused = true)]
async fn two_archivers_at_once_write_each_object_once() {
    let world = World::new().await;
    world.expire(0..2000).await;
    let (mut one, mut other) =
        (world.follow(world.archive()).await.unwrap(), world.follow(world.archive()).await.unwrap());
    let (one, other) = tokio::join!(drain(&mut one), drain(&mut other));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.archived + other.archived, 2000, "{one:?} {other:?}");
    assert_eq!(one.present + other.present, 2000, "{one:?} {other:?}");
    check_all_archived_once(&world.archive(), &originals(0..2000, ENDS)).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_without_conditions_is_written_once_by_one_archiver_after_another() {
    let world = World::new().await;
    world.expire(0..50).await;
    let objects = Faulty::over(Arc::clone(&world.objects), |_, _| Fault::NoConditions);
    let mut follower = world.follow(archive_in(objects)).await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap().archived, 50);
    check_all_archived_once(&world.archive(), &originals(0..50, ENDS)).await;
}

#[tokio::test(start_paused = true)]
async fn an_object_store_that_is_gone_stops_the_archiver_where_it_is() {
    let world = World::new().await;
    world.expire(0..100).await;
    let is_gone = Arc::new(AtomicUsize::new(0));
    let gone = Arc::clone(&is_gone);
    let objects = Faulty::over(Arc::clone(&world.objects), move |write, _| {
        if write > 40 && gone.load(Ordering::SeqCst) == 0 { Fault::Refused } else { Fault::None }
    });
    let mut follower = world.follow(archive_in(objects)).await.unwrap();
    let error = drain(&mut follower).await.unwrap_err();
    assert!(error.to_string().starts_with("record 0"), "{error}");
    // It is asked again, and goes on with the same records.
    is_gone.store(1, Ordering::SeqCst);
    let sum = drain(&mut follower).await.unwrap();
    assert_eq!(sum.archived + sum.present, 100, "{sum:?}");
    check_all_archived_once(&world.archive(), &originals(0..100, ENDS)).await;
}

/// What came of a batch was forgotten when its follower was stopped while it noted how far it had read: dead letters were not told.
#[tokio::test(start_paused = true)]
async fn what_came_of_a_batch_is_told_though_noting_it_was_cut_short() {
    let world = World::new().await;
    world.expire(0..3).await;
    let notes = AtomicUsize::new(0);
    let objects = Faulty::over(Arc::clone(&world.objects), move |_, path| {
        // The first is written when the archive is opened.
        let is_second = path.as_ref().contains("checkpoint") && notes.fetch_add(1, Ordering::SeqCst) == 1;
        if is_second { Fault::Hang } else { Fault::None }
    });
    let mut follower = world.follow(archive_in(objects)).await.unwrap();
    timeout(Duration::from_secs(60), follower.next()).await.unwrap_err();
    let progress = follower.settle().await.unwrap().expect("nobody was told of it");
    assert_eq!(progress.outcome.archived, 3);
    assert!(follower.settle().await.unwrap().is_none(), "it is told once");
}

#[tokio::test]
async fn an_archive_that_cannot_be_written_is_told_before_anything_is_read() {
    let world = World::new().await;
    world.expire(0..1).await;
    let objects = Faulty::over(Arc::clone(&world.objects), |_, _| Fault::Denied);
    world.store.forget_calls();
    let error = world.follow(archive_in(objects)).await.unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
    assert_eq!(world.store.count("GetRecords"), 0);
}
