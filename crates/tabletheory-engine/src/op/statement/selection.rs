//! SELECT: from the statement to the pages it reads, and where a page ended.

use tabletheory_core::expr::{Condition, Path, ProjectionExpression};
use tabletheory_core::partiql::{self, Access, Select};
use tabletheory_core::store::capacity::{ConsumedCapacity, ReturnCapacity};
use tabletheory_core::store::op::{ExecuteStatement, ExecuteStatementOutput};
use tabletheory_core::{Item, Number, StoreError, Value};

use crate::layout::{RowShape, Span};
use crate::op::read::{check_filter_carried, find_index, query_span, start_row_key};
use crate::page::{Page, Returned};
use crate::table::{Index, Table};
use crate::view::View;
use crate::{codec, validate};

/// A SELECT on its way to the pages it reads.
pub(super) struct Selection<'v> {
    table: &'v Table,
    index: Option<&'v Index>,
    /// One span for each query, or the one of a scan.
    pub(super) spans: Vec<Span>,
    filter: Option<Condition>,
    paths: Option<Vec<Path>>,
    forward: bool,
    key: Option<Item>,
}

impl<'v> Selection<'v> {
    pub(super) fn new(view: &'v View<'_>, select: &Select) -> Result<Self, StoreError> {
        let table = view.catalog.table(&select.table)?;
        let index = find_index(table, select.index.as_deref())?;
        let (keys, shape) = match index {
            None => (&table.keys, &table.shape),
            Some(index) => (&index.keys, &index.shape),
        };
        let named = |names: &'v [String]| names.iter().map(String::as_str).collect::<Vec<_>>();
        let plan = partiql::plan(select.condition.as_ref(), &named(&shape.partition), &named(&shape.sort))?;
        validate::read_paths(table, plan.filter.as_ref(), select.projection.as_ref())?;
        let spans = match &plan.access {
            Access::Scan => vec![Span::segment(0, 1)],
            Access::Query(queries) => {
                check_filter_carried(table, index, plan.filter.as_ref())?;
                queries.iter().map(|query| query_span(keys, shape, query)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let forward = order(select, index.map_or(&table.shape, |index| &index.shape))?;
        Ok(Self {
            table,
            index,
            spans,
            forward,
            key: plan.key(),
            filter: plan.filter,
            paths: select.projection.clone().map(|projection| projection.paths),
        })
    }

    pub(super) fn page(
        &self,
        span: Span,
        limit: Option<u32>,
        consistent: bool,
        return_capacity: ReturnCapacity,
    ) -> Page<'_> {
        let returned = match &self.paths {
            None => Returned::Row,
            Some(paths) => Returned::Paths(ProjectionExpression { paths: paths.clone() }),
        };
        Page {
            table: self.table,
            index: self.index,
            span,
            forward: self.forward,
            limit,
            filter: self.filter.clone(),
            returned,
            consistent,
            return_capacity,
        }
    }

    /// Reads one page, going from query to query until the limit or the page's size is reached.
    pub(super) fn read(
        &self,
        view: &View<'_>,
        request: &ExecuteStatement,
    ) -> Result<ExecuteStatementOutput, StoreError> {
        let mut output = ExecuteStatementOutput::default();
        let mut left = request.limit;
        if left == Some(0) {
            return Err(StoreError::validation(
                "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value \
                 greater than or equal to 1",
            ));
        }
        let start = request.next_token.as_deref().map(Place::from_text).transpose()?.unwrap_or_default();
        for (number, span) in self.spans.iter().enumerate().skip(start.query) {
            let span = match &start.key {
                Some(key) if number == start.query => {
                    let row_key = start_row_key(self.table, self.index, key)?;
                    span.clone().resume(&row_key, self.forward)
                }
                _ => span.clone(),
            };
            let page = self.page(span, left, request.consistent, request.return_capacity).read(view)?;
            let scanned = u32::try_from(page.scanned_count).unwrap_or(u32::MAX);
            output.items.extend(page.items.unwrap_or_default().into_iter().map(|item| self.columns(item)));
            add_capacity(&mut output.capacity, page.capacity);
            left = left.map(|left| left.saturating_sub(scanned));
            if let Some(key) = page.last_evaluated_key {
                let place = Place { query: number, key: Some(key.clone()) };
                output.next_token = Some(place.to_text());
                output.last_evaluated_key = Some(key);
                break;
            }
            if left == Some(0) && number + 1 < self.spans.len() {
                output.next_token = Some(Place { query: number + 1, key: None }.to_text());
                break;
            }
        }
        Ok(output)
    }

    /// The columns of a SELECT: the last part of each path names its value.
    pub(super) fn columns(&self, item: Item) -> Item {
        match &self.paths {
            None => item,
            Some(paths) if paths.iter().all(Path::is_attribute) => item,
            Some(paths) => paths
                .iter()
                .filter_map(|path| Some((partiql::column_name(path), path.get(&item)?.clone())))
                .collect(),
        }
    }

    /// The key of the one item that a SELECT of a batch or a transaction reads.
    pub(super) fn single_key(&self) -> Result<Item, StoreError> {
        let key = self.key.clone().filter(|key| self.index.is_none() && key.len() == self.table.keys.len());
        key.ok_or_else(|| {
            StoreError::validation("Select statements within ExecuteTransaction and BatchExecuteStatement must specify the primary key in the where clause.")
        })
    }
}

/// Whether the items come in ascending order.
fn order(select: &Select, shape: &RowShape) -> Result<bool, StoreError> {
    let mut forward = true;
    for key in &select.order {
        let is_sort = shape.sort.contains(&key.attribute);
        if !is_sort && !shape.partition.contains(&key.attribute) {
            return Err(StoreError::validation(format!(
                "Variable reference {} in ORDER BY clause must be part of the primary key",
                key.attribute
            )));
        }
        if is_sort {
            forward = !key.descending;
        }
    }
    Ok(forward)
}

fn add_capacity(sum: &mut Option<ConsumedCapacity>, more: Option<ConsumedCapacity>) {
    match (sum, more) {
        (sum @ None, more) => *sum = more,
        (Some(sum), Some(more)) => {
            sum.units.total += more.units.total;
            if let (Some(share), Some(more)) = (&mut sum.table_units, more.table_units) {
                share.total += more.total;
            }
        }
        (Some(_), None) => {}
    }
}

/// Where a page of a SELECT ended.
#[derive(Debug, Default)]
struct Place {
    query: usize,
    key: Option<Item>,
}

impl Place {
    fn to_text(&self) -> String {
        let query = Number::from(u64::try_from(self.query).unwrap_or(u64::MAX));
        let mut place = Item::from([("query", Value::N(query))]);
        if let Some(key) = &self.key {
            place.insert("key", key.clone());
        }
        codec::encode(&place).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn from_text(text: &str) -> Result<Self, StoreError> {
        let unknown = || StoreError::validation("Invalid NextToken: it was not made by ExecuteStatement");
        let pairs = text.as_bytes().chunks(2).map(|pair| {
            let digits = std::str::from_utf8(pair).ok().filter(|digits| digits.len() == 2)?;
            u8::from_str_radix(digits, 16).ok()
        });
        let bytes: Vec<u8> = pairs.collect::<Option<_>>().ok_or_else(unknown)?;
        let mut place = codec::decode(&bytes).map_err(|_| unknown())?;
        let query = place.get("query").and_then(Value::as_n).and_then(Number::to_u64).ok_or_else(unknown)?;
        let key = match place.remove("key") {
            Some(Value::M(key)) => Some(key),
            None => None,
            Some(_) => return Err(unknown()),
        };
        Ok(Self { query: usize::try_from(query).map_err(|_| unknown())?, key })
    }
}
