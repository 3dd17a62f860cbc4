//! Following a [`Path`] into an item: reading what is there, putting something there, taking it away. What a missing
//! value means is for the condition, the update or the projection that asks.

use crate::error::StoreError;
use crate::expr::{Path, Step};
use crate::item::Item;
use crate::value::Value;

/// What an item has at the end of a path whose way there exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A value.
    Filled,
    /// Nothing, but an attribute or a map field can be put there.
    Vacant,
    /// Nothing: the list ends before. What is put there becomes the list's next element.
    PastEnd,
}

impl Path {
    /// The value at this path, if the item has one.
    ///
    /// ```
    /// use tabletheory_core::expr::Path;
    /// use tabletheory_core::{Item, Value};
    ///
    /// let page = Item::from([("tags", Value::L(vec![Value::s("news")]))]);
    /// assert_eq!(Path::attribute("tags").index(0).get(&page), Some(&Value::s("news")));
    /// assert_eq!(Path::attribute("tags").field("first").get(&page), None);
    /// ```
    #[must_use]
    pub fn get<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        self.steps.iter().try_fold(item.get(&self.root)?, step)
    }

    /// Puts a value at this path. A position past the end of a list means its end.
    ///
    /// # Errors
    /// If what should hold the value is missing, or is not a map where the path names a field, or is not a list where
    /// it names a position. The item is unchanged then.
    pub fn set(&self, item: &mut Item, value: Value) -> Result<(), StoreError> {
        let Some((last, before)) = self.steps.split_last() else {
            match item.get_mut(&self.root) {
                Some(attribute) => *attribute = value,
                None => drop(item.insert(self.root.as_str(), value)),
            }
            return Ok(());
        };
        match (self.holder_mut(item, before), last) {
            (Some(Value::M(map)), Step::Field(name)) => {
                map.insert(name.as_str(), value);
            }
            (Some(Value::L(list)), Step::Index(position)) => match list.get_mut(offset(*position)) {
                Some(element) => *element = value,
                None => list.push(value),
            },
            _ => return Err(invalid_path()),
        }
        Ok(())
    }

    /// Takes away what is at this path and returns it. Later elements of a list move up.
    pub fn remove(&self, item: &mut Item) -> Option<Value> {
        let Some((last, before)) = self.steps.split_last() else {
            return item.remove(&self.root);
        };
        match (self.holder_mut(item, before)?, last) {
            (Value::M(map), Step::Field(name)) => map.remove(name),
            (Value::L(list), Step::Index(position)) => {
                let position = offset(*position);
                (position < list.len()).then(|| list.remove(position))
            }
            _ => None,
        }
    }

    /// What is at the end of this path, or an error if the way there does not exist.
    pub(crate) fn slot(&self, item: &Item) -> Result<Slot, StoreError> {
        let filled_or = |filled: bool, otherwise: Slot| if filled { Slot::Filled } else { otherwise };
        let Some((last, before)) = self.steps.split_last() else {
            return Ok(filled_or(item.contains(&self.root), Slot::Vacant));
        };
        let holder = item.get(&self.root).and_then(|attribute| before.iter().try_fold(attribute, step));
        match (holder, last) {
            (Some(Value::M(map)), Step::Field(name)) => Ok(filled_or(map.contains(name), Slot::Vacant)),
            (Some(Value::L(list)), Step::Index(position)) => {
                Ok(filled_or(offset(*position) < list.len(), Slot::PastEnd))
            }
            _ => Err(invalid_path()),
        }
    }

    /// The map or list that the path's last step goes into.
    fn holder_mut<'a>(&self, item: &'a mut Item, before: &[Step]) -> Option<&'a mut Value> {
        before.iter().try_fold(item.get_mut(&self.root)?, |value, step| match (value, step) {
            (Value::M(map), Step::Field(name)) => map.get_mut(name),
            (Value::L(list), Step::Index(position)) => list.get_mut(offset(*position)),
            _ => None,
        })
    }
}

fn step<'a>(value: &'a Value, step: &Step) -> Option<&'a Value> {
    match (value, step) {
        (Value::M(map), Step::Field(name)) => map.get(name),
        (Value::L(list), Step::Index(position)) => list.get(offset(*position)),
        _ => None,
    }
}

