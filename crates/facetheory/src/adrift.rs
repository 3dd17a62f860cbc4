//! Leases whose render was dropped because nobody waited for it any more. Nothing here spawns a task that could give them
//! back, so the next who wants the page in this process does; else a visitor who reloads would wait for his own lease.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::key::PageKey;
use crate::meta::Lease;

/// The leases of this process that nobody works under.
#[derive(Debug, Default)]
pub(crate) struct Adrift(Mutex<HashMap<PageKey, Lease>>);

/// A lease that somebody works under. Dropped before it is ended, it is adrift.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    adrift: &'a Adrift,
    page: &'a PageKey,
    lease: Option<Lease>,
}

impl Adrift {
    pub(crate) fn hold<'a>(&'a self, page: &'a PageKey, lease: Lease) -> Held<'a> {
        Held { adrift: self, page, lease: Some(lease) }
    }

    /// The lease of a page that is adrift.
    pub(crate) fn take(&self, page: &PageKey) -> Option<Lease> {
        self.0.lock().remove(page)
    }
}

impl Held<'_> {
    pub(crate) fn lease(&mut self) -> &mut Lease {
        self.lease.as_mut().expect("it is there until it is ended")
    }

    /// The lease, which is given back, spent or lost now.
    pub(crate) fn end(mut self) -> Lease {
        self.lease.take().expect("it is ended once")
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else { return };
        let mut leases = self.adrift.0.lock();
        // What is over needs no giving back, so no more are remembered than a lease's time brings.
        let now = Instant::now();
        leases.retain(|_, lease| lease.ends() > now);
        leases.insert(self.page.clone(), lease);
    }
}
