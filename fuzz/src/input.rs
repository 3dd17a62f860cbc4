//! Bytes as decisions: a target takes what it needs from the front, and an input that is too short goes on with zeros. So every
//! input means something, and a small change of the bytes is a small change of what is tried.

use std::borrow::Cow;

use tabletheory_core::{Item, Number, Value};

/// What is left of an input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// All that is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// One of `count` choices.
    pub(crate) fn choice(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    pub(crate) fn wide(&mut self) -> usize {
        usize::from(self.byte()) << 8 | usize::from(self.byte())
    }

    /// As many bytes as the next byte says, or what is left.
    pub(crate) fn piece(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (piece, rest) = self.0.split_at(length);
        self.0 = rest;
        piece
    }

    /// The bytes up to the next line end, which is dropped.
    pub(crate) fn line(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == b'\n').unwrap_or(self.0.len());
        let line = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        line
    }

    pub(crate) fn text(&mut self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.piece())
    }

    pub(crate) fn number(&mut self) -> Number {
        if self.byte() < 128 {
            return Number::from(i64::from(self.byte()) - 100);
        }
        self.text().parse().unwrap_or(Number::ZERO)
    }

    /// A string, a number or a binary.
    pub(crate) fn key_value(&mut self, kind: usize) -> Value {
        match kind {
            0 => Value::S(self.text().into_owned()),
            1 => Value::N(self.number()),
            _ => Value::B(self.piece().to_vec()),
        }
    }

    /// A value of any type, not deeper than `depth`.
    pub(crate) fn value(&mut self, depth: usize) -> Value {
        let simple = if depth == 0 { 5 } else { 10 };
        match self.choice(simple) {
            kind @ 0..=2 => self.key_value(kind),
            3 => Value::Bool(self.byte() > 0),
            4 => Value::Null,
            5 => Value::L((0..self.choice(4)).map(|_| self.value(depth - 1)).collect()),
            6 => Value::M(self.item(depth - 1)),
            // A set has one member at least.
            7 => Value::Ss((0..=self.choice(3)).map(|_| self.text().into_owned()).collect()),
            8 => Value::Ns((0..=self.choice(3)).map(|_| self.number()).collect()),
            _ => Value::Bs((0..=self.choice(3)).map(|_| self.piece().to_vec()).collect()),
        }
    }

    pub(crate) fn item(&mut self, depth: usize) -> Item {
        let mut item = Item::new();
        for _ in 0..self.choice(6) {
            let name = self.text();
            item.insert(&*name, self.value(depth));
        }
        item
    }
}
