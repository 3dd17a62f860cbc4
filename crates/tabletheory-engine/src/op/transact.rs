//! Operations on many items that happen together or not at all.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::expr::check;
use tabletheory_core::limits::{CLIENT_REQUEST_TOKEN_LENGTH_MAX, TRANSACT_BYTES_MAX, TRANSACT_ITEMS_MAX};
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::capacity::ReturnCapacity;
use tabletheory_core::store::op::{
    TransactAction, TransactGetItems, TransactGetItemsOutput, TransactWrite, TransactWriteItems,
    TransactWriteItemsOutput,
};
use tabletheory_core::{Item, Response, StoreError};

use crate::capacity::{Charge, Kind, Tally, read_units};
use crate::commit::Work;
use crate::group::Group;
use crate::request_token::{self, Claim};
use crate::table::Table;
use crate::validate::Refusal;
use crate::view::View;
use crate::write::{Change, Write, check_expressions};
use crate::{codec, collection, validate};

/// `TransactGetItems`.
pub(crate) fn get(view: &View<'_>, request: TransactGetItems) -> Result<TransactGetItemsOutput, StoreError> {
    check_count(request.gets.len())?;
    request.gets.iter().filter_map(|get| get.projection.as_ref()).try_for_each(check::projection)?;
    let mut rows = Vec::with_capacity(request.gets.len());
    let mut reasons = Vec::with_capacity(request.gets.len());
    let mut seen = HashSet::new();
    for get in &request.gets {
        let table = view.catalog.table(&get.table)?;
        validate::paths(table, get.projection.iter().flat_map(|projection| &projection.paths))?;
        match validate::key(table, &get.key) {
            Ok(row_key) => {
                if !seen.insert((table.rows.number, row_key.clone())) {
                    return Err(twice());
                }
                rows.push((table, row_key));
                reasons.push(CancellationReason::default());
            }
            Err(refusal) => reasons.push(misfit(refusal)?),
        }
    }
    if rows.len() < reasons.len() {
        return Err(StoreError::TransactionCanceled { reasons });
    }
    // One snapshot for all: the items are as of one moment, whatever is written meanwhile.
    let snapshot = view.ground.kv.snapshot();
    let mut output = TransactGetItemsOutput::default();
    let mut tallies = BTreeMap::new();
    let mut bytes_read = 0;
    for (get, (table, row_key)) in request.gets.iter().zip(rows) {
        let stored = snapshot.get(&table.rows.space, &row_key)?;
        let item = stored.map(|bytes| codec::decode(&bytes)).transpose()?;
        let bytes = item.as_ref().map_or(0, item_bytes);
        bytes_read += bytes;
        tally(&mut tallies, table, request.return_capacity, Kind::Read)
            .add_table(read_units(bytes, Charge::Transaction));
        output.items.push(match (item, &get.projection) {
            (Some(item), Some(projection)) => Some(projection.apply(&item)),
            (item, _) => item,
        });
    }
    if bytes_read > TRANSACT_BYTES_MAX {
        return Err(too_large());
    }
    output.capacity = tallies.into_values().filter_map(Tally::into_capacity).collect();
    Ok(output)
}

fn twice() -> StoreError {
    StoreError::validation("Transaction request cannot include multiple operations on one item")
}

fn too_large() -> StoreError {
    StoreError::validation("Transaction request cannot include more than 4 MB of data")
}

fn check_count(count: usize) -> Result<(), StoreError> {
    if (1..=TRANSACT_ITEMS_MAX).contains(&count) {
        return Ok(());
    }
    let (bound, limit) = if count == 0 { ("greater", 1) } else { ("less", TRANSACT_ITEMS_MAX) };
    Err(StoreError::validation(format!(
        "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length \
         {bound} than or equal to {limit}"
    )))
}

