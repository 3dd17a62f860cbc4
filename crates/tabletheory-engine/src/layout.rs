//! How keys become bytes that sort as DynamoDB sorts. A row's key is a hash of its partition key, the partition key,
//! the sort key, and for an index row what else makes it unique. `docs/format.md` draws the bytes.

use std::cell::RefCell;
use std::ops::Bound;

use tabletheory_core::expr::KeyPredicate;
use tabletheory_core::{Item, Value};

use crate::kv::Bytes;

/// How many bytes of hash stand before a partition: enough to cut a table into a million segments.
const HASH_BYTES: usize = 4;

/// What stands before a partition.
pub(crate) type PartitionHash = [u8; HASH_BYTES];

/// The hash that the key of a row begins with.
pub(crate) fn partition_hash(key: &[u8]) -> Option<PartitionHash> {
    key.first_chunk().copied()
}

/// Strings and binaries that something follows end like this, and a zero byte inside them is written [`ZERO`].
const END: [u8; 2] = [0, 0];
const ZERO: [u8; 2] = [0, 0xff];

/// Appends a key value that something may follow.
fn write_part(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::N(number) => number.encode_ordered(out),
        Value::S(text) => write_escaped(text.as_bytes(), out),
        Value::B(bytes) => write_escaped(bytes, out),
        other => unreachable!("a key is a string, a number or a binary, not {:?}", other.kind()),
    }
}

fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    write_escaped_prefix(bytes, out);
    out.extend_from_slice(&END);
}

fn write_escaped_prefix(bytes: &[u8], out: &mut Vec<u8>) {
    // Few keys have a zero byte, and a look for one goes through many bytes at once.
    if !bytes.contains(&0) {
        out.extend_from_slice(bytes);
        return;
    }
    for (at, run) in bytes.split(|byte| *byte == 0).enumerate() {
        if at > 0 {
            out.extend_from_slice(&ZERO);
        }
        out.extend_from_slice(run);
    }
}

/// Appends a key value that nothing follows.
fn write_last(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::N(number) => number.encode_ordered(out),
        Value::S(text) => out.extend_from_slice(text.as_bytes()),
        Value::B(bytes) => out.extend_from_slice(bytes),
        other => unreachable!("a key is a string, a number or a binary, not {:?}", other.kind()),
    }
}

thread_local! {
    /// Where keys are written before their length is known. It is kept: keys are short, and each would allocate twice.
    static DRAFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A draft larger than this is not kept: keys that are asked for may be longer than any that is stored.
const DRAFT_BYTES_MAX: usize = 8 * 1024;

/// What `write` writes, unless it gives up.
fn drafted(write: impl FnOnce(&mut Vec<u8>) -> Option<()>) -> Option<Bytes> {
    DRAFT.with_borrow_mut(|draft| {
        draft.clear();
        let written = write(draft).map(|()| Bytes::from(draft.as_slice()));
        if draft.capacity() > DRAFT_BYTES_MAX {
            *draft = Vec::new();
        }
        written
    })
}

/// The attributes that make the key of a row, in the order they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowShape {
    /// The partition key: one attribute, or up to four of a global index.
    pub partition: Vec<String>,
    /// The sort key: none or one attribute, or up to four of a global index.
    pub sort: Vec<String>,
    /// The attributes of the table's key that an index key does not have already.
    pub rest: Vec<String>,
}

impl RowShape {
    /// Every attribute of the row's key.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &str> {
        self.partition.iter().chain(&self.sort).chain(&self.rest).map(String::as_str)
    }

    /// The key of the row that `item` has, or `None` if the item lacks a key attribute. The types were checked before.
    pub(crate) fn row_key(&self, item: &Item) -> Option<Bytes> {
        self.row_key_of(self.attributes().map(|name| item.get(name)))
    }

    /// The key of the row with these values of its [`attributes`](Self::attributes), or `None` if one is missing.
    pub(crate) fn row_key_of<'v>(
        &self,
        mut values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Option<Bytes> {
        drafted(|out| {
            self.write_partition(&mut values, out)?;
            let mut following = self.sort.len() + self.rest.len();
            while following > 0 {
                following -= 1;
                let value = values.next()??;
                if following > 0 { write_part(value, out) } else { write_last(value, out) }
            }
            Some(())
        })
    }

    fn write_partition<'v>(
        &self,
        values: &mut impl Iterator<Item = Option<&'v Value>>,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        out.extend_from_slice(&[0; HASH_BYTES]);
        for _ in &self.partition {
            write_part(values.next()??, out);
        }
        let hash = xxhash_rust::xxh3::xxh3_64(&out[HASH_BYTES..]).to_be_bytes();
        out[..HASH_BYTES].copy_from_slice(&hash[..HASH_BYTES]);
        Some(())
    }

    /// The partition part of the row key, which all rows of the partition share.
    pub(crate) fn partition_key(&self, item: &Item) -> Option<Bytes> {
        drafted(|out| self.write_partition(&mut self.attributes().map(|name| item.get(name)), out))
    }

    /// The rows a query visits: those of `partition` whose first sort attributes equal `equal`, and whose next one
    /// satisfies `last`.
    pub(crate) fn span(&self, partition: &Item, equal: &[&Value], last: Option<&KeyPredicate>) -> Span {
        let mut prefix = Vec::with_capacity(64);
        self.write_partition(&mut self.attributes().map(|name| partition.get(name)), &mut prefix)
            .expect("the query was checked to name the whole partition key");
        let parts = self.sort.len() + self.rest.len();
        for (at, value) in equal.iter().enumerate() {
            if at + 1 == parts {
                // Only rows with exactly this key are left, and that is at most one.
                write_last(value, &mut prefix);
                let end = after_key(&prefix);
                return Span { start: prefix, end: Some(end) };
            }
            write_part(value, &mut prefix);
        }
        let is_last = equal.len() + 1 == parts;
        match last {
            None => Span::prefix(prefix),
            Some(predicate) => Bounds { prefix, is_last }.span(predicate),
        }
    }
}

