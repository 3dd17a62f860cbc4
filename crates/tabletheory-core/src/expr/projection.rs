//! The parts of an item that a read or a write returns: whole attributes, map fields under their maps, and list
//! elements moved together in the order they had.

use std::collections::BTreeSet;

use crate::expr::{Path, ProjectionExpression, Step};
use crate::item::Item;
use crate::value::Value;

impl ProjectionExpression {
    /// The parts of an item that the paths name. A path that leads nowhere leaves nothing behind, not even the maps
    /// and lists on its way.
    ///
    /// ```
    /// use tabletheory_core::expr::{Path, ProjectionExpression};
    /// use tabletheory_core::{Item, Value};
    ///
    /// let list = |names: &[&str]| Value::L(names.iter().copied().map(Value::s).collect());
    /// let item = Item::from([("tags", list(&["a", "b", "c"])), ("title", Value::s("Hi"))]);
    /// let tags = Path::attribute("tags");
    /// let ends = ProjectionExpression { paths: vec![tags.clone().index(2), tags.index(0)] };
    /// assert_eq!(ends.apply(&item), Item::from([("tags", list(&["a", "c"]))]));
    /// ```
    #[must_use]
    pub fn apply(&self, item: &Item) -> Item {
        project(self.paths.iter(), item)
    }

    /// The names of the attributes that the projection reads, sorted, each once.
    #[must_use]
    pub fn attributes(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.paths.iter().map(|path| path.root.as_str()).collect();
        names.into_iter().collect()
    }
}

/// The parts of an item at `paths`.
pub(crate) fn project<'a>(paths: impl Iterator<Item = &'a Path>, item: &Item) -> Item {
    let mut paths: Vec<&Path> = paths.collect();
    // Sorted, paths that go the same way stand together, those that end first come first, and list elements are in
    // the order that the answer needs.
    paths.sort_unstable();
    let mut projected = Item::with_capacity(paths.len());
    for group in paths.chunk_by(|one, next| one.root == next.root) {
        let root = &group[0].root;
        if let Some(part) = item.get(root).and_then(|value| select(value, group, 0)) {
            projected.insert(root.as_str(), part);
        }
    }
    projected
}

/// The parts of a value at the ends of sorted paths that have gone `depth` steps to reach it.
fn select(value: &Value, paths: &[&Path], depth: usize) -> Option<Value> {
    if paths.iter().any(|path| path.steps.len() == depth) {
        return Some(value.clone());
    }
    let groups = paths.chunk_by(|one, next| one.steps.get(depth) == next.steps.get(depth));
    match value {
        Value::M(map) => {
            let mut parts = Item::new();
            for group in groups {
                let Some(Step::Field(name)) = group[0].steps.get(depth) else { continue };
                if let Some(part) = map.get(name).and_then(|field| select(field, group, depth + 1)) {
                    parts.insert(name.as_str(), part);
                }
            }
            (!parts.is_empty()).then_some(Value::M(parts))
        }
        Value::L(list) => {
            let mut parts = Vec::new();
            for group in groups {
                let Some(Step::Index(position)) = group[0].steps.get(depth) else { continue };
                let element = usize::try_from(*position).ok().and_then(|position| list.get(position));
                parts.extend(element.and_then(|element| select(element, group, depth + 1)));
            }
            (!parts.is_empty()).then_some(Value::L(parts))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