fn tally<'t>(
    tallies: &'t mut BTreeMap<String, Tally>,
    table: &Table,
    wanted: ReturnCapacity,
    kind: Kind,
) -> &'t mut Tally {
    tallies.entry(table.spec.name.clone()).or_insert_with(|| Tally::new(table, wanted, kind, true))
}

/// `TransactWriteItems`.
pub(crate) fn write(view: &View<'_>, request: TransactWriteItems) -> Result<impl Work + use<>, StoreError> {
    let transaction = Transaction::prepare(view, request)?;
    Ok(move |group: &mut Group<'_>| {
        transaction.perform(group).map(|output| Response::TransactWriteItems(Box::new(output)))
    })
}

/// Writes that were checked and wait to be done together.
#[derive(Debug)]
pub(crate) struct Transaction {
    /// One that does not fit its table is a reason for the cancellation already.
    writes: Vec<Result<Write, CancellationReason>>,
    token: Option<Claim>,
    wanted: ReturnCapacity,
    wants_metrics: bool,
}

impl Transaction {
    /// Checks what can be checked without the items.
    pub(crate) fn prepare(view: &View<'_>, request: TransactWriteItems) -> Result<Self, StoreError> {
        check_count(request.writes.len())?;
        let token = match &request.client_request_token {
            None => None,
            Some(token) if token.is_empty() || token.len() > CLIENT_REQUEST_TOKEN_LENGTH_MAX => {
                return Err(StoreError::validation(format!(
                    "1 validation error detected: Value '{token}' at 'clientRequestToken' failed to satisfy \
                     constraint: Member must have length less than or equal to {CLIENT_REQUEST_TOKEN_LENGTH_MAX}"
                )));
            }
            Some(token) => Some(Claim::new(token, &request.writes)),
        };
        let (wanted, wants_metrics) = (request.return_capacity, request.collection_metrics);
        let mut writes = Vec::with_capacity(request.writes.len());
        let mut seen = HashSet::new();
        for write in request.writes {
            check_write(&write)?;
            let table = view.catalog.table(&write.table)?;
            match prepare_write(table, write) {
                Ok(write) => {
                    if !seen.insert((write.table.rows.number, write.row_key.clone())) {
                        return Err(twice());
                    }
                    writes.push(Ok(write));
                }
                Err(refusal) => writes.push(Err(misfit(refusal)?)),
            }
        }
        Ok(Self { writes, token, wanted, wants_metrics })
    }

    /// Does all of it, or nothing.
    ///
    /// # Errors
    /// `TransactionCanceled` with a reason for each operation; `IdempotentParameterMismatch`.
    pub(crate) fn perform(self, group: &mut Group<'_>) -> Result<TransactWriteItemsOutput, StoreError> {
        if let Some(claim) = &self.token
            && request_token::is_replay(group, claim)?
        {
            return self.replayed(group);
        }
        let keyed = |write: &Write| (Arc::clone(&write.table), write.key());
        let keys: Vec<(Arc<Table>, Item)> =
            self.writes.iter().flatten().filter(|_| self.wants_metrics).map(keyed).collect();
        let mut changes = evaluate_all(self.writes, group)?;
        let mut tallies = BTreeMap::new();
        if self.token.is_some() {
            // Before anything is applied: if this fails, it fails this transaction alone.
            group.make_tokens()?;
        }
        group.apply(|group| {
            changes.iter_mut().try_for_each(|change| {
                let tally = tally(&mut tallies, &change.table, self.wanted, Kind::Write);
                change.apply(group, Charge::Transaction, tally)
            })?;
            if let Some(claim) = &self.token {
                request_token::remember(group, claim);
            }
            Ok(())
        })?;
        let mut output = TransactWriteItemsOutput {
            capacity: tallies.into_values().filter_map(Tally::into_capacity).collect(),
            ..TransactWriteItemsOutput::default()
        };
        if self.wants_metrics {
            output.collection_metrics = collection::metrics_by_table(group, &keys)?;
        }
        Ok(output)
    }

