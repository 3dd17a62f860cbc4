//! Templates as they are deployed: reviewed as text, linted, compared with the tables that the runtime makes.

#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions as tests, but not the functions they share"
)]

mod recorded;
