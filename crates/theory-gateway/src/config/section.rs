//! A table of the file with what variables and flags say to its keys: values are asked for by key, and whatever is asked for is
//! explained. Problems are gathered, so that a reader goes on to the end.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::Document;
use super::explained::{Explained, Explanation};
use super::flags::Flags;
use super::form::Form;
use super::known::Known;
use super::problem::{Problem, shown};
use super::raw::Raw;
use super::scope::Scope;
use super::source::Source;
use super::suggest;

/// What the environment says to a name.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What is read from, and what was found so far.
pub(super) struct Reader<'a> {
    pub(super) document: &'a Document,
    pub(super) flags: &'a Flags,
    pub(super) environment: Environment<'a>,
    pub(super) problems: RefCell<Vec<Problem>>,
    pub(super) explanation: RefCell<Explanation>,
}

/// A table of the file.
#[derive(Clone)]
pub(super) struct Section<'a> {
    reader: &'a Reader<'a>,
    scope: Scope,
    table: String,
    entries: BTreeMap<&'a str, &'a Spanned<DeValue<'a>>>,
    /// Where it stands, or what it would stand in.
    source: Source,
    /// Whether variables and flags speak about it.
    is_heard: bool,
}

/// A value as it was said, and where.
pub(super) struct Found<'a> {
    pub(super) raw: Raw<'a>,
    pub(super) source: Source,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document, flags: &'a Flags, environment: Environment<'a>) -> Self {
        let (problems, explanation) = (RefCell::default(), RefCell::default());
        Self { document, flags, environment, problems, explanation }
    }

    /// Something is wrong.
    pub(super) fn refuse(&self, source: Source, text: impl Into<String>) {
        self.problems.borrow_mut().push(Problem { source, text: text.into() });
    }

    /// The top of the file.
    pub(super) fn top(&'a self, table: &'a DeTable<'a>) -> Section<'a> {
        let mut top = Section::nowhere(self, Scope::Top, "");
        top.enter(table);
        top
    }

    fn variable(&self, name: &'static str) -> Option<String> {
        match (self.environment)(name)?.into_string() {
            // A variable that is set to nothing is one that somebody wanted to unset.
            Ok(text) if text.trim().is_empty() => None,
            Ok(text) => Some(text),
            Err(_) => {
                self.refuse(Source::Variable(name), "this is no UTF-8 text");
                None
            }
        }
    }
}

impl<'a> Section<'a> {
    /// A table that nobody wrote.
    pub(super) fn nowhere(reader: &'a Reader<'a>, scope: Scope, table: &str) -> Self {
        let (table, entries) = (table.to_owned(), BTreeMap::new());
        Self { reader, scope, table, entries, source: Source::Default, is_heard: true }
    }

    /// The same, about which variables and flags speak, or do not.
    pub(super) fn heard(mut self, is_heard: bool) -> Self {
        self.is_heard = is_heard;
        self
    }

    fn enter(&mut self, table: &'a DeTable<'a>) {
        for (key, value) in table {
            let name: &'a str = key.get_ref();
            if Known::find(self.scope, name).is_some() {
                self.entries.insert(name, value);
                continue;
            }
            let advice = suggest::advice(self.scope, name);
            let place = if self.scope == Scope::Top { "at the top" } else { "here" };
            let source = self.reader.document.source(key.span().start);
            self.reader.refuse(source, format!("`{}` is unknown {place}: {advice}", self.full(&shown(name))));
        }
    }

    /// What people call it.
    pub(super) fn call(&self, title: impl Into<String>) {
        self.reader.explanation.borrow_mut().titles.insert(self.table.clone(), title.into());
    }

    pub(super) fn reader(&self) -> &'a Reader<'a> {
        self.reader
    }

    /// The full name of a key.
    pub(super) fn full(&self, key: &str) -> String {
        if self.table.is_empty() { key.to_owned() } else { format!("{}.{key}", self.table) }
    }

    /// Where it stands.
    pub(super) fn source(&self) -> Source {
        self.source.clone()
    }

    /// Whether the file has it.
    pub(super) fn is_written(&self) -> bool {
        self.source != Source::Default
    }

    /// Whether the file says something to a key.
    pub(super) fn writes(&self, key: &str) -> Option<Source> {
        self.entries.get(key).map(|value| self.reader.document.source(value.span().start))
    }

