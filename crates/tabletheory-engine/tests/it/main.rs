//! What the engine promises beyond one process: crashes, full disks, failing fsyncs.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod faults;
mod kv_faults;
mod kv_size;
