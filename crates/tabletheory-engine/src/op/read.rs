//! Query and scan: from what was asked to the page that is read.

use tabletheory_core::expr::{
    Condition, ExpressionKind, KeyCondition, KeyPredicate, ProjectionExpression, check,
};
use tabletheory_core::limits::SCAN_SEGMENTS_MAX;
use tabletheory_core::store::op::{PageOutput, Query, Scan, Segment};
use tabletheory_core::{Item, StoreError, Value, ValueType};

use crate::kv::Bytes;
use crate::layout::{RowShape, Span};
use crate::page::{Page, Returned};
use crate::table::{Index, KeyPart, Table};
use crate::validate::{self, invalid};
use crate::view::View;

/// `Query`.
pub(crate) fn query(view: &View<'_>, request: Query) -> Result<PageOutput, StoreError> {
    check_limit(request.limit)?;
    check_expressions(request.filter.as_ref(), request.projection.as_ref())?;
    check::key_condition(&request.key_condition)?;
    let table = view.catalog.table(&request.table)?;
    let index = find_index(table, request.index.as_deref())?;
    validate::read_paths(table, request.filter.as_ref(), request.projection.as_ref())?;
    let returned = Returned::new(request.select, request.projection, index)?;
    let keys = index.map_or(&table.keys, |index| &index.keys);
    let shape = index.map_or(&table.shape, |index| &index.shape);
    let span = query_span(keys, shape, &request.key_condition)?;
    check_filter(request.filter.as_ref(), keys)?;
    check_filter_carried(table, index, request.filter.as_ref())?;
    let span = match &request.start_key {
        None => span,
        Some(start) => {
            let key = start_row_key(table, index, start)?;
            if !span.contains(&key) {
                return Err(outside(shape, &span, &request.key_condition, start));
            }
            span.resume(&key, request.forward)
        }
    };
    let page = Page {
        table,
        index,
        span,
        forward: request.forward,
        limit: request.limit,
        filter: request.filter,
        returned,
        consistent: request.consistent,
        return_capacity: request.return_capacity,
    };
    page.read(view)
}

/// `Scan`.
pub(crate) fn scan(view: &View<'_>, request: Scan) -> Result<PageOutput, StoreError> {
    check_limit(request.limit)?;
    check_segment(request.segment)?;
    check_expressions(request.filter.as_ref(), request.projection.as_ref())?;
    let table = view.catalog.table(&request.table)?;
    let index = find_index(table, request.index.as_deref())?;
    validate::read_paths(table, request.filter.as_ref(), request.projection.as_ref())?;
    let returned = Returned::new(request.select, request.projection, index)?;
    let segment = request.segment.unwrap_or(Segment { segment: 0, total: 1 });
    let span = Span::segment(segment.segment, segment.total);
    let span = match &request.start_key {
        None => span,
        Some(start) => {
            let key = start_row_key(table, index, start)?;
            if !span.contains(&key) {
                return Err(StoreError::validation(format!(
                    "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with \
                     correct Segment. TotalSegments: {} Segment: {}",
                    segment.total, segment.segment
                )));
            }
            span.resume(&key, true)
        }
    };
    let page = Page {
        table,
        index,
        span,
        forward: true,
        limit: request.limit,
        filter: request.filter,
        returned,
        consistent: request.consistent,
        return_capacity: request.return_capacity,
    };
    page.read(view)
}

fn check_limit(limit: Option<u32>) -> Result<(), StoreError> {
    match limit {
        Some(0) => Err(StoreError::validation(
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value \
             greater than or equal to 1",
        )),
        _ => Ok(()),
    }
}

fn check_segment(segment: Option<Segment>) -> Result<(), StoreError> {
    let Some(Segment { segment, total }) = segment else { return Ok(()) };
    if !(1..=SCAN_SEGMENTS_MAX).contains(&total) {
        let (bound, limit) = if total == 0 { ("greater", 1) } else { ("less", SCAN_SEGMENTS_MAX) };
        return Err(StoreError::validation(format!(
            "1 validation error detected: Value '{total}' at 'totalSegments' failed to satisfy constraint: Member must \
             have value {bound} than or equal to {limit}"
        )));
    }
    if segment >= total {
        return Err(StoreError::validation(format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {segment} is \
             not less than TotalSegments: {total}"
        )));
    }
    Ok(())
}

fn check_expressions(
    filter: Option<&Condition>,
    projection: Option<&ProjectionExpression>,
) -> Result<(), StoreError> {
    if let Some(filter) = filter {
        check::condition(filter, ExpressionKind::Filter)?;
    }
    projection.map_or(Ok(()), check::projection)
}

pub(crate) fn find_index<'t>(table: &'t Table, name: Option<&str>) -> Result<Option<&'t Index>, StoreError> {
    match name {
        None => Ok(None),
        Some(name) => table.index(name).map(Some).ok_or_else(|| {
            StoreError::validation(format!("The table does not have the specified index: {name}"))
        }),
    }
}

fn check_filter(filter: Option<&Condition>, keys: &[KeyPart]) -> Result<(), StoreError> {
    let names = filter.map(Condition::attributes).unwrap_or_default();
    match keys.iter().find(|key| names.contains(&key.name.as_str())) {
        None => Ok(()),
        Some(key) => Err(StoreError::validation(format!(
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: {}",
            key.name
        ))),
    }
}

