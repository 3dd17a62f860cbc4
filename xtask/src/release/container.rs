//! The image, from the folder of the release alone: there is no base image, so nothing is fetched for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::program::BUILDAH;
use crate::stage::succeed;
use crate::workspace::Workspace;

/// Builds the image as an archive that docker, podman and registries take, and says where it is.
pub(super) fn build(workspace: &Workspace, folder: &Path, out: &Path) -> Result<PathBuf> {
    BUILDAH.ensure()?;
    let version = workspace.version("theory")?;
    let image = out.join(format!("theory-{version}-oci.tar"));
    let tag = format!("theory:{version}");
    // No privileges are needed, and no container is started: the recipe only copies.
    let kept = ["--storage-driver", "vfs", "bud", "--isolation", "chroot", "--timestamp", "0", "--tag"];
    succeed(Command::new("buildah").args(kept).arg(&tag).arg(folder))?;
    if image.exists() {
        std::fs::remove_file(&image)?;
    }
    let target = format!("oci-archive:{}:{tag}", image.display());
    succeed(Command::new("buildah").args(["--storage-driver", "vfs", "push", &tag, &target]))?;
    Ok(image)
}
