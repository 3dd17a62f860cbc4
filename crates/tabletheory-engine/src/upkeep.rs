//! What time brings: items expire, new indexes are filled, old stream records and request tokens go. Each step is
//! bounded and goes through the writer like any other write, so requests are never held up for long.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tabletheory_core::{Response, StoreError, Timestamp};

use crate::capacity::{Charge, Kind, Tally};
use crate::catalog::{Catalog, StreamSpec};
use crate::commit::{self, Answer, Work, Writer};
use crate::group::Group;
use crate::kv::{Bytes, Direction, Kv, Space};
use crate::layout::{Span, after_key, record_key};
use crate::op;
use crate::stream::recorded_at;
use crate::table::{Index, Table, TableSpec};
use crate::write::{Write, has_expired};
use crate::{codec, index, request_token};

/// Rows that one piece of work is about.
const STEP_ROWS: usize = 512;

/// Stretches of a walk through rows that mostly stay: looking at eight thousand rows a step costs next to nothing, and
/// a table of a million is walked in two minutes.
const STRETCHES_PER_STEP: usize = 16;

/// What one step of upkeep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Upkeep {
    /// Items that expired and were removed.
    pub expired_items: u64,
    /// Items that were put into indexes being filled.
    pub indexed_items: u64,
    /// Stream records that had become too old.
    pub trimmed_records: u64,
    /// Request tokens that had served their time.
    pub spent_tokens: u64,
    /// Whether there is more to do right away.
    pub more: bool,
}

/// Where the walks through tables stand.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    positions: Mutex<HashMap<Walk, Vec<u8>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Walk {
    /// Through a table's rows, for those that expired.
    Expiry(u64),
    /// Through a table's rows, to fill this index.
    Backfill(u64),
    /// Through the request tokens.
    Tokens,
}

/// Some rows of a walk.
struct Stretch {
    rows: Vec<(Bytes, Bytes)>,
    /// Where to go on; `None` when the walk has come to its end.
    next: Option<Vec<u8>>,
}

impl Walks {
    fn stretch(&self, kv: &Kv, walk: Walk, space: &Space) -> Result<Stretch, StoreError> {
        let start = self.positions.lock().get(&walk).cloned().unwrap_or_default();
        let snapshot = kv.snapshot();
        let span = Span { start, end: None };
        let rows = snapshot.range(space, span.bounds(), Direction::Forward).take(STEP_ROWS);
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let next = (rows.len() == STEP_ROWS).then(|| rows.last().map(|(key, _)| after_key(key))).flatten();
        Ok(Stretch { rows, next })
    }

    /// Forgets the walks through tables and for indexes that are gone.
    fn forget_gone(&self, catalog: &Catalog) {
        let exists = |number: u64| {
            catalog.tables().any(|table| {
                table.rows.number == number || table.indexes.iter().any(|index| index.rows.number == number)
            })
        };
        self.positions.lock().retain(|walk, _| match walk {
            Walk::Expiry(number) | Walk::Backfill(number) => exists(*number),
            Walk::Tokens => true,
        });
    }

    /// Notes where a walk goes on, and tells whether there is more of it.
    fn advance(&self, walk: Walk, next: Option<Vec<u8>>) -> bool {
        let mut positions = self.positions.lock();
        let more = next.is_some();
        match next {
            Some(next) => positions.insert(walk, next),
            None => positions.remove(&walk),
        };
        more
    }
}

/// Does one bounded step of everything that is due.
pub(crate) fn step(writer: &Writer, walks: &Walks, now: Timestamp) -> Result<Upkeep, StoreError> {
    let mut done = Upkeep::default();
    let catalog = writer.catalog();
    walks.forget_gone(&catalog);
    for table in catalog.tables() {
        if let Some(attribute) = &table.spec.ttl {
            expire(writer, walks, table, attribute, now, &mut done)?;
        }
        for filling in table.indexes.iter().filter(|index| index.spec.backfilling) {
            backfill(writer, walks, table, filling.spec.number, &mut done)?;
        }
    }
    trim_streams(writer, &catalog, now, &mut done)?;
    forget_tokens(writer, walks, now, &mut done)?;
    Ok(done)
}

/// Has work done by the writer and waits for it.
fn submit(writer: &Writer, work: Work) -> Result<Response, StoreError> {
    match writer.submit(work) {
        Answer::Now(result) => result,
        Answer::Later(receiver) => commit::wait(receiver),
    }
}

