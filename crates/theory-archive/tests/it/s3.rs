//! The same on an S3 on loopback.

use std::sync::Arc;

use local_s3::{ACCESS_KEY_ID, LocalS3, REGION, SECRET_ACCESS_KEY};
use object_store::ObjectStore;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{ClientOptions, RetryConfig};

use crate::faulty::{Fault, Faulty};
use crate::world::{ENDS, World, archive_in, check_all_archived_once, drain, originals};

const BUCKET: &str = "archive";

fn bucket(server: &LocalS3, secret: &str) -> AmazonS3 {
    AmazonS3Builder::new()
        .with_bucket_name(BUCKET)
        .with_region(REGION)
        .with_endpoint(server.endpoint())
        .with_client_options(ClientOptions::new().with_allow_http(true))
        .with_access_key_id(ACCESS_KEY_ID)
        .with_secret_access_key(secret)
        .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
        .build()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_bucket_archivers_that_end_at_any_write_lose_and_duplicate_nothing() {
    const ITEMS: usize = 10_000;
    let (world, server) = (World::new().await, LocalS3::start(BUCKET).await.unwrap());
    world.expire(0..ITEMS).await;
    let bucket: Arc<dyn ObjectStore> = Arc::new(bucket(&server, SECRET_ACCESS_KEY));
    for last in [1, 700, 3000, usize::MAX] {
        let objects = Faulty::over(Arc::clone(&bucket), move |write, _| match write {
            write if write == last => Fault::WrittenHang,
            write if write > last => Fault::Hang,
            write if write % 97 == 13 => Fault::LostAnswer,
            _ => Fault::None,
        });
        let run = async {
            let mut follower = world.follow(archive_in(objects)).await.unwrap();
            drain(&mut follower).await.unwrap()
        };
        // What hangs is left alone once everything else has come to its end.
        let patience = std::time::Duration::from_secs(if last == usize::MAX { 300 } else { 4 });
        let ended = tokio::time::timeout(patience, run).await;
        assert_eq!(ended.is_ok(), last == usize::MAX);
    }
    check_all_archived_once(&archive_in(bucket), &originals(0..ITEMS, ENDS)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_is_not_ours_is_told_before_anything_is_read() {
    let (world, server) = (World::new().await, LocalS3::start(BUCKET).await.unwrap());
    world.expire(0..1).await;
    world.store.forget_calls();
    let error = world.follow(archive_in(Arc::new(bucket(&server, "wrong")))).await.unwrap_err();
    assert!(error.to_string().contains(".checkpoint/app/"), "{error}");
    assert_eq!(world.store.count("GetRecords"), 0);
}
