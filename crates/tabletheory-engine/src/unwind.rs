//! Panics as values: where a broken invariant must be told to the one who met it, and not end the thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `call`, or gives the message it panicked with. What the call changes by a reference may be left half done: the
/// caller gives it up.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| message(&*panic).to_owned())
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
