//! Operations on one item.

use tabletheory_core::expr::check;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{
    DeleteItem, GetItem, GetItemOutput, PutItem, ReturnValues, UpdateItem, WriteOutput, WriteReturns,
};
use tabletheory_core::{Item, Response, StoreError};

use crate::capacity::{Charge, Kind, Tally, read_units};
use crate::commit::Work;
use crate::group::Group;
use crate::view::View;
use crate::write::{Write, check_expressions};
use crate::{codec, collection, validate};

/// `GetItem`.
pub(crate) fn get(view: &View<'_>, request: GetItem) -> Result<GetItemOutput, StoreError> {
    if let Some(projection) = &request.projection {
        check::projection(projection)?;
    }
    let table = view.catalog.table(&request.table)?;
    let row_key = validate::key(table, &request.key)?;
    if let Some(projection) = &request.projection {
        validate::paths(table, &projection.paths)?;
    }
    let mut tally = Tally::new(table, request.return_capacity, Kind::Read, false);
    let stored = view.ground.read(&table.rows, &row_key)?;
    let item = match (&stored, &request.projection) {
        (None, _) => None,
        (Some(bytes), None) => Some(codec::decode(bytes)?),
        (Some(bytes), Some(projection)) => {
            Some(projection.apply(&codec::decode_only(bytes, &projection.attributes())?))
        }
    };
    if tally.is_wanted() {
        let bytes = match &stored {
            None => 0,
            Some(bytes) => item_bytes(&codec::decode(bytes)?),
        };
        tally.add_table(read_units(bytes, Charge::read(request.consistent)));
    }
    Ok(GetItemOutput { item, capacity: tally.into_capacity() })
}

/// `PutItem`.
pub(crate) fn put(view: &View<'_>, request: PutItem) -> Result<impl Work + use<>, StoreError> {
    old_or_none(request.returns.values)?;
    check_expressions(None, request.condition.as_ref())?;
    let table = view.catalog.table(&request.table)?;
    let write = Write::put(table, request.item, request.condition)?;
    Ok(work(write, request.returns, |output| Response::PutItem(Box::new(output))))
}

/// `UpdateItem`.
pub(crate) fn update(view: &View<'_>, request: UpdateItem) -> Result<impl Work + use<>, StoreError> {
    check_expressions(request.update.as_ref(), request.condition.as_ref())?;
    let table = view.catalog.table(&request.table)?;
    let write = Write::update(table, request.key, request.update, request.condition)?;
    Ok(work(write, request.returns, |output| Response::UpdateItem(Box::new(output))))
}

/// `DeleteItem`.
pub(crate) fn delete(view: &View<'_>, request: DeleteItem) -> Result<impl Work + use<>, StoreError> {
    old_or_none(request.returns.values)?;
    check_expressions(None, request.condition.as_ref())?;
    let table = view.catalog.table(&request.table)?;
    let write = Write::delete(table, request.key, request.condition)?;
    Ok(work(write, request.returns, |output| Response::DeleteItem(Box::new(output))))
}

fn old_or_none(values: ReturnValues) -> Result<(), StoreError> {
    match values {
        ReturnValues::None | ReturnValues::AllOld => Ok(()),
        ReturnValues::UpdatedOld | ReturnValues::AllNew | ReturnValues::UpdatedNew => {
            Err(StoreError::validation("ReturnValues can only be ALL_OLD or NONE"))
        }
    }
}

/// The work that a single write is.
fn work(write: Write, returns: WriteReturns, respond: fn(WriteOutput) -> Response) -> impl Work {
    move |group: &mut Group<'_>| perform(group, write, returns).map(respond)
}

/// Evaluates a write, applies it, and reports what was asked for.
pub(crate) fn perform(
    group: &mut Group<'_>,
    write: Write,
    returns: WriteReturns,
) -> Result<WriteOutput, StoreError> {
    let write = write.with_on_condition_failure(returns.on_condition_failure);
    let key: Option<Item> = returns.collection_metrics.then(|| write.key());
    let mut change = write.evaluate(group)?;
    let mut tally = Tally::new(&change.table, returns.capacity, Kind::Write, false);
    group.apply(|group| change.apply(group, Charge::Full, &mut tally))?;
    let collection_metrics = match key {
        Some(key) => collection::metrics(group, &change.table, &key)?,
        None => None,
    };
    Ok(WriteOutput {
        attributes: change.attributes(returns.values)?,
        capacity: tally.into_capacity(),
        collection_metrics,
    })
}