/// The bounds of one sort attribute behind a prefix.
struct Bounds {
    prefix: Vec<u8>,
    is_last: bool,
}

impl Bounds {
    fn at(&self, value: &Value) -> Vec<u8> {
        let mut key = self.prefix.clone();
        if self.is_last {
            write_last(value, &mut key)
        } else {
            write_part(value, &mut key)
        }
        key
    }

    /// The first key behind every row that has `value`.
    fn after(&self, value: &Value) -> Option<Vec<u8>> {
        let key = self.at(value);
        if self.is_last { Some(after_key(&key)) } else { after_prefix(&key) }
    }

    fn span(self, predicate: &KeyPredicate) -> Span {
        match predicate {
            KeyPredicate::Eq(value) => Span { start: self.at(value), end: self.after(value) },
            KeyPredicate::Lt(value) => Span { end: Some(self.at(value)), start: self.prefix },
            KeyPredicate::Le(value) => Span { end: self.after(value), start: self.prefix },
            KeyPredicate::Ge(value) => Span { start: self.at(value), end: after_prefix(&self.prefix) },
            KeyPredicate::Gt(value) => match self.after(value) {
                Some(start) => Span { start, end: after_prefix(&self.prefix) },
                None => Span::EMPTY,
            },
            KeyPredicate::Between(low, high) => Span { start: self.at(low), end: self.after(high) },
            KeyPredicate::BeginsWith(value) => {
                let mut start = self.prefix;
                let bytes = match value {
                    Value::S(text) => text.as_bytes(),
                    Value::B(bytes) => bytes,
                    other => {
                        unreachable!("begins_with was checked to have a string or binary, not {other:?}")
                    }
                };
                if self.is_last {
                    start.extend_from_slice(bytes)
                } else {
                    write_escaped_prefix(bytes, &mut start)
                }
                Span::prefix(start)
            }
        }
    }
}

/// A stretch of keys: from `start`, included, to `end`, not included, or to the last key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first key.
    pub start: Vec<u8>,
    /// The first key that is behind the stretch.
    pub end: Option<Vec<u8>>,
}

impl Span {
    /// No keys.
    pub(crate) const EMPTY: Self = Self { start: Vec::new(), end: Some(Vec::new()) };

    /// Every key that begins with `prefix`.
    pub(crate) fn prefix(prefix: Vec<u8>) -> Self {
        Self { end: after_prefix(&prefix), start: prefix }
    }

    /// The keys of one segment of a scan.
    pub(crate) fn segment(segment: u32, total: u32) -> Self {
        let cut = |number: u32| (u64::from(number) << 32) / u64::from(total);
        let key = |hash: u64| hash.to_be_bytes()[8 - HASH_BYTES..].to_vec();
        let end = (segment + 1 < total).then(|| key(cut(segment + 1)));
        Self { start: key(cut(segment)), end }
    }

    /// The stretch as bounds of a range.
    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        let end = self.end.as_ref().map_or(Bound::Unbounded, |end| Bound::Excluded(end.as_slice()));
        (Bound::Included(&self.start), end)
    }

    /// Whether the stretch can hold no key.
    pub(crate) fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether `key` lies in the stretch.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_slice() && self.end.as_ref().is_none_or(|end| key < end.as_slice())
    }

    /// The hash that all its keys begin with, if they are those of one partition, or a few of one hash.
    pub(crate) fn partition(&self) -> Option<PartitionHash> {
        let hash = partition_hash(&self.start)?;
        (partition_hash(self.end.as_ref()?)? == hash).then_some(hash)
    }

    /// What is left of the stretch behind `key`, walking forward or back.
    #[must_use]
    pub(crate) fn resume(self, key: &[u8], forward: bool) -> Self {
        if forward {
            Self { start: self.start.max(after_key(key)), end: self.end }
        } else {
            let end = self.end.map_or_else(|| key.to_vec(), |end| end.min(key.to_vec()));
            Self { start: self.start, end: Some(end) }
        }
    }
}

/// The key of a record: its stream, then its sequence number.
pub(crate) fn record_key(stream: u64, sequence: u64) -> Vec<u8> {
    let mut key = stream.to_be_bytes().to_vec();
    key.extend_from_slice(&sequence.to_be_bytes());
    key
}

/// The sequence number in a record's key.
pub(crate) fn sequence_of(key: &[u8]) -> Option<u64> {
    key.get(8..16).map(|bytes| u64::from_be_bytes(bytes.try_into().expect("eight bytes were asked for")))
}

/// The key right behind `key`.
pub(crate) fn after_key(key: &[u8]) -> Vec<u8> {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    next
}

/// The first key behind all keys that begin with `prefix`, or `None` if nothing can be behind them.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut next = prefix[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

#[cfg(test)]
mod tests;
