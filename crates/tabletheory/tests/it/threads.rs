//! What is shared between threads and kept in the state of servers can be: a field that cannot be sent would break every application
//! at once, so it breaks this test first.

use tabletheory::lease::{Lease, LeaseManager};

fn is_shared<T: Send + Sync + 'static>() {}

#[test]
fn everything_that_applications_keep_is_shared_between_threads() {
    is_shared::<tabletheory::Db>();
    is_shared::<tabletheory::Error>();
    is_shared::<Lease>();
    is_shared::<LeaseManager>();
}
