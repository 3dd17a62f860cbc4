//! AWS's own linter for templates, put to every one of them. It knows the schema of each resource, and works without a network.

use std::path::PathBuf;
use std::process::Command;

use crate::scenes;

const PYTHON: &str = "THEORY_CFN_LINT";
const SKIP: &str = "THEORY_SKIP_CFN_LINT";
/// The program that the package installs, started without its path.
const LINT: &str = "import sys; from cfnlint.runner import main; sys.exit(main())";

/// The Python that has cfn-lint, or `None` if it is not wanted on this machine.
fn python() -> Option<PathBuf> {
    if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
        return None;
    }
    let place = std::env::var_os(PYTHON).map(PathBuf::from);
    Some(place.unwrap_or_else(|| {
        panic!(
            "{PYTHON} is not set: run `cargo xtask test`, which installs cfn-lint and sets it, or set {SKIP}=1 to do without it"
        )
    }))
}

#[test]
fn cfn_lint_finds_no_error_and_no_warning_in_any_template() {
    let Some(python) = python() else {
        eprintln!("SKIPPED: {SKIP}=1, so templates are not linted");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, template) in scenes::all() {
        std::fs::write(folder.path().join(format!("{name}.yaml")), template.to_yaml().unwrap()).unwrap();
        std::fs::write(folder.path().join(format!("{name}.json")), template.to_json().unwrap()).unwrap();
    }
    let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    // Two regions, because what a resource may be differs between them.
    let output = Command::new(python)
        .args(["-c", LINT, "--format", "parseable", "--regions", "us-east-1", "eu-central-1", "--"])
        .args(files)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let trouble = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.trim().is_empty(), "{said}{trouble}");
}

/// The linter is no rubber stamp: it refuses what is wrong.
#[test]
fn cfn_lint_refuses_a_template_that_is_wrong() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.yaml");
    let yaml = scenes::all().swap_remove(0).1.to_yaml().unwrap();
    std::fs::write(&file, yaml.replace("KeyType: HASH", "KeyType: HUSH")).unwrap();
    let output = Command::new(python).args(["-c", LINT, "--"]).arg(&file).output().unwrap();
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
