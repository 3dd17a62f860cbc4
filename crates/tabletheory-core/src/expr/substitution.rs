//! The names and values that placeholders stand for: what may be sent, what a placeholder means, and which of them no
//! expression used.

use std::collections::BTreeMap;

use crate::error::StoreError;
use crate::limits::{ATTRIBUTE_NAME_BYTES_MAX, EXPRESSION_VALUES_BYTES_MAX, PLACEHOLDER_BYTES_MAX};
use crate::size::attribute_bytes;
use crate::value::Value;

/// Placeholders of one sort, in order, and whether each was used.
#[derive(Debug, Clone)]
struct Table<T> {
    rows: Vec<Row<T>>,
}

#[derive(Debug, Clone)]
struct Row<T> {
    placeholder: String,
    meaning: T,
    used: bool,
}

impl<T: Clone> Table<T> {
    fn new(meanings: BTreeMap<String, T>) -> Self {
        // A map's order is the order of its keys, so the rows can be searched by halves.
        let rows =
            meanings.into_iter().map(|(placeholder, meaning)| Row { placeholder, meaning, used: false });
        Self { rows: rows.collect() }
    }

    fn resolve(&mut self, placeholder: &str) -> Option<T> {
        let at = self.rows.binary_search_by(|row| row.placeholder.as_str().cmp(placeholder)).ok()?;
        let row = &mut self.rows[at];
        row.used = true;
        Some(row.meaning.clone())
    }

    fn refuse_unused(&self, parameter: &str) -> Result<(), StoreError> {
        let unused: Vec<&str> =
            self.rows.iter().filter(|row| !row.used).map(|row| row.placeholder.as_str()).collect();
        if unused.is_empty() {
            return Ok(());
        }
        let keys = unused.join(", ");
        Err(StoreError::validation(format!(
            "Value provided in {parameter} unused in expressions: keys: {{{keys}}}"
        )))
    }
}

pub(super) const NAMES: &str = "ExpressionAttributeNames";
pub(super) const VALUES: &str = "ExpressionAttributeValues";

/// What a request's placeholders stand for.
#[derive(Debug, Clone)]
pub(super) struct Substitutions {
    names: Table<String>,
    values: Table<Value>,
}

impl Substitutions {
    pub(super) fn new(
        names: Option<BTreeMap<String, String>>,
        values: Option<BTreeMap<String, Value>>,
    ) -> Result<Self, StoreError> {
        if let Some(names) = &names {
            check_names(names)?;
        }
        if let Some(values) = &values {
            check_values(values)?;
        }
        Ok(Self {
            names: Table::new(names.unwrap_or_default()),
            values: Table::new(values.unwrap_or_default()),
        })
    }

    /// The attribute name that `#…` stands for.
    pub(super) fn name(&mut self, placeholder: &str) -> Option<String> {
        self.names.resolve(placeholder)
    }

    /// The value that `:…` stands for.
    pub(super) fn value(&mut self, placeholder: &str) -> Option<Value> {
        self.values.resolve(placeholder)
    }

    pub(super) fn refuse_unused(&self) -> Result<(), StoreError> {
        self.names.refuse_unused(NAMES)?;
        self.values.refuse_unused(VALUES)
    }
}

fn check_names(names: &BTreeMap<String, String>) -> Result<(), StoreError> {
    check_keys(NAMES, '#', names)?;
    for (placeholder, name) in names {
        let complaint = match name.len() {
            0 => "Empty attribute name",
            1..=ATTRIBUTE_NAME_BYTES_MAX => continue,
            _ => "Attribute name is too large, must be less than 65536 bytes",
        };
        let message = format!("{NAMES} contains invalid value: {complaint} for key {placeholder}");
        return Err(StoreError::validation(message));
    }
    Ok(())
}

fn check_values(values: &BTreeMap<String, Value>) -> Result<(), StoreError> {
    check_keys(VALUES, ':', values)?;
    let bytes: usize = values.iter().map(|(placeholder, value)| attribute_bytes(placeholder, value)).sum();
    if bytes > EXPRESSION_VALUES_BYTES_MAX {
        return Err(StoreError::validation(format!("{VALUES} exceeds max size")));
    }
    Ok(())
}

fn check_keys<T>(parameter: &str, mark: char, meanings: &BTreeMap<String, T>) -> Result<(), StoreError> {
    if meanings.is_empty() {
        return Err(StoreError::validation(format!("{parameter} must not be empty")));
    }
    for key in meanings.keys() {
        let complaint = if key.is_empty() {
            "The expression attribute map contains an empty key;".to_owned()
        } else if key.len() > PLACEHOLDER_BYTES_MAX {
            let complaint = "The expression attribute map contains a key that is too long;";
            // The service counts for the reader only here.
            if mark == '#' { format!("{complaint} size of key: {}", key.len()) } else { complaint.to_owned() }
        } else if !is_placeholder(mark, key) {
            format!("Syntax error; key: \"{key}\"")
        } else {
            continue;
        };
        return Err(StoreError::validation(format!("{parameter} contains invalid key: {complaint}")));
    }
    Ok(())
}

fn is_placeholder(mark: char, key: &str) -> bool {
    key.strip_prefix(mark).is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}
