//! The instrumentation that libFuzzer reads: those flags that cargo-fuzz passes for a build without sanitizers, but for
//! `--cfg fuzzing`: what is fuzzed here is what is shipped.

/// Counters on every edge, a table of their places, and the operands of comparisons. One unit for each crate, because the pass makes
/// symbols that several units of one crate would have twice.
pub(super) const FLAGS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];
