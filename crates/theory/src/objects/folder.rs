//! Objects in a folder of this machine. Each is a file that is there after a power failure.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;

/// The folder, which has to be there.
pub(super) fn open(folder: &Path) -> anyhow::Result<Arc<dyn ObjectStore>> {
    if !folder.exists() {
        bail!("there is no folder {}; give one that is there, or s3://BUCKET/PREFIX", folder.display());
    }
    let files = LocalFileSystem::new_with_prefix(folder)
        .with_context(|| format!("the folder {} cannot be used", folder.display()))?;
    Ok(Arc::new(files.with_fsync(true)))
}

/// The folder, which is made if it is not there.
pub(super) fn open_or_make(folder: &Path) -> anyhow::Result<Arc<dyn ObjectStore>> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    open(folder)
}
