//! The binary form of an item. Attributes are sorted by name and every value says how long it is, so a reader can take
//! the few attributes it needs and step over the rest. `docs/format.md` draws the bytes.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tabletheory_core::item::Name;
use tabletheory_core::limits::NESTING_MAX;
use tabletheory_core::{Item, Number, Value};

use crate::kv::Bytes;

/// The stored bytes are not an item: the medium changed them behind our back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stored item cannot be read at byte {at}")]
pub struct Damaged {
    /// How many bytes were left when reading failed.
    at: usize,
}

/// Values inside each other: what an item may have, and a stream record around it. Bytes that go deeper, such as a
/// forged page token, are refused before they exhaust the stack.
const DEPTH_MAX: usize = NESTING_MAX + 4;

mod tag {
    pub(super) const S: u8 = 1;
    pub(super) const N: u8 = 2;
    pub(super) const B: u8 = 3;
    pub(super) const FALSE: u8 = 4;
    pub(super) const TRUE: u8 = 5;
    pub(super) const NULL: u8 = 6;
    pub(super) const L: u8 = 7;
    pub(super) const M: u8 = 8;
    pub(super) const SS: u8 = 9;
    pub(super) const NS: u8 = 10;
    pub(super) const BS: u8 = 11;
}

thread_local! {
    /// Where items are written before their length is known. It is kept, so that encoding allocates once.
    static DRAFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A draft larger than this is not kept.
const DRAFT_BYTES_MAX: usize = 64 * 1024;

/// The item as bytes.
pub(crate) fn encode(item: &Item) -> Bytes {
    DRAFT.with_borrow_mut(|draft| {
        draft.clear();
        write_map(item, draft);
        let bytes = Bytes::from(draft.as_slice());
        if draft.capacity() > DRAFT_BYTES_MAX {
            *draft = Vec::new();
        }
        bytes
    })
}

/// The item that `bytes` hold.
pub(crate) fn decode(bytes: &[u8]) -> Result<Item, Damaged> {
    let mut input = bytes;
    let item = read_map(&mut input, DEPTH_MAX)?;
    if input.is_empty() { Ok(item) } else { Err(Damaged { at: input.len() }) }
}

/// Reads items that follow each other. Most have the attributes of the one before, and a name that stood there at the same place
/// need not be looked at again.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    names: Vec<Name>,
}

impl Decoder {
    /// As [`decode`].
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Result<Item, Damaged> {
        let mut input = bytes;
        let item = read_map_with(&mut input, DEPTH_MAX, |at, input| self.name(at, input))?;
        if input.is_empty() { Ok(item) } else { Err(Damaged { at: input.len() }) }
    }

    fn name(&mut self, at: usize, input: &mut &[u8]) -> Result<Name, Damaged> {
        let mut ahead = *input;
        let bytes = read_sized(&mut ahead)?;
        if let Some(known) = self.names.get(at)
            && known.as_bytes() == bytes
        {
            *input = ahead;
            return Ok(known.clone());
        }
        let name = Name::from(read_name(input)?);
        match self.names.get_mut(at) {
            Some(known) => known.clone_from(&name),
            None => self.names.push(name.clone()),
        }
        Ok(name)
    }
}

/// Only these attributes of the item; `names` are sorted.
pub(crate) fn decode_only(bytes: &[u8], names: &[&str]) -> Result<Item, Damaged> {
    let mut input = bytes;
    let count = read_length(&mut input)?;
    let mut item = Item::with_capacity(names.len().min(count));
    let mut wanted = names.iter().peekable();
    for _ in 0..count {
        let name = read_name(&mut input)?;
        while wanted.next_if(|candidate| **candidate < name).is_some() {}
        match wanted.peek() {
            None => break,
            Some(candidate) if **candidate == name => {
                item.insert(name, read_value(&mut input, DEPTH_MAX)?);
            }
            Some(_) => skip_value(&mut input)?,
        }
    }
    Ok(item)
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    let mut rest = length;
    while rest >= 0x80 {
        out.push(low_bits(rest) | 0x80);
        rest >>= 7;
    }
    out.push(low_bits(rest));
}

