//! What time brings: items expire, new indexes are filled, old stream records and request tokens go. Each step is
//! bounded and goes through the writer like any other write, so requests are never held up for long. Where to look is in `walk`.

mod walk;

use std::sync::Arc;

use tabletheory_core::{Response, StoreError, Timestamp};

use crate::capacity::{Charge, Kind, Tally};
use crate::catalog::{Catalog, StreamSpec};
use crate::commit::{self, Answer, Work, Writer};
use crate::group::Group;
use crate::kv::{Bytes, Direction};
use crate::layout::{Span, record_key};
use crate::op;
use crate::stream::recorded_at;
use crate::table::{Index, Table, TableSpec};
use crate::write::{Write, has_expired};
use crate::{codec, index, request_token};

pub(crate) use walk::Walks;
use walk::{STRETCH_ROWS, Walk, Walked};

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
    /// Whether there are rows that nobody has looked at since this was last false: who wants everything done that is due goes on until
    /// it is.
    pub more: bool,
    /// Whether going on at once is worth it.
    pub(crate) at_once: bool,
}

/// Does one bounded step of everything that is due. What fails keeps nothing else from being done.
pub(crate) fn step(writer: &Writer, walks: &Walks, now: Timestamp) -> Result<Upkeep, StoreError> {
    let _turn = walks.turn();
    let mut done = Upkeep::default();
    let catalog = writer.catalog();
    walks.forget_gone(&catalog);
    let mut due = vec![Walk::Tokens];
    let mut outcome = Ok(());
    for table in catalog.tables() {
        if let Some(attribute) = &table.spec.ttl {
            due.push(Walk::Expiry(table.rows.number));
            outcome = outcome.and(expire(writer, walks, table, attribute, now, &mut done));
        }
        for filling in table.indexes.iter().filter(|index| index.spec.backfilling) {
            outcome = outcome.and(backfill(writer, walks, table, filling.spec.number, &mut done));
        }
    }
    outcome = outcome.and(trim_streams(writer, &catalog, now, &mut done));
    outcome = outcome.and(forget_tokens(writer, walks, now, &mut done));
    done.more = !walks.have_ended(&due) || done.at_once;
    outcome.map(|()| done)
}

/// Has work done by the writer and waits for it.
fn submit(writer: &Writer, work: impl Work) -> Result<Response, StoreError> {
    match writer.submit(work) {
        Answer::Now(result) => result,
        Answer::Later(receiver) => commit::wait(receiver),
    }
}

/// Work that answers nothing.
fn quiet(work: impl FnOnce(&mut Group<'_>) -> Result<(), StoreError> + Send + 'static) -> impl Work {
    move |group: &mut Group<'_>| {
        group.apply(work)?;
        Ok(Response::TagResource(Box::default()))
    }
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
    let expired = |row_key: &Bytes, stored: &Bytes| {
        if !has_expired(&codec::decode_only(stored, &[attribute])?, attribute, now) {
            return Ok(None);
        }
        let item = codec::decode(stored)?;
        Ok(Some(Write::expire(table, &item, row_key, attribute.to_owned())))
    };
    let remove = |writes| submit(writer, quiet(move |group| remove_expired(group, writes))).map(drop);
    let walked = walks.go(&writer.ground().kv, walk, &table.rows.space, expired, remove)?;
    done.expired_items += walked.found;
    done.at_once |= walked.at_once;
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
    let (rows, next) = (stretch.rows, stretch.next);
    let finished = next.is_none();
    done.indexed_items += u64::try_from(rows.len()).expect("a step is small");
    let table = Arc::clone(table);
    submit(
        writer,
        quiet(move |group| {
            let Ok(table) = group.current(&table) else { return Ok(()) };
            // Another step may have finished the index since. Its rows are all there then, and must not be counted again.
            let is_filling = |index: &&Index| index.spec.number == number && index.spec.backfilling;
            let Some(filling) = table.indexes.iter().find(is_filling) else { return Ok(()) };
            for (row_key, _) in rows {
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
    done.at_once |= walks.advance(walk, next);
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
        let gone = ended && count < STRETCH_ROWS;
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
        done.at_once |= count == STRETCH_ROWS;
    }
    Ok(())
}

fn old_records(writer: &Writer, stream: &StreamSpec, now: Timestamp) -> Result<Vec<Bytes>, StoreError> {
    let ground = writer.ground();
    let span = Span { start: record_key(stream.number, 0), end: Some(record_key(stream.number + 1, 0)) };
    let snapshot = ground.kv.snapshot();
    let mut old = Vec::new();
    for record in snapshot.range(&ground.spaces.streams, span.bounds(), Direction::Forward).take(STRETCH_ROWS)
    {
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
    let spent =
        |token: &Bytes, stored: &Bytes| Ok(request_token::is_spent(stored, now).then(|| token.to_vec()));
    let forget = |tokens| submit(writer, quiet(move |group| forget_spent(group, tokens))).map(drop);
    let Walked { found, at_once } =
        walks.go(&ground.kv, Walk::Tokens, &ground.spaces.tokens, spent, forget)?;
    done.spent_tokens += found;
    done.at_once |= at_once;
    Ok(())
}

/// The removal looks again: a token may have been used since.
fn forget_spent(group: &mut Group<'_>, tokens: Vec<Vec<u8>>) -> Result<(), StoreError> {
    for token in tokens {
        let stored = group.read_token(&token)?;
        if stored.is_some_and(|stored| request_token::is_spent(&stored, group.now.get())) {
            group.forget_token(token);
        }
    }
    Ok(())
}
