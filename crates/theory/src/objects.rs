//! Where objects lie, as it is said on the command line: in a folder of this machine, or in a bucket.

mod bucket;
#[cfg(feature = "aws")]
mod credentials;
mod folder;

use std::sync::Arc;

use anyhow::{Context as _, bail};
use futures_util::TryStreamExt as _;
use object_store::ObjectStore;
use object_store::path::Path;

/// What a place in a bucket begins with.
const BUCKET: &str = "s3://";

/// Objects at a place that was found to be there.
#[derive(Debug, Clone)]
pub(crate) struct Objects {
    /// Where they are.
    pub(crate) store: Arc<dyn ObjectStore>,
    /// What their names begin with.
    pub(crate) prefix: Path,
    /// What people call the place.
    pub(crate) name: String,
}

impl Objects {
    /// Opens a place for writing: a folder is made if it is not there, a bucket has to be.
    pub(crate) async fn open_or_make(place: &str) -> anyhow::Result<Self> {
        Self::of(place, folder::open_or_make).await
    }

    /// Opens a place that has to be there.
    pub(crate) async fn open(place: &str) -> anyhow::Result<Self> {
        Self::of(place, folder::open).await
    }

    async fn of(
        place: &str,
        folder: impl FnOnce(&std::path::Path) -> anyhow::Result<Arc<dyn ObjectStore>>,
    ) -> anyhow::Result<Self> {
        let name = place.to_owned();
        let Some(rest) = place.strip_prefix(BUCKET) else {
            if place.is_empty() || place.contains("://") {
                bail!("{place:?} is no place for objects; give a folder, or s3://BUCKET/PREFIX");
            }
            return Ok(Self { store: folder(place.as_ref())?, prefix: Path::default(), name });
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            bail!("{place:?} names no bucket; say s3://BUCKET/PREFIX");
        }
        let prefix = Path::parse(prefix).with_context(|| {
            format!("{place:?} has a prefix that objects cannot have; say s3://BUCKET/PREFIX")
        })?;
        let objects = Self { store: bucket::connect(bucket).await?, prefix, name };
        objects.look().await?;
        Ok(objects)
    }

    /// Whether names are listed in their order, as buckets do, but for directory buckets.
    pub(crate) fn is_listed_in_order(&self) -> bool {
        let bucket = self.name.strip_prefix(BUCKET).map(|rest| rest.split('/').next().unwrap_or_default());
        bucket.is_some_and(|bucket| !bucket.ends_with("--x-s3"))
    }

    /// Asks for one name, so that a bucket that cannot be reached, or is not ours, is told before anything is begun.
    async fn look(&self) -> anyhow::Result<()> {
        let asked = self.store.list(Some(&self.prefix)).try_next().await;
        asked.map(drop).with_context(|| {
            format!(
                "{} cannot be read; check that the bucket is there, and that the credentials may list it (s3:ListBucket)",
                self.name
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_is_a_folder_or_a_bucket() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_str().unwrap();
        assert_eq!(Objects::open(place).await.unwrap().prefix, Path::default());

        let below = folder.path().join("a/b");
        let place = below.to_str().unwrap();
        assert!(Objects::open(place).await.unwrap_err().to_string().contains("there is no folder"));
        assert!(!below.exists(), "looking makes nothing");
        Objects::open_or_make(place).await.unwrap();
        assert!(below.is_dir());
    }

    #[tokio::test]
    async fn what_is_no_place_is_refused_by_name() {
        for (place, said) in [
            ("", "is no place for objects"),
            ("http://host/x", "is no place for objects"),
            ("gs://bucket", "is no place for objects"),
            ("s3://", "names no bucket"),
            ("s3:///x", "names no bucket"),
            ("s3://bucket/a/../b", "has a prefix that objects cannot have"),
        ] {
            let refused = Objects::open(place).await.unwrap_err();
            assert!(refused.to_string().contains(said), "{place}: {refused}");
        }
    }
}
