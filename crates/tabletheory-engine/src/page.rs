//! One page of a query or scan: walk the rows of a span, stop at the limit or at 1 MB, filter, project.

use std::ops::Deref;

use tabletheory_core::expr::{Condition, ProjectionExpression};
use tabletheory_core::limits::PAGE_BYTES_MAX;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::capacity::ReturnCapacity;
use tabletheory_core::store::op::{PageOutput, Select};
use tabletheory_core::{Item, StoreError};

use crate::cache::{Asked, Known};
use crate::capacity::{Charge, Kind, Tally, read_units};
use crate::codec;
use crate::kv::{Direction, KvError, Snapshot};
use crate::layout::Span;
use crate::table::{Index, Table};
use crate::validate::invalid;
use crate::view::View;

/// What a page returns of each item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Returned {
    /// Only how many there are.
    Count,
    /// The row as the table or index has it.
    Row,
    /// The row's item, from the table if the index does not carry all of it.
    Item,
    /// These paths.
    Paths(ProjectionExpression),
}

impl Returned {
    /// What `select` and `projection` ask for, if they go together.
    pub(crate) fn new(
        select: Option<Select>,
        projection: Option<ProjectionExpression>,
        index: Option<&Index>,
    ) -> Result<Self, StoreError> {
        let wrong = |message: &str| Err(StoreError::validation(message));
        match (select, projection) {
            (None | Some(Select::SpecificAttributes), Some(projection)) => Ok(Self::Paths(projection)),
            (Some(Select::SpecificAttributes), None) => wrong(
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
            ),
            (Some(Select::Count), Some(_)) => {
                wrong("Cannot specify the ProjectionExpression when choosing to get only the Count")
            }
            (Some(Select::AllAttributes), Some(_)) => {
                wrong("Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES")
            }
            (Some(Select::AllProjectedAttributes), Some(_)) => {
                wrong("Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES")
            }
            (Some(Select::AllProjectedAttributes), None) if index.is_none() => {
                wrong("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
            }
            (Some(Select::Count), None) => Ok(Self::Count),
            (Some(Select::AllAttributes), None) => Ok(Self::Item),
            (None | Some(Select::AllProjectedAttributes), None) => Ok(Self::Row),
        }
    }
}

/// A page to be read.
#[derive(Debug)]
pub(crate) struct Page<'p> {
    pub table: &'p Table,
    pub index: Option<&'p Index>,
    pub span: Span,
    pub forward: bool,
    pub limit: Option<u32>,
    pub filter: Option<Condition>,
    pub returned: Returned,
    pub consistent: bool,
    pub return_capacity: ReturnCapacity,
}

/// What reading a page has gathered so far.
#[derive(Debug, Default)]
struct Gathered {
    items: Vec<Item>,
    count: u64,
    scanned: u64,
    bytes: usize,
    /// Bytes of items that were fetched from the table because the index does not carry all of them.
    fetched: Vec<usize>,
}

