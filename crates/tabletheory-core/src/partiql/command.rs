//! What a statement asks for, as trees the engine runs with its ordinary operations.

use crate::expr::{Condition, ProjectionExpression, Update};
use crate::item::Item;
use crate::store::op::ReturnValues;

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// `SELECT … FROM …`
    Select(Select),
    /// `INSERT INTO … VALUE …`
    Insert(Insert),
    /// `UPDATE … SET … REMOVE … WHERE …`, also written `FROM … WHERE … SET …`.
    Update(UpdateStatement),
    /// `DELETE FROM … WHERE …`
    Delete(Delete),
    /// `EXISTS(SELECT …)`: a condition check inside a transaction of writes.
    Exists(Select),
}

impl Command {
    /// The table the statement names.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::Select(select) | Self::Exists(select) => &select.table,
            Self::Insert(insert) => &insert.table,
            Self::Update(update) => &update.table,
            Self::Delete(delete) => &delete.table,
        }
    }

    /// Whether the statement belongs among reads. `EXISTS` does not: it guards writes.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self, Self::Select(_))
    }
}

/// Reads items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Select {
    /// The table.
    pub table: String,
    /// The index to read, if not the table itself.
    pub index: Option<String>,
    /// What to return; everything if absent. Each path comes back as [`column_name`](super::column_name) says.
    pub projection: Option<ProjectionExpression>,
    /// The `WHERE` clause.
    pub condition: Option<Condition>,
    /// The `ORDER BY` clause, empty without one.
    pub order: Vec<OrderKey>,
}

/// One attribute of an `ORDER BY` clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderKey {
    /// The attribute. Only keys can order; which these are the engine knows.
    pub attribute: String,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// Writes an item that must not be there yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Insert {
    /// The table.
    pub table: String,
    /// The item.
    pub item: Item,
}

/// Changes an item that must be there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateStatement {
    /// The table.
    pub table: String,
    /// The changes, in the order written.
    pub update: Update,
    /// The `WHERE` clause: the key, and what else must be true.
    pub condition: Option<Condition>,
    /// The `RETURNING` clause.
    pub returning: ReturnValues,
}

/// Removes an item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Delete {
    /// The table.
    pub table: String,
    /// The `WHERE` clause: the key, and what else must be true.
    pub condition: Option<Condition>,
    /// The `RETURNING` clause: nothing, or the item as it was.
    pub returning: ReturnValues,
}
