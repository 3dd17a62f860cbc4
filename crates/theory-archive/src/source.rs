//! Where removals come from: a table whose stream carries the items that are removed.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tabletheory_core::schema::{StreamDescription, StreamView};
use tabletheory_core::store::op::{
    DescribeStream, DescribeTable, DescribeTimeToLive, ListStreams, StreamSummary,
};
use tabletheory_core::{Store, StoreError, StoreExt as _};

use crate::error::Error;

/// A table that was found fit to be archived.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) table: String,
    /// The attribute of its time to live, if items expire.
    pub(crate) ttl_attribute: Option<String>,
    /// Streams that are still to be read, the oldest first: one that was turned off can be read for a day.
    pub(crate) streams: VecDeque<String>,
    /// Streams that were found so far, the read ones too.
    found: BTreeSet<String>,
}

/// A stream of the table.
struct Found {
    arn: String,
    label: String,
    view: StreamView,
}

impl Source {
    /// Looks at the table, and changes nothing.
    pub(crate) async fn open(store: Arc<dyn Store>, table: &str) -> Result<Self, Error> {
        let (streams, found) = (VecDeque::new(), BTreeSet::new());
        let mut source = Self { store, table: table.to_owned(), ttl_attribute: None, streams, found };
        let newest = source.find_streams().await?;
        // A stream that records now has to carry what is removed, whatever the ones before it carried.
        match newest {
            None => return Err(Error::NoStream { table: source.table }),
            Some(view) if !carries_items(view) => return Err(source.no_old_images(view)),
            Some(_) => {}
        }
        let asked = DescribeTimeToLive { table: source.table.clone() };
        let ttl = source.store.describe_time_to_live(asked).await;
        source.ttl_attribute = ttl.map_err(|error| of_table(table, error))?.attribute;
        Ok(source)
    }

    /// The next stream to be read, if there is one by now. It stays the next one until it is taken out.
    pub(crate) async fn next_stream(&mut self) -> Result<Option<String>, Error> {
        if self.streams.is_empty()
            && let Some(view) = self.find_streams().await?
            && !carries_items(view)
            && self.streams.is_empty()
        {
            return Err(self.no_old_images(view));
        }
        Ok(self.streams.front().cloned())
    }

    /// Looks which streams the table has had since the last look, and tells what the newest of all carries. A stream may have been
    /// on and off in between, and the table names only its newest, on DynamoDB only one that is on: so all are listed.
    async fn find_streams(&mut self) -> Result<Option<StreamView>, Error> {
        let mut streams = self.listed().await?;
        if let Some(current) = self.current().await?
            && streams.iter().all(|stream| stream.arn != current.arn)
        {
            streams.push(current);
        }
        streams.sort_by(|one, other| one.label.cmp(&other.label));
        let newest = streams.last().map(|stream| stream.view);
        for Found { arn, view, .. } in streams {
            if self.found.insert(arn.clone()) && carries_items(view) {
                self.streams.push_back(arn);
            }
        }
        Ok(newest)
    }

    /// The stream that the table names.
    async fn current(&self) -> Result<Option<Found>, Error> {
        let described = self.store.describe_table(DescribeTable { table: self.table.clone() }).await;
        let stream = described.map_err(|error| of_table(&self.table, error))?.table.stream;
        Ok(stream.map(|StreamDescription { arn, label, view, .. }| Found { arn, label, view }))
    }

    /// The streams of the table that can still be read.
    async fn listed(&self) -> Result<Vec<Found>, Error> {
        let summaries = match list_streams(&*self.store, &self.table).await {
            Ok(summaries) => summaries,
            Err(error) if error.is_retryable() => return Err(of_table(&self.table, error)),
            // Who may read a stream may not always list them.
            Err(_) => return Ok(Vec::new()),
        };
        let mut streams = Vec::new();
        for StreamSummary { arn, label, .. } in summaries {
            let asked = DescribeStream { arn: arn.clone(), limit: Some(1), ..DescribeStream::default() };
            match self.store.describe_stream(asked).await {
                Ok(described) => streams.push(Found { arn, label, view: described.view }),
                // It has gone since it was listed.
                Err(StoreError::ResourceNotFound(_)) => {}
                Err(error) => return Err(of_table(&self.table, error)),
            }
        }
        Ok(streams)
    }

    fn no_old_images(&self, view: StreamView) -> Error {
        Error::NoOldImages { table: self.table.clone(), view }
    }
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

fn of_table(table: &str, source: StoreError) -> Error {
    Error::Table { table: table.to_owned(), source }
}