impl Page<'_> {
    /// Reads the page.
    pub(crate) fn read(&self, view: &View<'_>) -> Result<PageOutput, StoreError> {
        self.check_index_use()?;
        let mut gathered = Gathered::default();
        let last_evaluated_key = match self.span.is_empty() {
            true => None,
            false => self.gather(view, &mut gathered)?,
        };
        let capacity = self.capacity(&gathered);
        Ok(PageOutput {
            items: (self.returned != Returned::Count).then_some(gathered.items),
            count: gathered.count,
            scanned_count: gathered.scanned,
            last_evaluated_key,
            capacity,
        })
    }

    /// Visits the rows, from memory or from the storage, until the page is full. Says where that was, if not behind the last row.
    fn gather(&self, view: &View<'_>, gathered: &mut Gathered) -> Result<Option<Item>, StoreError> {
        let rows = self.index.map_or(&self.table.rows, |index| &index.rows);
        let direction = if self.forward { Direction::Forward } else { Direction::Backward };
        let needs_item = self.needs_item();
        // Whole items have to be those of the moment of their index rows, which only a snapshot can tell.
        let cache = view.ground.cache.as_ref().filter(|_| !needs_item);
        let asked = Asked { rows: rows.number, span: &self.span, direction, limit: self.limit };
        let mut draft = match cache.map(|cache| cache.known(asked)) {
            Some(Known::Run(run)) => return self.visit(run.rows().map(Ok), None, gathered, |_| {}),
            Some(Known::TooLittle(draft)) => draft,
            None => None,
        };
        let snapshot = view.ground.kv.snapshot();
        let range = snapshot.range(&rows.space, self.span.bounds(), direction);
        let stored = range.map(|row| row.map(|(_, stored)| stored));
        let full_at = self.visit(stored, needs_item.then_some(&snapshot), gathered, |row| {
            if let (Some(cache), Some(draft)) = (cache, draft.take_if(|draft| !draft.push(row))) {
                cache.give_up(&draft);
            }
        })?;
        // A page that is cut at 1 MB is full because of a row that is not in it.
        let is_cut = full_at.is_some() && self.limit.is_none_or(|limit| gathered.scanned < u64::from(limit));
        if let (Some(cache), Some(draft), false) = (cache, draft, is_cut) {
            cache.keep(draft);
        }
        Ok(full_at)
    }

    /// As [`gather`](Self::gather). Whole items are fetched from `items`, if rows are not enough; every row that is taken is told.
    fn visit<R: Deref<Target = [u8]>>(
        &self,
        rows: impl Iterator<Item = Result<R, KvError>>,
        items: Option<&Snapshot>,
        gathered: &mut Gathered,
        mut told: impl FnMut(&[u8]),
    ) -> Result<Option<Item>, StoreError> {
        let mut decoder = codec::Decoder::default();
        let mut last: Option<R> = None;
        for row in rows {
            let stored = row?;
            let item = decoder.decode(&stored)?;
            let bytes = item_bytes(&item);
            if let Some(last) = last.filter(|_| gathered.bytes + bytes > PAGE_BYTES_MAX) {
                return self.position(&last).map(Some);
            }
            told(&stored);
            self.take(items, item, bytes, gathered)?;
            if self.limit.is_some_and(|limit| gathered.scanned >= u64::from(limit)) {
                return self.position(&stored).map(Some);
            }
            last = Some(stored);
        }
        Ok(None)
    }

    fn take(
        &self,
        items: Option<&Snapshot>,
        row: Item,
        bytes: usize,
        gathered: &mut Gathered,
    ) -> Result<(), StoreError> {
        gathered.scanned += 1;
        gathered.bytes += bytes;
        // The filter sees the row as the index carries it, whatever is fetched for the answer.
        if self.filter.as_ref().is_some_and(|filter| !filter.holds(&row)) {
            return Ok(());
        }
        gathered.count += 1;
        let item = match items {
            Some(snapshot) => self.fetch(snapshot, &row, gathered)?,
            None => row,
        };
        match &self.returned {
            Returned::Count => {}
            Returned::Row | Returned::Item => gathered.items.push(item),
            Returned::Paths(projection) => gathered.items.push(projection.apply(&item)),
        }
        Ok(())
    }

    /// The whole item of an index row.
    fn fetch(&self, snapshot: &Snapshot, row: &Item, gathered: &mut Gathered) -> Result<Item, StoreError> {
        let row_key = self.table.shape.row_key(row).expect("an index row carries the table's key");
        let stored = snapshot.get(&self.table.rows.space, &row_key)?;
        let item = stored.map(|bytes| codec::decode(&bytes)).transpose()?.unwrap_or_else(|| row.clone());
        gathered.fetched.push(item_bytes(&item));
        Ok(item)
    }

    /// Where a row is: its key in the index, and in the table.
    fn position(&self, stored: &[u8]) -> Result<Item, StoreError> {
        let row = codec::decode(stored)?;
        let index_keys = self.index.map(|index| index.shape.attributes());
        let names = index_keys.into_iter().flatten().chain(self.table.shape.attributes());
        Ok(names.map(|name| (name, row.get(name).cloned().expect("a row carries its key"))).collect())
    }

    /// Attributes that the request asks for and the index does not carry.
    fn beyond_index(&self, index: &Index) -> Vec<&str> {
        match &self.returned {
            Returned::Paths(projection) => index.lacks(self.table, &projection.attributes()),
            Returned::Count | Returned::Row | Returned::Item => Vec::new(),
        }
    }

    /// Whether rows of the index are not enough. Only local indexes reach back to their table.
    fn needs_item(&self) -> bool {
        let Some(index) = self.index.filter(|index| !index.global) else { return false };
        let whole = self.returned == Returned::Item
            && index.spec.projection != tabletheory_core::schema::Projection::All;
        whole || !self.beyond_index(index).is_empty()
    }

    fn check_index_use(&self) -> Result<(), StoreError> {
        let Some(index) = self.index else { return Ok(()) };
        let name = &index.spec.name;
        if !index.global {
            return Ok(());
        }
        if self.consistent {
            return Err(StoreError::validation(
                "Consistent reads are not supported on global secondary indexes",
            ));
        }
        if index.spec.backfilling {
            return Err(StoreError::validation(format!(
                "Cannot read from backfilling global secondary index: {name}"
            )));
        }
        if self.returned == Returned::Item
            && index.spec.projection != tabletheory_core::schema::Projection::All
        {
            return Err(invalid(format!(
                "Select type ALL_ATTRIBUTES is not supported for global secondary index {name} because its projection \
                 type is not ALL"
            )));
        }
        let missing = self.beyond_index(index);
        if !missing.is_empty() {
            return Err(invalid(format!(
                "Global secondary index {name} does not project [{}]",
                missing.join(", ")
            )));
        }
        Ok(())
    }

    fn capacity(&self, gathered: &Gathered) -> Option<tabletheory_core::store::capacity::ConsumedCapacity> {
        let mut tally = Tally::new(self.table, self.return_capacity, Kind::Read, false);
        let charge = Charge::read(self.consistent);
        let units = read_units(gathered.bytes, charge);
        match self.index {
            None => tally.add_table(units),
            Some(index) => tally.add_index(index, units),
        }
        gathered.fetched.iter().for_each(|bytes| tally.add_table(read_units(*bytes, charge)));
        tally.into_capacity()
    }
}
