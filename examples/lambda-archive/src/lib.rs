//! A function on the stream of a table: each item that time to live removes becomes one object in a bucket. What cannot be written
//! down comes again, from the first record on that could not.

use theory_lambda::{BoxError, Function, Process};

/// Initialises the function: once for each process.
///
/// # Errors
/// If the environment names no bucket.
pub async fn init(process: Process) -> Result<Function, BoxError> {
    Ok(Function::archiving(process.archive()?))
}