fn low_bits(value: usize) -> u8 {
    u8::try_from(value & 0x7f).expect("seven bits fit a byte")
}

/// Most lengths are below 128 and take one byte.
#[inline]
fn read_length(input: &mut &[u8]) -> Result<usize, Damaged> {
    match **input {
        [length, ref rest @ ..] if length < 0x80 => {
            *input = rest;
            Ok(usize::from(length))
        }
        _ => read_long_length(input),
    }
}

fn read_long_length(input: &mut &[u8]) -> Result<usize, Damaged> {
    let mut length = 0_usize;
    for shift in [0, 7, 14, 21, 28] {
        let byte = read_byte(input)?;
        length |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(length);
        }
    }
    Err(Damaged { at: input.len() })
}

fn read_byte(input: &mut &[u8]) -> Result<u8, Damaged> {
    let (first, rest) = input.split_first().ok_or(Damaged { at: 0 })?;
    *input = rest;
    Ok(*first)
}

fn read_bytes<'a>(length: usize, input: &mut &'a [u8]) -> Result<&'a [u8], Damaged> {
    let (bytes, rest) = input.split_at_checked(length).ok_or(Damaged { at: input.len() })?;
    *input = rest;
    Ok(bytes)
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_length(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn read_sized<'a>(input: &mut &'a [u8]) -> Result<&'a [u8], Damaged> {
    let length = read_length(input)?;
    read_bytes(length, input)
}

fn read_name<'a>(input: &mut &'a [u8]) -> Result<&'a str, Damaged> {
    let at = input.len();
    std::str::from_utf8(read_sized(input)?).map_err(|_| Damaged { at })
}

fn write_map(map: &Item, out: &mut Vec<u8>) {
    write_length(map.len(), out);
    for (name, value) in map.iter() {
        write_bytes(name.as_bytes(), out);
        write_value(value, out);
    }
}

fn read_map(input: &mut &[u8], depth: usize) -> Result<Item, Damaged> {
    read_map_with(input, depth, |_, input| read_name(input).map(Name::from))
}

/// Reads a map whose names `read_name` reads; it is told the place of each.
fn read_map_with(
    input: &mut &[u8],
    depth: usize,
    mut read_name: impl FnMut(usize, &mut &[u8]) -> Result<Name, Damaged>,
) -> Result<Item, Damaged> {
    let count = read_length(input)?;
    // An attribute takes at least three bytes: a damaged count must not ask for memory that the bytes cannot fill.
    let mut attributes = Vec::with_capacity(count.min(input.len() / 3));
    for at in 0..count {
        attributes.push((read_name(at, input)?, read_attribute(input, depth)?));
    }
    Ok(Item::from(attributes))
}

/// A value of a map. Most are texts, and those are read here: a value that a call hands over is written to memory and copied from
/// there at once, before the processor has it.
#[inline(always)]
fn read_attribute(input: &mut &[u8], depth: usize) -> Result<Value, Damaged> {
    let ([tag::S, text @ ..], 1..) = (*input, depth) else { return read_value(input, depth) };
    let mut ahead = text;
    let text = read_name(&mut ahead)?.to_owned();
    *input = ahead;
    Ok(Value::S(text))
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::S(text) => {
            out.push(tag::S);
            write_bytes(text.as_bytes(), out);
        }
        Value::N(number) => {
            out.push(tag::N);
            write_number(number, out);
        }
        Value::B(bytes) => {
            out.push(tag::B);
            write_bytes(bytes, out);
        }
        Value::Bool(flag) => out.push(if *flag { tag::TRUE } else { tag::FALSE }),
        Value::Null => out.push(tag::NULL),
        Value::L(list) => write_container(tag::L, out, |out| {
            write_length(list.len(), out);
            list.iter().for_each(|element| write_value(element, out));
        }),
        Value::M(map) => write_container(tag::M, out, |out| write_map(map, out)),
        Value::Ss(set) => write_container(tag::SS, out, |out| {
            write_length(set.len(), out);
            set.iter().for_each(|member| write_bytes(member.as_bytes(), out));
        }),
        Value::Ns(set) => write_container(tag::NS, out, |out| {
            write_length(set.len(), out);
            set.iter().for_each(|member| write_number(member, out));
        }),
        Value::Bs(set) => write_container(tag::BS, out, |out| {
            write_length(set.len(), out);
            set.iter().for_each(|member| write_bytes(member, out));
        }),
    }
}