/// Refuses a filter on attributes that the index does not carry. A scan takes such a filter and finds nothing.
pub(crate) fn check_filter_carried(
    table: &Table,
    index: Option<&Index>,
    filter: Option<&Condition>,
) -> Result<(), StoreError> {
    let (Some(index), Some(filter)) = (index, filter) else { return Ok(()) };
    let missing = index.lacks(table, &filter.attributes());
    if missing.is_empty() {
        return Ok(());
    }
    Err(invalid(format!(
        "Secondary index {} does not project one or more filter attributes: [{}]",
        index.spec.name,
        missing.join(", ")
    )))
}

/// The rows that a key condition asks for.
pub(crate) fn query_span(
    keys: &[KeyPart],
    shape: &RowShape,
    condition: &KeyCondition,
) -> Result<Span, StoreError> {
    let predicate =
        |name: &str| condition.predicates.iter().find(|(known, _)| known == name).map(|(_, found)| found);
    let mut partition = Item::new();
    for name in &shape.partition {
        match predicate(name) {
            Some(KeyPredicate::Eq(value)) => {
                partition.insert(name.clone(), value.clone());
            }
            Some(_) => return Err(StoreError::validation("Query key condition not supported")),
            None => return Err(missed(name)),
        }
    }
    let mut equal = Vec::new();
    let mut last = None;
    for name in &shape.sort {
        match predicate(name) {
            None => break,
            Some(KeyPredicate::Eq(value)) => equal.push(value),
            Some(other) => {
                last = Some(other);
                break;
            }
        }
    }
    let used = partition.len() + equal.len() + usize::from(last.is_some());
    if used < condition.predicates.len() {
        return Err(leftover(shape, condition, equal.len(), last.is_some()));
    }
    for part in keys {
        if let Some(predicate) = predicate(&part.name) {
            check_predicate(part, predicate)?;
        }
    }
    Ok(shape.span(&partition, &equal, last))
}

/// Why a query cannot go on from a key that it does not visit.
fn outside(shape: &RowShape, span: &Span, condition: &KeyCondition, start: &Item) -> StoreError {
    let is_partition = |name: &str| shape.partition.iter().any(|part| part == name);
    let is_sorted = condition.predicates.iter().any(|(name, _)| !is_partition(name));
    let mut moved = start.clone();
    for (name, predicate) in &condition.predicates {
        if let (true, KeyPredicate::Eq(value)) = (is_partition(name), predicate) {
            moved.insert(name.clone(), value.clone());
        }
    }
    // Were the key in the right partition, would it be among those that the query visits?
    let is_in_range = shape.row_key(&moved).is_some_and(|key| span.contains(&key));
    StoreError::validation(match (is_sorted, is_in_range) {
        (false, _) => "The provided starting key is outside query boundaries based on provided conditions",
        (true, false) => "The provided starting key does not match the range key predicate",
        (true, true) => "The query can return at most one row and cannot be restarted",
    })
}

/// Why a predicate of the condition could not be used.
fn leftover(shape: &RowShape, condition: &KeyCondition, equal: usize, has_range: bool) -> StoreError {
    let is_sort_key = |name: &str| shape.sort.iter().any(|sort| sort == name);
    let stranger = condition
        .predicates
        .iter()
        .find(|(name, _)| !is_sort_key(name) && !shape.partition.iter().any(|known| known == name));
    match (stranger, shape.sort.get(equal)) {
        (Some(_), Some(sort)) if !has_range => missed(sort),
        _ => StoreError::validation("Query key condition not supported"),
    }
}

fn missed(name: &str) -> StoreError {
    StoreError::validation(format!("Query condition missed key schema element: {name}"))
}

fn check_predicate(part: &KeyPart, predicate: &KeyPredicate) -> Result<(), StoreError> {
    let values: Vec<&Value> = match predicate {
        KeyPredicate::Eq(value)
        | KeyPredicate::Lt(value)
        | KeyPredicate::Le(value)
        | KeyPredicate::Gt(value)
        | KeyPredicate::Ge(value)
        | KeyPredicate::BeginsWith(value) => vec![value],
        KeyPredicate::Between(low, high) => vec![low, high],
    };
    for value in values {
        if value.kind() != part.kind.value_type() {
            return Err(invalid("Condition parameter type does not match schema type"));
        }
        let empty = match value {
            Value::S(text) => text.is_empty(),
            Value::B(bytes) => bytes.is_empty(),
            _ => false,
        };
        if empty && !matches!(predicate, KeyPredicate::BeginsWith(_)) {
            let kind = if value.kind() == ValueType::S { "string" } else { "binary" };
            return Err(StoreError::validation(format!(
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
                 empty {kind} value. Key: {}",
                part.name
            )));
        }
    }
    Ok(())
}

/// The key of the row that a page starts behind.
pub(crate) fn start_row_key(table: &Table, index: Option<&Index>, start: &Item) -> Result<Bytes, StoreError> {
    let keys = index.map_or(&[][..], |index| &index.keys);
    let mut names = 0;
    for (at, part) in keys.iter().chain(&table.keys).enumerate() {
        if keys.iter().chain(&table.keys).take(at).any(|earlier| earlier.name == part.name) {
            continue;
        }
        names += 1;
        let fits = start.get(&part.name).is_some_and(|value| value.kind() == part.kind.value_type());
        if !fits {
            return Err(StoreError::validation(match index {
                None => {
                    "The provided starting key is invalid: The provided key element does not match the schema"
                }
                Some(_) => "The provided starting key is invalid",
            }));
        }
    }
    if names != start.len() {
        return Err(StoreError::validation(match index {
            None => {
                "The provided starting key is invalid: The provided key element does not match the schema"
            }
            Some(_) => "The provided starting key is invalid",
        }));
    }
    let shape = index.map_or(&table.shape, |index| &index.shape);
    Ok(shape.row_key(start).expect("every key attribute was just looked at"))
}
