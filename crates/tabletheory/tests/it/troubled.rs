//! Stores that behave as DynamoDB does on a bad day: tables that take their time, batches that are done in part, a program
//! that is killed.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use tabletheory::testing::TestStore;
use tabletheory_core::schema::TableStatus;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::BatchWriteItemOutput;
use tabletheory_core::{Request, Response, Store, StoreError};

/// A store whose tables are shown in the making for some time, whose batches are done in part, or which ends.
#[derive(Debug, Clone)]
pub(crate) struct Troubled {
    pub(crate) inner: TestStore,
    /// How often a table is still shown in the making.
    pub(crate) creating: Arc<AtomicUsize>,
    /// Of how many batches only the first write is done.
    pub(crate) partial: Arc<AtomicUsize>,
    /// After how many batches nothing is answered any more.
    pub(crate) batches_left: Arc<AtomicUsize>,
}

impl Troubled {
    pub(crate) fn new() -> Self {
        Self {
            inner: TestStore::new(),
            creating: Arc::default(),
            partial: Arc::default(),
            batches_left: Arc::new(AtomicUsize::new(usize::MAX)),
        }
    }

    /// Whether nothing is answered any more.
    pub(crate) fn is_dead(&self) -> bool {
        self.batches_left.load(Ordering::SeqCst) == 0
    }

    /// Does the work until it is done, or is given up half way because the store is dead.
    pub(crate) async fn until_dead<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if self.is_dead() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    async fn answer(&self, request: Request) -> Result<Response, StoreError> {
        match request {
            Request::DescribeTable(_) => {
                let mut response = self.inner.call(request).await?;
                if let Response::DescribeTable(output) = &mut response
                    && take(&self.creating)
                {
                    output.table.status = TableStatus::Creating;
                }
                Ok(response)
            }
            Request::BatchWriteItem(mut batch) => {
                if self.is_dead() {
                    std::future::pending::<()>().await;
                }
                let mut unprocessed = BatchWriteItemOutput::default().unprocessed;
                if take(&self.partial) {
                    for (table, writes) in &mut batch.tables {
                        let rest = writes.split_off(1);
                        if !rest.is_empty() {
                            unprocessed.insert(table.clone(), rest);
                        }
                    }
                }
                let mut response = self.inner.call(Request::BatchWriteItem(batch)).await?;
                if let Response::BatchWriteItem(output) = &mut response {
                    output.unprocessed = unprocessed;
                }
                take(&self.batches_left);
                Ok(response)
            }
            other => self.inner.call(other).await,
        }
    }
}

/// Counts down, and says whether there was something to count.
fn take(count: &AtomicUsize) -> bool {
    count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

impl Store for Troubled {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(self.answer(request))
    }
}
