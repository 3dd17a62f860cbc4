//! Walking through the tree of a document while collecting what is wrong with it.

use super::error::{DmsError, Fault, Located};
use super::node::{Content, Node, Place};
use super::path::Path;

/// Faults that are told, at most: a text that is no document at all has more than anybody reads.
const FAULTS_MAX: usize = 100;

/// What was found to be wrong so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    located: Vec<Located>,
}

/// A place in a document: the way there, and where it stands in the text.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) path: Path,
    place: Option<Place>,
}

impl Faults {
    pub(super) fn add(&mut self, spot: &Spot, fault: Fault) {
        if self.located.len() < FAULTS_MAX {
            let (line, column) = (spot.place.map(|place| place.line), spot.place.map(|place| place.column));
            self.located.push(Located { path: spot.path.clone(), line, column, fault });
        }
    }

    /// The value, if nothing is wrong.
    pub(super) fn unless_any<T>(mut self, value: Option<T>) -> Result<T, DmsError> {
        match value {
            Some(value) if self.located.is_empty() => Ok(value),
            _ => {
                // Later checks look back, and people read from the top. Without lines the walk's own order stays.
                self.located.sort_by_key(|located| (located.line, located.column));
                Err(DmsError { faults: self.located })
            }
        }
    }
}

/// An object with the members that it may have.
pub(super) struct Object<'n> {
    pub(super) spot: Spot,
    members: &'n [(String, Node)],
}

/// A node and where it is.
#[derive(Clone)]
pub(super) struct Found<'n> {
    pub(super) node: &'n Node,
    pub(super) spot: Spot,
}

impl<'n> Found<'n> {
    /// The whole document.
    pub(super) fn top(node: &'n Node) -> Self {
        Self::new(node, Path::default())
    }

    fn new(node: &'n Node, path: Path) -> Self {
        Self { node, spot: Spot { path, place: node.place } }
    }

    fn wrong<T>(&self, expected: &'static str, faults: &mut Faults) -> Option<T> {
        faults.add(&self.spot, Fault::Kind { expected, found: self.node.kind() });
        None
    }

    /// An object that has these members and no others.
    pub(super) fn object(&self, known: &[&str], faults: &mut Faults) -> Option<Object<'n>> {
        let Content::Map(members) = &self.node.content else { return self.wrong("an object", faults) };
        for (name, node) in members {
            if !known.contains(&name.as_str()) {
                faults.add(&Self::new(node, self.spot.path.member(name)).spot, Fault::Unknown);
            }
        }
        Some(Object { spot: self.spot.clone(), members })
    }

    pub(super) fn list(&self, faults: &mut Faults) -> Option<Vec<Found<'n>>> {
        let Content::List(nodes) = &self.node.content else { return self.wrong("a list", faults) };
        let nodes = nodes.iter().enumerate();
        Some(nodes.map(|(at, node)| Self::new(node, self.spot.path.at(at))).collect())
    }

    pub(super) fn text(&self, faults: &mut Faults) -> Option<&'n str> {
        match &self.node.content {
            Content::Text(text) => Some(text),
            _ => self.wrong("a text", faults),
        }
    }

    pub(super) fn flag(&self, faults: &mut Faults) -> Option<bool> {
        match self.node.content {
            Content::Flag(flag) => Some(flag),
            _ => self.wrong("true or false", faults),
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &self,
        words: &[T],
        name: impl Fn(T) -> &'static str,
        allowed: &'static str,
        faults: &mut Faults,
    ) -> Option<T> {
        let found = self.text(faults)?;
        let word = words.iter().copied().find(|word| name(*word) == found);
        if word.is_none() {
            faults.add(&self.spot, Fault::NotOneOf { found: found.to_owned(), allowed });
        }
        word
    }

    /// A list of texts, each with its place.
    pub(super) fn texts(&self, faults: &mut Faults) -> Vec<(&'n str, Spot)> {
        let entries = self.list(faults).unwrap_or_default();
        entries.into_iter().filter_map(|entry| Some((entry.text(faults)?, entry.spot))).collect()
    }
}

impl<'n> Object<'n> {
    /// A member that may be missing. Null is missing too.
    pub(super) fn get(&self, name: &str) -> Option<Found<'n>> {
        let (_, node) = self.members.iter().find(|(known, _)| known == name)?;
        let found = Found::new(node, self.spot.path.member(name));
        (node.content != Content::Null).then_some(found)
    }

    /// A member that has to be there.
    pub(super) fn need(&self, name: &str, faults: &mut Faults) -> Option<Found<'n>> {
        let found = self.get(name);
        if found.is_none() {
            let spot = Spot { path: self.spot.path.member(name), place: self.spot.place };
            faults.add(&spot, Fault::Missing);
        }
        found
    }

    /// A flag that is off if it is not there.
    pub(super) fn flag(&self, name: &str, faults: &mut Faults) -> bool {
        self.get(name).and_then(|found| found.flag(faults)).unwrap_or(false)
    }
}
