//! The archive: the same bytes whenever the same folder is packed at the same commit, and its checksum beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::program::TAR;
use crate::stage::succeed;
use crate::workspace::{Workspace, output};

/// Packs the folder `name` below `out`, and says where the archive is.
pub(super) fn pack(workspace: &Workspace, out: &Path, name: &str) -> Result<PathBuf> {
    TAR.ensure()?;
    let file = format!("{name}.tar.gz");
    let mut git = Command::new("git");
    git.current_dir(workspace.root()).args(["log", "-1", "--format=%ct"]);
    // Times, owners, modes and the order of a folder are accidents of the machine that packs it.
    let moment = format!("--mtime=@{}", output(&mut git)?.trim());
    let mut tar = Command::new("tar");
    tar.current_dir(out).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", &moment]);
    tar.arg("--mode=u=rwX,go=rX");
    succeed(tar.args(["--use-compress-program", "gzip -9n", "-cf", &file, name]))?;
    let archive = out.join(&file);
    let bytes = std::fs::read(&archive).with_context(|| format!("cannot read {}", archive.display()))?;
    std::fs::write(out.join(format!("{file}.sha256")), checksum(&bytes, &file))?;
    Ok(archive)
}

/// The line that `sha256sum --check` reads.
fn checksum(bytes: &[u8], file: &str) -> String {
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}  {file}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_as_its_checker_reads_it() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.tar.gz\n";
        assert_eq!(checksum(b"", "a.tar.gz"), empty);
    }
}
