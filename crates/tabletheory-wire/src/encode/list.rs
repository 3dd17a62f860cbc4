//! Lists and maps whose members are written through views, without building the list of views.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

/// The members of a slice, each as its view.
pub(super) struct List<'a, T, V>(pub(super) &'a [T], pub(super) fn(&'a T) -> V);

impl<T, V> List<'_, T, V> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T, V: Serialize> Serialize for List<'_, T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(self.1))
    }
}

/// The values of a map, each as its view.
pub(super) struct Map<'a, T, V>(pub(super) &'a BTreeMap<String, T>, pub(super) fn(&'a T) -> V);

impl<T, V> Map<'_, T, V> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T, V: Serialize> Serialize for Map<'_, T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, self.1(value))))
    }
}