/// A position as Rust counts. One that the machine cannot address is past the end of every list.
fn offset(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn invalid_path() -> StoreError {
    StoreError::validation("The document path provided in the update expression is invalid for update")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list<const COUNT: usize>(elements: [&str; COUNT]) -> Value {
        Value::L(elements.into_iter().map(Value::s).collect())
    }

    fn page() -> Item {
        let author = Item::from([("name", Value::s("Ada")), ("tags", list(["x", "y"]))]);
        Item::from([("title", Value::s("Hi")), ("author", Value::M(author)), ("tags", list(["a", "b", "c"]))])
    }

    fn author() -> Path {
        Path::attribute("author")
    }

    #[test]
    fn a_path_reads_what_is_there_and_nothing_else() {
        let check = |path: Path, expected: Option<&str>| {
            assert_eq!(path.get(&page()), expected.map(Value::s).as_ref(), "{path}");
        };
        check("title".into(), Some("Hi"));
        check("missing".into(), None);
        check("author.name".into(), None);
        check(author().field("name"), Some("Ada"));
        check(author().field("missing"), None);
        check(author().field("tags").index(1), Some("y"));
        check(author().field("tags").index(2), None);
        check(author().field("missing").index(2), None);
        check(author().index(0), None);
        check(Path::attribute("tags").index(2), Some("c"));
        check(Path::attribute("tags").index(u32::MAX), None);
        check(Path::attribute("tags").field("a"), None);
        check(Path::attribute("title").index(0), None);
    }

    #[test]
    fn a_value_is_set_where_its_holder_exists() {
        let check = |path: Path, seen_at: Path| {
            let mut item = page();
            path.set(&mut item, Value::Null).expect("the holder exists");
            assert_eq!(seen_at.get(&item), Some(&Value::Null), "{path}");
        };
        check("title".into(), "title".into());
        check("new".into(), "new".into());
        check(author().field("name"), author().field("name"));
        check(author().field("new"), author().field("new"));
        check(author().field("tags").index(0), author().field("tags").index(0));
        check(author().field("tags").index(9), author().field("tags").index(2));
        check(Path::attribute("tags").index(3), Path::attribute("tags").index(3));
    }

    #[test]
    fn a_value_without_a_holder_is_refused_and_changes_nothing() {
        let paths = [
            Path::attribute("missing").field("x"),
            Path::attribute("missing").index(0),
            Path::attribute("title").field("x"),
            Path::attribute("tags").field("x"),
            Path::attribute("tags").index(7).field("x"),
            author().index(0),
            author().field("missing").field("x"),
        ];
        for path in paths {
            let mut item = page();
            assert_eq!(path.set(&mut item, Value::Null), Err(invalid_path()), "{path}");
            assert_eq!(path.slot(&item), Err(invalid_path()), "{path}");
            assert_eq!(path.remove(&mut item), None, "{path}");
            assert_eq!(item, page(), "{path}");
        }
    }

    #[test]
    fn what_is_removed_is_returned_and_gone() {
        let check = |path: Path, removed: Option<&str>, then: Option<&str>| {
            let mut item = page();
            assert_eq!(path.remove(&mut item), removed.map(Value::s), "{path}");
            assert_eq!(path.get(&item), then.map(Value::s).as_ref(), "{path}");
        };
        check("title".into(), Some("Hi"), None);
        check("missing".into(), None, None);
        check(author().field("name"), Some("Ada"), None);
        check(author().field("missing"), None, None);
        check(Path::attribute("tags").index(0), Some("a"), Some("b"));
        check(Path::attribute("tags").index(2), Some("c"), None);
        check(Path::attribute("tags").index(3), None, None);
    }

    #[test]
    fn slots_say_what_an_update_would_meet() {
        let check = |path: Path, expected: Slot| assert_eq!(path.slot(&page()), Ok(expected), "{path}");
        check("title".into(), Slot::Filled);
        check("missing".into(), Slot::Vacant);
        check(author().field("name"), Slot::Filled);
        check(author().field("missing"), Slot::Vacant);
        check(Path::attribute("tags").index(2), Slot::Filled);
        check(Path::attribute("tags").index(3), Slot::PastEnd);
    }
}
