//! Where the clients are that are not Rust: a Python with boto3 and the AWS command line, and a folder of JavaScript modules.

use std::path::{Path, PathBuf};

/// The environment variables with the places; `cargo xtask test` sets them.
const PYTHON: &str = "THEORY_PYTHON";
pub(crate) const NODE_MODULES: &str = "THEORY_NODE_MODULES";
const SKIP: &str = "THEORY_SKIP_CLIENTS";

/// The clients, or `None` if their tests are not wanted on this machine.
///
/// # Panics
/// If nobody said where they are, nor that they shall be skipped: a test that is silently absent proves nothing.
pub(crate) fn find() -> Option<Tools> {
    if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
        return None;
    }
    let place = |variable| std::env::var_os(variable).map(PathBuf::from);
    let (Some(python), Some(node_modules)) = (place(PYTHON), place(NODE_MODULES)) else {
        panic!(
            "{PYTHON} and {NODE_MODULES} are not set: run `cargo xtask test`, which installs boto3, the AWS command line and \
         the AWS SDK for JavaScript and sets both, or set {SKIP}=1 to do without the tests with real clients"
        );
    };
    Some(Tools { python, node_modules })
}

/// The places.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    /// A program.
    pub(crate) python: PathBuf,
    /// A folder.
    pub(crate) node_modules: PathBuf,
}

/// A file beside the clients' scripts.
pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}