/// Work that answers nothing.
fn quiet(work: impl FnOnce(&mut Group<'_>) -> Result<(), StoreError> + Send + 'static) -> Work {
    Box::new(move |group| {
        group.apply(work)?;
        Ok(Response::TagResource(Box::default()))
    })
}

fn expire(
    writer: &Writer,
    walks: &Walks,
    table: &Arc<Table>,
    attribute: &str,
    now: Timestamp,
    done: &mut Upkeep,
) -> Result<(), StoreError> {
    let walk = Walk::Expiry(table.rows.number);
    for _ in 0..STRETCHES_PER_STEP {
        let stretch = walks.stretch(&writer.ground().kv, walk, &table.rows.space)?;
        let mut writes = Vec::new();
        for (row_key, stored) in &stretch.rows {
            if has_expired(&codec::decode_only(stored, &[attribute])?, attribute, now) {
                let item = codec::decode(stored)?;
                writes.push(Write::expire(table, &item, row_key.to_vec(), attribute.to_owned()));
            }
        }
        let found = u64::try_from(writes.len()).expect("a stretch is short");
        if found > 0 {
            done.expired_items += found;
            submit(writer, quiet(move |group| remove_expired(group, writes)))?;
        }
        if !walks.advance(walk, stretch.next) {
            return Ok(());
        }
        // Where many have expired, more have; where none has, the next step is soon enough.
        done.more |= found > 0;
    }
    Ok(())
}

/// The removal looks again: an item that was renewed since it was found stays.
fn remove_expired(group: &mut Group<'_>, writes: Vec<Write>) -> Result<(), StoreError> {
    for write in writes {
        let Ok(table) = group.current(&write.table) else { return Ok(()) };
        let mut tally = Tally::new(&table, Default::default(), Kind::Write, false);
        write.evaluate(group)?.apply(group, Charge::Full, &mut tally)?;
    }
    Ok(())
}

fn backfill(
    writer: &Writer,
    walks: &Walks,
    table: &Arc<Table>,
    number: u64,
    done: &mut Upkeep,
) -> Result<(), StoreError> {
    let walk = Walk::Backfill(number);
    let stretch = walks.stretch(&writer.ground().kv, walk, &table.rows.space)?;
    let finished = stretch.next.is_none();
    done.indexed_items += u64::try_from(stretch.rows.len()).expect("a step is small");
    let table = Arc::clone(table);
    submit(
        writer,
        quiet(move |group| {
            let Ok(table) = group.current(&table) else { return Ok(()) };
            // Another step may have finished the index since. Its rows are all there then, and must not be counted again.
            let is_filling = |index: &&Index| index.spec.number == number && index.spec.backfilling;
            let Some(filling) = table.indexes.iter().find(is_filling) else { return Ok(()) };
            for (row_key, _) in stretch.rows {
                // Read again: the item may have changed since, and then its index row must be the new one.
                if let Some(stored) = group.read(&table.rows, &row_key)? {
                    index::backfill(group, &table, filling, &codec::decode(&stored)?)?;
                }
            }
            if finished {
                let mut spec: TableSpec = table.spec.clone();
                for index in spec.global_indexes.iter_mut().filter(|index| index.number == number) {
                    index.backfilling = false;
                }
                op::table::redefine(group, &table, spec)?;
            }
            Ok(())
        }),
    )?;
    done.more |= walks.advance(walk, stretch.next);
    Ok(())
}

fn trim_streams(
    writer: &Writer,
    catalog: &Catalog,
    now: Timestamp,
    done: &mut Upkeep,
) -> Result<(), StoreError> {
    for stream in catalog.streams() {
        let old = old_records(writer, stream, now)?;
        let ended = stream.ended.is_some_and(|(at, _)| op::stream::is_trimmed(at, now));
        if old.is_empty() && !ended {
            continue;
        }
        let count = old.len();
        let gone = ended && count < STEP_ROWS;
        let number = stream.number;
        submit(
            writer,
            quiet(move |group| {
                group.delete_records(old);
                if gone {
                    group.drop_stream(number);
                }
                Ok(())
            }),
        )?;
        done.trimmed_records += u64::try_from(count).expect("a step is small");
        done.more |= count == STEP_ROWS;
    }
    Ok(())
}

fn old_records(writer: &Writer, stream: &StreamSpec, now: Timestamp) -> Result<Vec<Bytes>, StoreError> {
    let ground = writer.ground();
    let span = Span { start: record_key(stream.number, 0), end: Some(record_key(stream.number + 1, 0)) };
    let snapshot = ground.kv.snapshot();
    let mut old = Vec::new();
    for record in snapshot.range(&ground.spaces.streams, span.bounds(), Direction::Forward).take(STEP_ROWS) {
        let (key, stored) = record?;
        if !op::stream::is_trimmed(recorded_at(&stored)?, now) {
            break;
        }
        old.push(key);
    }
    Ok(old)
}

fn forget_tokens(
    writer: &Writer,
    walks: &Walks,
    now: Timestamp,
    done: &mut Upkeep,
) -> Result<(), StoreError> {
    let ground = writer.ground();
    let stretch = walks.stretch(&ground.kv, Walk::Tokens, &ground.spaces.tokens)?;
    let spent: Vec<Vec<u8>> = stretch
        .rows
        .iter()
        .filter(|(_, stored)| request_token::is_spent(stored, now))
        .map(|(token, _)| token.to_vec())
        .collect();
    let spent_none = spent.is_empty();
    if !spent_none {
        done.spent_tokens += u64::try_from(spent.len()).expect("a step is small");
        submit(
            writer,
            quiet(move |group| {
                for token in spent {
                    // The token may have been used again since.
                    let stored = group.read_token(&token)?;
                    if stored.is_some_and(|stored| request_token::is_spent(&stored, group.now)) {
                        group.forget_token(token);
                    }
                }
                Ok(())
            }),
        )?;
    }
    done.more |= walks.advance(Walk::Tokens, stretch.next) && !spent_none;
    Ok(())
}