/// Numbers carry their length, so that skipping one is not decoding it.
fn write_number(number: &Number, out: &mut Vec<u8>) {
    let at = out.len();
    out.push(0);
    number.encode_ordered(out);
    out[at] = u8::try_from(out.len() - at - 1).expect("a number takes at most 22 bytes");
}

fn read_number(input: &mut &[u8]) -> Result<Number, Damaged> {
    let at = input.len();
    let mut bytes = read_sized(input)?;
    let number = Number::decode_ordered(&mut bytes).ok_or(Damaged { at })?;
    if bytes.is_empty() { Ok(number) } else { Err(Damaged { at }) }
}

/// Containers carry their length in four bytes that are filled in once it is known.
fn write_container(kind: u8, out: &mut Vec<u8>, contents: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    contents(out);
    let length = u32::try_from(out.len() - at - 4).expect("an item is far smaller than 4 GB");
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

fn read_container<'a>(input: &mut &'a [u8]) -> Result<&'a [u8], Damaged> {
    let length = read_bytes(4, input)?.try_into().expect("four bytes were asked for");
    let length = u32::from_le_bytes(length);
    read_bytes(usize::try_from(length).expect("u32 fits usize"), input)
}

fn read_value(input: &mut &[u8], depth: usize) -> Result<Value, Damaged> {
    let at = input.len();
    let damaged = Damaged { at };
    let depth = depth.checked_sub(1).ok_or(damaged)?;
    Ok(match read_byte(input)? {
        tag::S => Value::S(read_name(input)?.to_owned()),
        tag::N => Value::N(read_number(input)?),
        tag::B => Value::B(read_sized(input)?.to_vec()),
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::NULL => Value::Null,
        tag::L => Value::L(read_members(read_container(input)?, |input| read_value(input, depth))?),
        tag::M => {
            let mut contents = read_container(input)?;
            let map = read_map(&mut contents, depth)?;
            if !contents.is_empty() {
                return Err(damaged);
            }
            Value::M(map)
        }
        tag::SS => {
            Value::Ss(set(read_members(read_container(input)?, |input| Ok(read_name(input)?.to_owned()))?))
        }
        tag::NS => Value::Ns(set(read_members(read_container(input)?, read_number)?)),
        tag::BS => {
            Value::Bs(set(read_members(read_container(input)?, |input| Ok(read_sized(input)?.to_vec()))?))
        }
        _ => return Err(damaged),
    })
}

fn set<T: Ord>(members: Vec<T>) -> BTreeSet<T> {
    members.into_iter().collect()
}

fn read_members<T>(
    mut contents: &[u8],
    read: impl Fn(&mut &[u8]) -> Result<T, Damaged>,
) -> Result<Vec<T>, Damaged> {
    let count = read_length(&mut contents)?;
    let mut members = Vec::with_capacity(count.min(contents.len()));
    for _ in 0..count {
        members.push(read(&mut contents)?);
    }
    if contents.is_empty() { Ok(members) } else { Err(Damaged { at: contents.len() }) }
}

fn skip_value(input: &mut &[u8]) -> Result<(), Damaged> {
    let at = input.len();
    match read_byte(input)? {
        tag::S | tag::N | tag::B => read_sized(input).map(drop),
        tag::FALSE | tag::TRUE | tag::NULL => Ok(()),
        tag::L | tag::M | tag::SS | tag::NS | tag::BS => read_container(input).map(drop),
        _ => Err(Damaged { at }),
    }
}

#[cfg(test)]
mod tests;
