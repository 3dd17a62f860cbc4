//! The same on S3: `s3s-fs` in this process, on loopback, which checks signatures and keeps objects as files.

use std::sync::Arc;

use hyper_util::rt::TokioIo;
use object_store::ObjectStore;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{ClientOptions, RetryConfig};
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::faulty::{Fault, Faulty};
use crate::world::{ENDS, World, archive_in, check_all_archived_once, drain, originals};

const BUCKET: &str = "archive";

/// Runs until it is dropped.
struct S3Server {
    _root: TempDir,
    port: u16,
    accepting: JoinHandle<()>,
}

impl S3Server {
    async fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("id", "secret"));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepting = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let http = hyper::server::conn::http1::Builder::new();
                    // A client that goes away is no failure of the test.
                    let _ = http.serve_connection(TokioIo::new(connection), service).await;
                });
            }
        });
        Self { _root: root, port, accepting }
    }

    fn bucket(&self, secret: &str) -> AmazonS3 {
        AmazonS3Builder::new()
            .with_bucket_name(BUCKET)
            .with_region("us-east-1")
            .with_endpoint(format!("http://127.0.0.1:{}", self.port))
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_access_key_id("id")
            .with_secret_access_key(secret)
            .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
            .build()
            .unwrap()
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_bucket_archivers_that_end_at_any_write_lose_and_duplicate_nothing() {
    const ITEMS: usize = 10_000;
    let (world, server) = (World::new().await, S3Server::start().await);
    world.expire(0..ITEMS).await;
    let bucket: Arc<dyn ObjectStore> = Arc::new(server.bucket("secret"));
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
    let (world, server) = (World::new().await, S3Server::start().await);
    world.expire(0..1).await;
    world.store.forget_calls();
    let error = world.follow(archive_in(Arc::new(server.bucket("wrong")))).await.unwrap_err();
    assert!(error.to_string().contains(".checkpoint/app/"), "{error}");
    assert_eq!(world.store.count("GetRecords"), 0);
}
