//! The library that moves a process's clock: libfaketime.

use std::path::PathBuf;

/// The environment variable with the library; `cargo xtask test` sets it.
const VARIABLE: &str = "THEORY_FAKETIME";
const SKIP: &str = "THEORY_SKIP_FAKETIME";

/// The library, or `None` if the fleet is not wanted on this machine.
///
/// # Panics
/// If nobody said where it is, nor that it shall be skipped: a test that is silently absent proves nothing.
pub(crate) fn find() -> Option<PathBuf> {
    if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
        eprintln!("SKIPPED: {SKIP}=1, so no fleet of processes with wrong clocks is tried");
        return None;
    }
    let place = std::env::var_os(VARIABLE).map(PathBuf::from);
    Some(place.unwrap_or_else(|| {
        panic!(
            "{VARIABLE} is not set: run `cargo xtask test`, which installs libfaketime and sets it, or set {SKIP}=1 to do \
             without the fleet of processes with wrong clocks"
        )
    }))
}
