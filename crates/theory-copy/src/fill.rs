//! Attributes that items lack, given to those that lack them. An item that has one keeps it, and one that is deleted meanwhile stays
//! deleted; so doing it twice, or going on after a crash, does no harm.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::try_join_all;
use tabletheory_core::expr::{Action, Condition, Path, ProjectionExpression, SetOperand, SetValue, Update};
use tabletheory_core::store::op::UpdateItem;
use tabletheory_core::{Item, StoreError, Value};

use crate::error::Error;
use crate::scan::Reading;
use crate::side::Side;

/// So many items of a segment are written at once.
const AT_ONCE: usize = 16;

/// Attributes of a table that items may lack, and what is missing of each.
#[derive(Debug, Clone)]
pub struct Filling {
    table: String,
    keys: Vec<String>,
    values: Vec<(String, Value)>,
    segments: u32,
}

impl Filling {
    /// Values for attributes of a table.
    ///
    /// # Errors
    /// If the table is missing, or an attribute is part of its key.
    pub async fn open(
        side: &Side,
        table: &str,
        values: Vec<(String, Value)>,
        segments: u32,
    ) -> Result<Self, Error> {
        let no_table = || Error::NoTable { table: table.to_owned(), store: side.name.clone() };
        let described = side.describe(table).await?.ok_or_else(no_table)?;
        let keys: Vec<String> = described.keys.into_iter().map(|key| key.name).collect();
        if let Some((attribute, _)) = values.iter().find(|(name, _)| keys.contains(name)) {
            return Err(Error::KeyAttribute { table: table.to_owned(), attribute: attribute.clone() });
        }
        Ok(Self { table: table.to_owned(), keys, values, segments })
    }

    /// How many items lack one of the attributes. Nothing is changed.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn count(&self, side: &Side) -> Result<u64, Error> {
        let lacking = AtomicU64::new(0);
        let take = |items: Vec<Item>| {
            lacking.fetch_add(u64::try_from(items.len()).unwrap_or(u64::MAX), Ordering::Relaxed);
        };
        self.reading().pages(side, take).await?;
        Ok(lacking.into_inner())
    }

    /// Gives the attributes to the items that lack them, and tells how many those were. `tell` is called with how many more.
    ///
    /// # Errors
    /// If the store does not answer. What was filled stays, and doing it again does the rest.
    pub async fn run(&self, side: &Side, tell: &(dyn Fn(u64) + Sync)) -> Result<u64, Error> {
        let filled = AtomicU64::new(0);
        let (reading, counted) = (self.reading(), &filled);
        let reading = &reading;
        let segments = (0..self.segments.max(1)).map(|segment| async move {
            let mut next = None;
            loop {
                let (items, after) = reading.page(side, segment, next).await?;
                for batch in items.chunks(AT_ONCE) {
                    let done = try_join_all(batch.iter().map(|key| self.fill(side, key))).await?;
                    let done =
                        u64::try_from(done.into_iter().filter(|done| *done).count()).unwrap_or(u64::MAX);
                    counted.fetch_add(done, Ordering::Relaxed);
                    tell(done);
                }
                if after.is_none() {
                    return Ok::<(), Error>(());
                }
                next = after;
            }
        });
        try_join_all(segments).await?;
        Ok(filled.into_inner())
    }

    /// The keys of the items that lack something.
    fn reading(&self) -> Reading {
        let lacks = self.values.iter().map(|(name, _)| Condition::AttributeNotExists(Path::attribute(name)));
        let paths = self.keys.iter().map(Path::attribute).collect();
        Reading {
            filter: lacks.reduce(|first, second| Condition::Or(Box::new(first), Box::new(second))),
            projection: Some(ProjectionExpression { paths }),
            ..Reading::all(&self.table, self.segments)
        }
    }

    /// Whether the item is still there to be filled.
    async fn fill(&self, side: &Side, key: &Item) -> Result<bool, Error> {
        let set = |(name, value): &(String, Value)| {
            let path = Path::attribute(name);
            let own = SetOperand::IfNotExists(path.clone(), Box::new(SetOperand::Value(value.clone())));
            Action::Set(path, SetValue::Operand(own))
        };
        let update = UpdateItem {
            table: self.table.clone(),
            key: key.clone(),
            update: Some(Update { actions: self.values.iter().map(set).collect() }),
            // An item that somebody deletes now is not made again.
            condition: Some(Condition::AttributeExists(Path::attribute(&self.keys[0]))),
            ..UpdateItem::default()
        };
        match side.ask(&self.table, update).await {
            Ok(_) => Ok(true),
            Err(Error::Store { source: StoreError::ConditionalCheckFailed { .. }, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
