//! The library that moves a process's clock, which the tests load into the workers of a fleet.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::program;

/// The environment variable that tells tests the library.
pub(crate) const VARIABLE: &str = "THEORY_FAKETIME";
/// The environment variable that, with the value 1, does without.
pub(crate) const SKIP: &str = "THEORY_SKIP_FAKETIME";

/// The library; it is installed the first time. One named by [`VARIABLE`] is used as it is.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(chosen) = std::env::var_os(VARIABLE) {
        return Ok(PathBuf::from(chosen));
    }
    program::FAKETIME.ensure()?;
    // Where it lies differs from system to system; what the program starts has it in memory, and can tell.
    let told = Command::new(program::FAKETIME.name)
        .args(["-f", "+0s", "grep", "-m", "1", "-o", "/.*libfaketime[^ ]*", "/proc/self/maps"])
        .output()
        .context("faketime does not start")?;
    let library = std::str::from_utf8(&told.stdout).context("faketime names its library in text")?.trim();
    let library = PathBuf::from(library);
    ensure!(library.is_file(), "what faketime starts does not have its library, libfaketime");
    Ok(library)
}
