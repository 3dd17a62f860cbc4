//! What is left when a process, a disk or the power fails. A child process writes by a script and says what was
//! acknowledged; after it died, the folder must open, hold every acknowledged write and at most the one under way of each
//! writer, and nothing by half.

mod child;
mod damage;
mod disk;
mod kill;
mod laws;
mod script;

use tempfile::TempDir;

/// A folder whose fsync costs nothing where the system has one: hundreds are opened here, and none must last.
fn quick_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

/// A number that tests derive their chances from; `THEORY_SEED` repeats a run.
fn seed() -> u64 {
    let given = std::env::var("THEORY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| {
        use tabletheory_core::Entropy;
        u64::try_from(tabletheory_core::sys::SystemEntropy.bits() >> 96).unwrap()
    });
    println!("THEORY_SEED={seed}");
    seed
}

/// How much longer than usual the tests may take: `THEORY_CRASH_TIMES=10` looks at ten times as many places.
fn times() -> u64 {
    std::env::var("THEORY_CRASH_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}
