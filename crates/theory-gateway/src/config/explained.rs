//! Every value that counts, and where it came from.

use std::collections::BTreeMap;

use serde_json::Value;

use super::source::Source;

/// A value that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The table it stands in, such as `site[0].route[1]`; empty for the top.
    pub table: String,
    /// Its key.
    pub key: &'static str,
    /// What it is. Secrets are not shown; nothing is `null`.
    pub value: Value,
    /// Where it came from.
    pub source: Source,
}

/// Every value that counts, in the order in which they are told.
#[derive(Debug, Clone, Default)]
pub struct Explanation {
    pub(super) values: Vec<Explained>,
    pub(super) titles: BTreeMap<String, String>,
}

impl Explanation {
    /// The values.
    #[must_use]
    pub fn values(&self) -> &[Explained] {
        &self.values
    }

    /// What people call a table.
    #[must_use]
    pub fn title<'a>(&'a self, table: &'a str) -> &'a str {
        self.titles.get(table).map_or(table, String::as_str)
    }

    /// A value by its table and key.
    #[must_use]
    pub fn value(&self, table: &str, key: &str) -> Option<&Explained> {
        self.values.iter().find(|explained| explained.table == table && explained.key == key)
    }
}

impl Explained {
    /// The value as people read it.
    #[must_use]
    pub fn text(&self) -> String {
        fn text(value: &Value) -> String {
            match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
                other => other.to_string(),
            }
        }
        text(&self.value)
    }
}