    /// The answer to a transaction that was done before: its cost is that of reading the items.
    fn replayed(&self, group: &Group<'_>) -> Result<TransactWriteItemsOutput, StoreError> {
        let mut tallies = BTreeMap::new();
        for write in self.writes.iter().flatten() {
            let stored = group.read(&write.table.rows, &write.row_key)?;
            let item = stored.map(|bytes| codec::decode(&bytes)).transpose()?;
            tally(&mut tallies, &write.table, self.wanted, Kind::Read)
                .add_table(read_units(item.as_ref().map_or(0, item_bytes), Charge::Transaction));
        }
        Ok(TransactWriteItemsOutput {
            capacity: tallies.into_values().filter_map(Tally::into_capacity).collect(),
            ..TransactWriteItemsOutput::default()
        })
    }
}

/// Checks what needs no table.
fn check_write(write: &TransactWrite) -> Result<(), StoreError> {
    let update = match &write.action {
        TransactAction::Update { update, .. } => Some(update),
        TransactAction::ConditionCheck { .. } if write.condition.is_none() => {
            return Err(StoreError::validation(
                "The expression can not be empty; a ConditionCheck needs a ConditionExpression",
            ));
        }
        _ => None,
    };
    check_expressions(update, write.condition.as_ref())
}

fn prepare_write(table: &Arc<Table>, write: TransactWrite) -> Result<Write, Refusal> {
    let prepared = match write.action {
        TransactAction::Put { item } => Write::put(table, item, write.condition)?,
        TransactAction::Update { key, update } => Write::update(table, key, Some(update), write.condition)?,
        TransactAction::Delete { key } => Write::delete(table, key, write.condition)?,
        TransactAction::ConditionCheck { key } => Write::check(table, key, write.condition)?,
    };
    Ok(prepared.with_on_condition_failure(write.on_condition_failure))
}

/// What every write will do, or why the transaction cannot be.
fn evaluate_all(
    writes: Vec<Result<Write, CancellationReason>>,
    group: &Group<'_>,
) -> Result<Vec<Change>, StoreError> {
    let mut changes = Vec::with_capacity(writes.len());
    let mut reasons = Vec::with_capacity(writes.len());
    let mut bytes = 0;
    for write in writes {
        let write = match write {
            Ok(write) => write,
            Err(reason) => {
                reasons.push(reason);
                continue;
            }
        };
        match write.evaluate(group) {
            Ok(change) => {
                bytes += change.new.as_ref().map_or(0, |new| new.bytes.len());
                changes.push(change);
                reasons.push(CancellationReason::default());
            }
            Err(error) => reasons.push(reason(error)?),
        }
    }
    if changes.len() < reasons.len() {
        return Err(StoreError::TransactionCanceled { reasons });
    }
    if bytes > TRANSACT_BYTES_MAX {
        return Err(too_large());
    }
    Ok(changes)
}

/// What does not fit its table as a reason, unless the whole request is refused.
fn misfit(refusal: Refusal) -> Result<CancellationReason, StoreError> {
    match refusal {
        Refusal::Request(error) => Err(error),
        Refusal::Item(error) => reason(error),
    }
}

/// The error of one write as a reason, if it is one that a transaction reports.
fn reason(error: StoreError) -> Result<CancellationReason, StoreError> {
    let message = Some(error.to_string());
    match error {
        StoreError::ConditionalCheckFailed { item } => {
            Ok(CancellationReason { code: CancellationCode::ConditionalCheckFailed, message, item })
        }
        StoreError::Validation(_) => {
            Ok(CancellationReason { code: CancellationCode::ValidationError, message, item: None })
        }
        StoreError::ItemCollectionSizeLimitExceeded(_) => Ok(CancellationReason {
            code: CancellationCode::ItemCollectionSizeLimitExceeded,
            message,
            item: None,
        }),
        StoreError::DuplicateItem(_) => {
            Ok(CancellationReason { code: CancellationCode::DuplicateItem, message, item: None })
        }
        other => Err(other),
    }
}
