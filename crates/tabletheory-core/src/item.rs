//! An item: attribute names and their values. A nested map is the same thing, so [`crate::Value::M`] holds one too.
//! How large an item is, by DynamoDB's rules, stands in [`crate::size`].

use compact_str::CompactString;

use crate::value::Value;

/// An attribute's name. Names are short and every item has many, so up to 24 bytes are kept in place.
pub type Name = CompactString;

/// Up to so many attributes, walking along them finds one sooner than halving.
const WALKED_MAX: usize = 12;

/// Room is made at once for so many attributes at most.
const ROOM_MAX: usize = 1024;

/// Attribute names and their values, each name once.
///
/// ```
/// use tabletheory_core::{Item, Value};
///
/// let page = Item::from([("pk", Value::s("CACHE#1")), ("generated_at", Value::n(1_700_000_000))]);
/// assert_eq!(page.get("pk"), Some(&Value::s("CACHE#1")));
/// assert_eq!(page.len(), 2);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Item {
    // Sorted by name. Items are small, so one flat vector is cheaper to build, clone and search than a tree.
    attributes: Vec<(Name, Value)>,
}

impl Item {
    /// An item without attributes.
    #[must_use]
    pub const fn new() -> Self {
        Self { attributes: Vec::new() }
    }

    /// An empty item with room for `attributes`.
    #[must_use]
    pub fn with_capacity(attributes: usize) -> Self {
        Self { attributes: Vec::with_capacity(attributes) }
    }

    /// How many attributes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there are no attributes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// Where the attribute is, or where it would be.
    fn search(&self, name: &str) -> Result<usize, usize> {
        self.attributes.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    /// Where the attribute is.
    fn position(&self, name: &str) -> Option<usize> {
        // Most names of a small item differ in length already, and then their bytes need not be looked at.
        if self.attributes.len() <= WALKED_MAX {
            return self.attributes.iter().position(|(known, _)| known.as_str() == name);
        }
        self.search(name).ok()
    }

    /// The value of an attribute.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.position(name).map(|at| &self.attributes[at].1)
    }

    /// The value of an attribute, to change in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.position(name).map(|at| &mut self.attributes[at].1)
    }

    /// Whether the attribute is present.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Sets an attribute and returns the value it replaces.
    #[inline]
    pub fn insert(&mut self, name: impl Into<Name>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        // Names usually arrive in order, from a stored item or from a literal.
        if self.attributes.last().is_none_or(|(last, _)| is_before(last, &name)) {
            self.attributes.push((name, value));
            return None;
        }
        self.insert_among(name, value)
    }

    /// Sets an attribute that is not the last.
    fn insert_among(&mut self, name: Name, value: Value) -> Option<Value> {
        match self.search(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.attributes[at].1, value)),
            Err(at) => {
                self.attributes.insert(at, (name, value));
                None
            }
        }
    }

    /// Removes an attribute and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        // Who takes an item apart begins at its end, so that nothing has to move up.
        if self.attributes.last().is_some_and(|(last, _)| last == name) {
            return self.attributes.pop().map(|(_, value)| value);
        }
        self.position(name).map(|at| self.attributes.remove(at).1)
    }

    /// Names and values, in the order of the names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> + Clone {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The names, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.attributes.iter().map(|(name, _)| name.as_str())
    }
}

/// Whether a name comes before another. Most neighbours differ in their first byte already.
#[inline]
fn is_before(name: &Name, other: &Name) -> bool {
    match (name.as_bytes(), other.as_bytes()) {
        ([first, ..], [other_first, ..]) if first != other_first => first < other_first,
        (name, other) => name < other,
    }
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl IntoIterator for Item {
    type Item = (Name, Value);
    type IntoIter = std::vec::IntoIter<(Name, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.into_iter()
    }
}

/// Takes the attributes as they are if they are in the order of their names, and puts them in order if not. Of a name that stands
/// twice the last value counts.
impl From<Vec<(Name, Value)>> for Item {
    fn from(attributes: Vec<(Name, Value)>) -> Self {
        if attributes.is_sorted_by(|(name, _), (next, _)| is_before(name, next)) {
            return Self { attributes };
        }
        attributes.into_iter().collect()
    }
}

impl<N: Into<Name>, V: Into<Value>> FromIterator<(N, V)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Self {
        let attributes = attributes.into_iter();
        // An item that is known to be large is made in one piece; one that only says so must not ask for memory without end.
        let mut item = Self::with_capacity(attributes.size_hint().0.min(ROOM_MAX));
        for (name, value) in attributes {
            item.insert(name, value);
        }
        item
    }
}

impl<N: Into<Name>, V: Into<Value>, const COUNT: usize> From<[(N, V); COUNT]> for Item {
    fn from(attributes: [(N, V); COUNT]) -> Self {
        attributes.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn attributes_in_any_order_make_the_same_item_as_one_by_one(names in proptest::collection::vec("[ab]{0,3}", 0..6)) {
            let attributes: Vec<(Name, Value)> =
                (0..).zip(&names).map(|(at, name)| (Name::from(name), Value::n(at))).collect();
            let mut one_by_one = Item::new();
            for (name, value) in attributes.clone() {
                one_by_one.insert(name, value);
            }
            prop_assert_eq!(Item::from(attributes), one_by_one);
        }
    }
}
