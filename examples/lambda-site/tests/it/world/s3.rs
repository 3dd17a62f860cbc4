//! An S3 in this process, on loopback: `s3s-fs`, which checks signatures and keeps objects as files.

use std::path::{Path, PathBuf};

use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(crate) const BUCKET: &str = "bodies";

/// Runs until it is dropped.
pub(crate) struct S3 {
    root: TempDir,
    port: u16,
    accepting: JoinHandle<()>,
}

impl S3 {
    /// A server with one empty bucket.
    pub(crate) async fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("local", "local"));
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

    /// What a function needs to reach it.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        let variables = [
            ("AWS_ENDPOINT_URL_S3", endpoint.as_str()),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
        ];
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    /// The objects below a prefix, as files.
    pub(crate) fn objects(&self, prefix: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.root.path().join(BUCKET).join(prefix), &mut found);
        found.sort();
        found
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let is_own = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            true => walk(&path, found),
            false if !is_own => found.push(path),
            false => {}
        }
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
