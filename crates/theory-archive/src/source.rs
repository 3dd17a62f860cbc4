//! Where removals come from: a table whose stream carries the items that are removed.

use std::collections::VecDeque;
use std::sync::Arc;

use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{
    DescribeStream, DescribeTable, DescribeTimeToLive, ListStreams, StreamSummary,
};
use tabletheory_core::{Store, StoreError, StoreExt as _};

use crate::error::ArchiveError;

/// A table that was found fit to be archived.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) table: String,
    /// The attribute of its time to live, if items expire.
    pub(crate) ttl_attribute: Option<String>,
    /// Its streams, the oldest first: one that was turned off can be read for a day.
    pub(crate) streams: VecDeque<String>,
}

impl Source {
    /// Looks at the table, and changes nothing.
    pub(crate) async fn open(store: Arc<dyn Store>, table: &str) -> Result<Self, ArchiveError> {
        let current = current_stream(&*store, table).await?;
        let ttl = store.describe_time_to_live(DescribeTimeToLive { table: table.to_owned() }).await;
        let ttl_attribute = ttl.map_err(|source| of_table(table, source))?.attribute;
        let mut streams = older_streams(&*store, table, &current).await?;
        streams.push_back(current);
        Ok(Self { store, table: table.to_owned(), ttl_attribute, streams })
    }

    /// The newest stream of the table, if it is not this one.
    pub(crate) async fn stream_after(&self, last: &str) -> Result<Option<String>, ArchiveError> {
        let current = current_stream(&*self.store, &self.table).await?;
        Ok((current != last).then_some(current))
    }
}

/// The newest stream of the table, which has to carry what is removed.
async fn current_stream(store: &dyn Store, table: &str) -> Result<String, ArchiveError> {
    let described = store.describe_table(DescribeTable { table: table.to_owned() }).await;
    let described = described.map_err(|source| of_table(table, source))?.table;
    let Some(stream) = described.stream else {
        return Err(ArchiveError::NoStream { table: table.to_owned() });
    };
    match carries_items(stream.view) {
        true => Ok(stream.arn),
        false => Err(ArchiveError::NoOldImages { table: table.to_owned(), view: stream.view }),
    }
}

/// Streams of the table before this one that can still be read, the oldest first.
async fn older_streams(
    store: &dyn Store,
    table: &str,
    current: &str,
) -> Result<VecDeque<String>, ArchiveError> {
    let mut summaries = match list_streams(store, table).await {
        Ok(summaries) => summaries,
        Err(error) if error.is_retryable() => return Err(of_table(table, error)),
        // Who may read a stream may not always list them.
        Err(_) => return Ok(VecDeque::new()),
    };
    summaries.retain(|summary| summary.arn != current);
    summaries.sort_by(|one, other| one.label.cmp(&other.label));
    let mut streams = VecDeque::new();
    for StreamSummary { arn, .. } in summaries {
        let asked = DescribeStream { arn: arn.clone(), ..DescribeStream::default() };
        match store.describe_stream(asked).await {
            Ok(described) if carries_items(described.view) => streams.push_back(arn),
            // It carries no items, or has gone since it was listed.
            Ok(_) | Err(StoreError::ResourceNotFound(_)) => {}
            Err(error) => return Err(of_table(table, error)),
        }
    }
    Ok(streams)
}

async fn list_streams(store: &dyn Store, table: &str) -> Result<Vec<StreamSummary>, StoreError> {
    let (mut streams, mut start_after) = (Vec::new(), None);
    loop {
        let asked =
            ListStreams { table: Some(table.to_owned()), start_after: start_after.clone(), limit: None };
        let page = store.list_streams(asked).await?;
        streams.extend(page.streams);
        // A page that ends where it began would be asked for forever.
        if page.last_evaluated.is_none() || page.last_evaluated == start_after {
            return Ok(streams);
        }
        start_after = page.last_evaluated;
    }
}

fn carries_items(view: StreamView) -> bool {
    matches!(view, StreamView::OldImage | StreamView::NewAndOldImages)
}

fn of_table(table: &str, source: StoreError) -> ArchiveError {
    ArchiveError::Table { table: table.to_owned(), source }
}
