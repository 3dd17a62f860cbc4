//! An S3 on loopback, in the process of a test: `s3s-fs`, which checks signatures and keeps objects as files.

use std::io;
use std::path::{Path, PathBuf};

use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The only key that it knows.
pub const ACCESS_KEY_ID: &str = "local";
/// The secret of that key.
pub const SECRET_ACCESS_KEY: &str = "local";
/// The region in which requests are signed.
pub const REGION: &str = "us-east-1";

/// A server with one bucket. It runs until it is dropped.
#[derive(Debug)]
pub struct LocalS3 {
    root: TempDir,
    bucket: String,
    endpoint: String,
    accepting: JoinHandle<()>,
}

impl LocalS3 {
    /// A server with one empty bucket. Needs a tokio runtime with input and output.
    ///
    /// # Errors
    /// If there is no port or no folder for it.
    pub async fn start(bucket: &str) -> io::Result<Self> {
        let root = tempfile::tempdir()?;
        std::fs::create_dir(root.path().join(bucket))?;
        let files = s3s_fs::FileSystem::new(root.path())
            .map_err(|error| io::Error::other(format!("the folder cannot be served: {error:?}")))?;
        let mut service = S3ServiceBuilder::new(files);
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let endpoint = format!("http://{}", listener.local_addr()?);
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
        Ok(Self { root, bucket: bucket.to_owned(), endpoint, accepting })
    }

    /// Where it listens, such as `http://127.0.0.1:40001`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The name of its bucket.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// What a process needs in its environment to reach it as an AWS SDK would.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, &str); 4] {
        [
            ("AWS_ENDPOINT_URL_S3", &self.endpoint),
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID),
            ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
        ]
    }

    /// The folder of the bucket.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.root.path().join(&self.bucket)
    }

    /// The objects whose names begin with this folder, as files, in order.
    #[must_use]
    pub fn objects(&self, below: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.folder().join(below), &mut found);
        found.sort();
        found
    }
}

/// The files below a folder, but for those that the server keeps for itself.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let is_own = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            true => walk(&path, found),
            false if !is_own => found.push(path),
            false => {}
        }
    }
}

impl Drop for LocalS3 {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
