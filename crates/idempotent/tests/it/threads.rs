//! What is shared between threads and kept in the state of servers can be: a field that cannot be sent would break every application
//! at once, so it breaks this test first.

use idempotent::{Attempt, Error, Idempotency, IdempotencyLayer, Idempotent, Response};

fn is_shared<T: Send + Sync + 'static>() {}

#[test]
fn everything_that_applications_keep_is_shared_between_threads() {
    is_shared::<Idempotency>();
    is_shared::<Attempt>();
    is_shared::<Response>();
    is_shared::<IdempotencyLayer>();
    is_shared::<Idempotent<()>>();
    is_shared::<Error>();
}