    /// What is said to a key by the strongest who says something.
    pub(super) fn find(&self, key: &str) -> Option<Found<'a>> {
        let outside = if self.is_heard { self.outside(key) } else { None };
        outside.or_else(|| {
            let value = *self.entries.get(key)?;
            let source = self.reader.document.source(value.span().start);
            Some(Found { raw: Raw::File(value), source })
        })
    }

    /// What a flag or a variable says to a key.
    pub(super) fn outside(&self, key: &str) -> Option<Found<'a>> {
        let known = Known::find(self.scope, key).expect("whatever is asked for is in the list of keys");
        let flag = known.flag.and_then(|flag| {
            let raw = Raw::Outside(self.reader.flags.get(flag)?);
            Some(Found { raw, source: Source::Flag(flag) })
        });
        flag.or_else(|| {
            known.variables.iter().copied().find_map(|name| {
                let raw = Raw::Outside(self.reader.variable(name)?);
                Some(Found { raw, source: Source::Variable(name) })
            })
        })
    }

    /// A value and where it came from. One that cannot be is a problem, and like one that nobody said.
    pub(super) fn get<T: Form>(&self, key: &'static str) -> Option<(T, Source)> {
        let Found { raw, source } = self.find(key)?;
        match T::read(&raw) {
            Ok(value) => {
                self.explain(key, value.shown(), source.clone());
                Some((value, source))
            }
            Err(wrong) => {
                let (part, at) = wrong.part.unwrap_or_else(|| (raw.shown(), None));
                let source = at.map_or(source, |at| self.reader.document.source(at));
                self.reader
                    .refuse(source, format!("`{}` cannot be {part}: {}", self.full(key), wrong.advice));
                None
            }
        }
    }

    /// A value, or the one that counts if nobody said another.
    pub(super) fn or<T: Form>(&self, key: &'static str, default: T) -> T {
        self.or_from(key, default, Source::Default).0
    }

    /// A value, or one that was said elsewhere.
    pub(super) fn or_from<T: Form>(&self, key: &'static str, default: T, from: Source) -> (T, Source) {
        if self.find(key).is_none() {
            self.explain(key, default.shown(), from.clone());
            return (default, from);
        }
        self.get(key).unwrap_or((default, from))
    }

    /// A value, or nothing, which is explained as well.
    pub(super) fn maybe<T: Form>(&self, key: &'static str) -> Option<T> {
        if self.find(key).is_none() {
            self.explain(key, Value::Null, Source::Default);
        }
        self.get(key).map(|(value, _)| value)
    }

    /// A path. In the file, it begins at the file's folder.
    pub(super) fn path(&self, key: &'static str) -> Option<(PathBuf, Source)> {
        let Found { raw, source } = self.find(key)?;
        let written = match raw.text().map(str::trim) {
            Some(text) if !text.is_empty() && !text.contains('\0') => text.to_owned(),
            _ => {
                let text = format!("`{}` cannot be {}: write a path", self.full(key), raw.shown());
                self.reader.refuse(source, text);
                return None;
            }
        };
        let path = match source {
            Source::File { .. } => self.reader.document.path(&written),
            _ => PathBuf::from(written),
        };
        self.explain(key, Value::String(path.display().to_string()), source.clone());
        Some((path, source))
    }

    /// A value counts.
    pub(super) fn explain(&self, key: &'static str, value: Value, source: Source) {
        let explained = Explained { table: self.table.clone(), key, value, source };
        self.reader.explanation.borrow_mut().values.push(explained);
    }

    /// Something is wrong with what is said to a key, or with that nothing is.
    pub(super) fn refuse(&self, key: &str, what: impl Display) {
        let source = self.find(key).map_or_else(|| self.source(), |found| found.source);
        self.reader.refuse(source, format!("`{}` {what}", self.full(key)));
    }

    /// A table in this one.
    pub(super) fn table(&self, key: &'static str, scope: Scope) -> Self {
        let mut section = self.empty(key, scope);
        if let Some(value) = self.entries.get(key) {
            match value.get_ref() {
                DeValue::Table(table) => section.enter(table),
                _ => self.refuse(key, format!("cannot be {}: write a table", Raw::File(value).shown())),
            }
        }
        section
    }

    /// A table in this one of which nothing is written but that it is there.
    pub(super) fn empty(&self, key: &'static str, scope: Scope) -> Self {
        let mut section = Self::nowhere(self.reader, scope, &self.full(key)).heard(self.is_heard);
        section.source = self.writes(key).unwrap_or_else(|| self.source());
        section
    }

    /// A table in this one that can also be written as the value of one of its keys.
    pub(super) fn table_or(&self, key: &'static str, scope: Scope, short: &'static str) -> Self {
        match self.entries.get(key) {
            Some(value) if !value.get_ref().is_table() => {
                let mut section = self.empty(key, scope);
                section.entries.insert(short, value);
                section
            }
            _ => self.table(key, scope),
        }
    }

    /// The tables of a list in this one.
    pub(super) fn tables(&self, key: &'static str, scope: Scope) -> Vec<Self> {
        let Some(value) = self.entries.get(key) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            self.refuse(key, format!("is a list of tables: write `[[{}]]`", plain(&self.full(key))));
            return Vec::new();
        };
        let sections = items.iter().enumerate().filter_map(|(position, item)| {
            let table = format!("{}[{position}]", self.full(key));
            let mut section = Self::nowhere(self.reader, scope, &table).heard(false);
            section.source = self.reader.document.source(item.span().start);
            match item.get_ref() {
                DeValue::Table(table) => {
                    section.enter(table);
                    Some(section)
                }
                _ => {
                    let text = format!("`{table}` cannot be {}: write a table", Raw::File(item).shown());
                    self.reader.refuse(section.source, text);
                    None
                }
            }
        });
        sections.collect()
    }
}

/// The name of a table as it is headed: without positions.
fn plain(table: &str) -> String {
    let mut depth = 0_usize;
    table
        .chars()
        .filter(|letter| {
            match letter {
                '[' => depth += 1,
                ']' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}
