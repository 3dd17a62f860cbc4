//! What is shared between threads and kept in the state of servers can be: a field that cannot be sent would break every application
//! at once, so it breaks this test first.

use limited::{Decision, Error, Limiter, RateLimit, RateLimitLayer, Reservation};

fn is_shared<T: Send + Sync + 'static>() {}

#[test]
fn everything_that_applications_keep_is_shared_between_threads() {
    is_shared::<Limiter>();
    is_shared::<Decision>();
    is_shared::<Reservation>();
    is_shared::<RateLimitLayer>();
    is_shared::<RateLimit<()>>();
    is_shared::<limited::slots::Slots>();
    is_shared::<Error>();
}
