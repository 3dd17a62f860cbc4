//! How an S3 on loopback is reached.

use facetheory::body::{S3Credentials, S3Settings};
use local_s3::{ACCESS_KEY_ID, LocalS3, REGION, SECRET_ACCESS_KEY};

pub(super) const BUCKET: &str = "pages";

/// An S3 with one empty bucket.
pub(super) async fn start() -> LocalS3 {
    LocalS3::start(BUCKET).await.unwrap()
}

/// How to reach an S3 at this address.
pub(super) fn settings(endpoint: &str) -> S3Settings {
    let (id, secret) = (ACCESS_KEY_ID.to_owned(), SECRET_ACCESS_KEY.to_owned());
    S3Settings {
        endpoint: Some(endpoint.to_owned()),
        path_style: true,
        credentials: S3Credentials::Keys { id, secret, session: None },
        ..S3Settings::new(BUCKET, REGION)
    }
}
