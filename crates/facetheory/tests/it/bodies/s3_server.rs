//! An S3 in this process, on loopback: `s3s-fs`, which checks signatures and keeps objects as files.

use std::path::PathBuf;

use facetheory::body::{S3Credentials, S3Settings};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(super) const BUCKET: &str = "pages";

/// Runs until it is dropped.
pub(super) struct S3Server {
    root: TempDir,
    port: u16,
    accepting: JoinHandle<()>,
}

impl S3Server {
    /// A server with one empty bucket.
    pub(super) async fn start() -> Self {
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
        Self { root, port, accepting }
    }

    /// How to reach it.
    pub(super) fn settings(&self) -> S3Settings {
        settings(self.port)
    }

    /// Where the objects lie as files.
    pub(super) fn bucket_folder(&self) -> PathBuf {
        self.root.path().join(BUCKET)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// How to reach an S3 on this port of loopback.
pub(super) fn settings(port: u16) -> S3Settings {
    S3Settings {
        endpoint: Some(format!("http://127.0.0.1:{port}")),
        path_style: true,
        credentials: S3Credentials::Keys { id: "id".to_owned(), secret: "secret".to_owned(), session: None },
        ..S3Settings::new(BUCKET, "us-east-1")
    }
}
