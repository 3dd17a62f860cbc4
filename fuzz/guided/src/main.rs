//! One program for all targets: `THEORY_FUZZ_TARGET` names the one that libFuzzer is to run. `cargo xtask prove` builds it with the
//! instrumentation that libFuzzer needs, and starts it.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use theory_fuzz::Target;

static TARGET: OnceLock<&'static Target> = OnceLock::new();

/// The target that the environment names.
fn named() -> &'static Target {
    let name = std::env::var("THEORY_FUZZ_TARGET").unwrap_or_default();
    theory_fuzz::target(&name).unwrap_or_else(|unknown| panic!("THEORY_FUZZ_TARGET: {unknown}"))
}

fuzz_target!(|bytes: &[u8]| {
    (TARGET.get_or_init(named).run)(bytes);
});
