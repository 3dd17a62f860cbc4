//! Every item of a table, read by several segments at once.

use futures_util::future::try_join_all;
use tabletheory_core::Item;
use tabletheory_core::expr::{Condition, ProjectionExpression};
use tabletheory_core::store::op::{Scan, Segment};

use crate::error::Error;
use crate::side::Side;

/// What is read of a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    pub(crate) table: String,
    pub(crate) segments: u32,
    pub(crate) filter: Option<Condition>,
    pub(crate) projection: Option<ProjectionExpression>,
}

/// The key after which the next page begins.
pub(crate) type Next = Option<Item>;

impl Reading {
    /// Everything of a table.
    pub(crate) fn all(table: &str, segments: u32) -> Self {
        Self { table: table.to_owned(), segments, ..Self::default() }
    }

    /// Gives every page to `take`.
    pub(crate) async fn pages(&self, side: &Side, take: impl Fn(Vec<Item>) + Sync) -> Result<(), Error> {
        let take = &take;
        let segments = (0..self.segments.max(1)).map(|segment| async move {
            let mut next: Next = None;
            loop {
                let (items, after) = self.page(side, segment, next).await?;
                take(items);
                if after.is_none() {
                    return Ok(());
                }
                next = after;
            }
        });
        try_join_all(segments).await.map(drop)
    }

    /// One page of a segment, and where the next one begins.
    pub(crate) async fn page(
        &self,
        side: &Side,
        segment: u32,
        start: Next,
    ) -> Result<(Vec<Item>, Next), Error> {
        let total = self.segments.max(1);
        let scan = Scan {
            table: self.table.clone(),
            start_key: start,
            segment: (total > 1).then_some(Segment { segment, total }),
            filter: self.filter.clone(),
            projection: self.projection.clone(),
            consistent: true,
            ..Scan::default()
        };
        let page = side.ask(&self.table, scan).await?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }
}
