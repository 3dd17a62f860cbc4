//! How a template is written, and what all of them can be told.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use theory_synth::{DIRECT_BYTES_MAX, Template};

use crate::output::paper;

/// How a template is written.
#[derive(Debug, Args)]
pub(super) struct PaperFlags {
    /// Write JSON.
    #[arg(long = "json")]
    is_json: bool,
    /// Write YAML, which is what is written anyway.
    #[arg(long = "yaml", conflicts_with = "is_json")]
    is_yaml: bool,
    /// The file to write. Without one the template goes to the standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Leave alarms out.
    #[arg(long = "no-alarms")]
    pub(super) has_no_alarms: bool,
    /// Let other stacks import the outputs, as <stack>-<output>.
    #[arg(long = "export")]
    pub(super) is_exported: bool,
    /// A tag of everything that can have tags; more than one may be given.
    #[arg(long = "tag", value_name = "KEY=VALUE", value_parser = pair)]
    pub(super) tags: Vec<(String, String)>,
}

impl PaperFlags {
    /// Writes a template. The file is there whole, or as it was.
    pub(super) fn write(&self, template: &Template) -> anyhow::Result<()> {
        let text = if self.is_json { template.to_json()? } else { template.to_yaml()? };
        match &self.out {
            None => paper::text_of(&text)?,
            Some(file) => {
                replace(file, &text).with_context(|| format!("cannot write {}", file.display()))?;
                paper::aside(format_args!("wrote {}", file.display()));
            }
        }
        if text.len() > DIRECT_BYTES_MAX {
            paper::aside(format_args!(
                "note: the template has {} bytes, and one of more than {DIRECT_BYTES_MAX} must lie in S3 when it is deployed: \
                 aws cloudformation deploy --s3-bucket …",
                text.len()
            ));
        }
        Ok(())
    }
}

/// A draft beside the file takes its place when all of it is on the disk.
fn replace(file: &Path, text: &str) -> anyhow::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut draft = tempfile::Builder::new()
        .prefix(".theory-synth-")
        .permissions(permissions())
        .tempfile_in(folder)
        .with_context(|| format!("the folder {} takes no file", folder.display()))?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(file)?;
    Ok(())
}

/// A template is no secret: others may read it, as they may read any file that is written.
#[cfg(unix)]
fn permissions() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o644)
}

#[cfg(not(unix))]
fn permissions() -> std::fs::Permissions {
    std::fs::metadata(".").expect("this folder is there").permissions()
}

/// `NAME=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`"))?;
    Ok((name.to_owned(), value.to_owned()))
}
