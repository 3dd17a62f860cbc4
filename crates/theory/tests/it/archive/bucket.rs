//! An S3 in this process, on loopback, with one bucket: `s3s-fs`, which checks signatures and keeps objects as files.

use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Runs until it is dropped.
pub(crate) struct Bucket {
    _root: TempDir,
    pub(crate) address: String,
    accepting: JoinHandle<()>,
}

impl Bucket {
    /// The bucket `archive`, of the keys of these tests.
    pub(crate) async fn start() -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(root.path().join("archive")).expect("a folder for the bucket");
        let files = s3s_fs::FileSystem::new(root.path()).expect("a folder is there");
        let mut service = S3ServiceBuilder::new(files);
        service.set_auth(SimpleAuth::from_single(super::KEYS.access, super::KEYS.secret));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("it listens"));
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
        Self { _root: root, address, accepting }
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
