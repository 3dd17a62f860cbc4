//! One page of a query or scan: walk the rows of a span, stop at the limit or at 1 MB, filter, project.

use tabletheory_core::expr::{Condition, ProjectionExpression};
use tabletheory_core::limits::PAGE_BYTES_MAX;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::capacity::ReturnCapacity;
use tabletheory_core::store::op::{PageOutput, Select};
use tabletheory_core::{Item, StoreError};

use crate::capacity::{Charge, Kind, Tally, read_units};
use crate::codec;
use crate::kv::{Bytes, Direction, Snapshot};
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
    /// The last row that was visited, as it is stored.
    last: Option<Bytes>,
    /// Bytes of items that were fetched from the table because the index does not carry all of them.
    fetched: Vec<usize>,
}

impl Page<'_> {
    /// Reads the page.
    pub(crate) fn read(&self, view: &View<'_>) -> Result<PageOutput, StoreError> {
        self.check_index_use()?;
        let snapshot = view.ground.kv.snapshot();
        let mut gathered = Gathered::default();
        let mut ended = true;
        if !self.span.is_empty() {
            let rows = self.index.map_or(&self.table.rows, |index| &index.rows);
            let direction = if self.forward { Direction::Forward } else { Direction::Backward };
            let needs_item = self.needs_item();
            let mut decoder = codec::Decoder::default();
            for row in snapshot.range(&rows.space, self.span.bounds(), direction) {
                let (_, stored) = row?;
                let item = decoder.decode(&stored)?;
                let bytes = item_bytes(&item);
                if gathered.bytes + bytes > PAGE_BYTES_MAX && gathered.scanned > 0 {
                    ended = false;
                    break;
                }
                gathered.last = Some(stored);
                self.take(&snapshot, item, bytes, needs_item, &mut gathered)?;
                if self.limit.is_some_and(|limit| gathered.scanned >= u64::from(limit)) {
                    ended = false;
                    break;
                }
            }
        }
        let capacity = self.capacity(&gathered);
        let last_evaluated_key = match gathered.last {
            Some(stored) if !ended => Some(self.position(&codec::decode(&stored)?)),
            _ => None,
        };
        Ok(PageOutput {
            items: (self.returned != Returned::Count).then_some(gathered.items),
            count: gathered.count,
            scanned_count: gathered.scanned,
            last_evaluated_key,
            capacity,
        })
    }

    fn take(
        &self,
        snapshot: &Snapshot,
        row: Item,
        bytes: usize,
        needs_item: bool,
        gathered: &mut Gathered,
    ) -> Result<(), StoreError> {
        gathered.scanned += 1;
        gathered.bytes += bytes;
        // The filter sees the row as the index carries it, whatever is fetched for the answer.
        if self.filter.as_ref().is_some_and(|filter| !filter.holds(&row)) {
            return Ok(());
        }
        gathered.count += 1;
        let item = if needs_item { self.fetch(snapshot, &row, gathered)? } else { row };
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
    fn position(&self, row: &Item) -> Item {
        let index_keys = self.index.map(|index| index.shape.attributes());
        let names = index_keys.into_iter().flatten().chain(self.table.shape.attributes());
        names.map(|name| (name, row.get(name).cloned().expect("a row carries its key"))).collect()
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
