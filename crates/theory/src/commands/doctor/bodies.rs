//! Where bodies of pages are: a folder, or a bucket.

use bytes::Bytes;
use facetheory::Bodies;
use facetheory::body::{BodyKey, BodySettings, S3Settings};
use theory_gateway::settings::{BodyPlace, Settings};

use super::finding::Finding;
use super::{disk, server};

pub(super) async fn examine(settings: &Settings) -> Option<Finding> {
    Some(match &settings.bodies {
        BodyPlace::Memory => Finding::ok("bodies", "in memory, and forgotten at the end"),
        BodyPlace::Folder(folder) => disk::examine("bodies", folder),
        BodyPlace::S3 { prefix, .. } => {
            let s3 = settings.bodies.s3().expect("it is a bucket");
            bucket(&S3Settings { retries_max: 0, ..s3 }, prefix).await
        }
    })
}

/// Writes a small body and reads it again. It is the same one every time, and the sweep takes it away as it does every body that no
/// page names.
async fn bucket(s3: &S3Settings, prefix: &str) -> Finding {
    let place = format!("s3://{}/{prefix}", s3.bucket);
    let probed = async {
        let open = || {
            let settings = BodySettings { prefix: prefix.to_owned(), ..BodySettings::default() };
            Bodies::s3(s3)?.with_settings(settings)
        };
        let key = BodyKey::new("CACHE#doctor", "probe");
        let stored = open()?.put(&key, Bytes::from_static(b"theory doctor was here")).await?;
        // Whoever has put a body remembers it; another reader has to ask the bucket.
        open()?.get(key.as_str(), Some(&stored)).await
    };
    let advice = "see that the bucket is there and in this region, and that the credentials of the environment may put and get objects";
    match tokio::time::timeout(server::PATIENCE * 2, probed).await {
        Ok(Ok(Some(_))) => Finding::ok("bodies", format!("{place} can be written and read")),
        Ok(Ok(None)) => {
            Finding::fail("bodies", format!("{place} does not give back what was written"), advice)
        }
        Ok(Err(error)) => {
            Finding::fail("bodies", format!("{place}: {:#}", anyhow::Error::new(error)), advice)
        }
        Err(_) => Finding::fail("bodies", format!("{place} does not answer"), advice),
    }
}
