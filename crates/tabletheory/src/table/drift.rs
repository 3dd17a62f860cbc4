//! How a table differs from what its models need, found by comparing the two.

use std::fmt;

use tabletheory_core::schema::{KeyElement, Projection, StreamView};
use tabletheory_core::store::op::CreateTable;

use super::difference::{Difference, Standing};
use super::layout::Layout;
use crate::model::IndexScope;

/// How a table differs from what its models need.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Difference, Table};
/// use tabletheory::testing::TestStore;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Old {
///     #[model(pk)]
///     id: String,
/// }
///
/// #[derive(Model)]
/// #[model(table = "app", index(name = "by_city", pk = city))]
/// struct New {
///     #[model(pk)]
///     id: String,
///     city: String,
/// }
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(TestStore::new());
/// Table::<Old>::new(Arc::clone(&store) as _).ensure().await?;
/// let drift = Table::<New>::new(store).verify().await?;
/// assert!(matches!(drift.differences(), [Difference::MissingIndex { .. }]));
/// assert!(drift.is_additive());
/// assert_eq!(drift.to_string(), "the global index `by_city` is missing (`migrate` makes it)");
/// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drift {
    differences: Vec<Difference>,
}

impl Drift {
    pub(super) fn new(differences: Vec<Difference>) -> Self {
        Self { differences }
    }

    /// All differences, those of the key first.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let drift = Table::<User>::new(Arc::new(TestStore::new())).verify().await?;
    /// assert_eq!(drift.differences(), [Difference::NoTable]);
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Whether the table is exactly what its models need.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// assert!(Drift::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty()
    }

    /// Whether `migrate` can make the table what its models need: nothing has to change or go.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// assert!(Table::<User>::new(Arc::new(TestStore::new())).verify().await?.is_additive(), "a table can be made");
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_additive(&self) -> bool {
        self.of(Standing::Refused).next().is_none()
    }

    /// Whether the models work with the table as it is.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city))]
    /// # struct Later {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     city: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let store = Arc::new(TestStore::new());
    /// Table::<Later>::new(Arc::clone(&store) as _).ensure().await?;
    /// let drift = Table::<User>::new(store).verify().await?;
    /// assert!(drift.is_harmless(), "there is an index that users do not need");
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.differences.iter().all(|difference| difference.standing() == Standing::Harmless)
    }

    /// The differences of one standing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let drift = Table::<User>::new(Arc::new(TestStore::new())).verify().await?;
    /// assert_eq!(drift.of(Standing::Fixable).count(), 1);
    /// assert_eq!(drift.of(Standing::Refused).count(), 0);
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    pub fn of(&self, standing: Standing) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.standing() == standing)
    }

    /// Compares what models need with what there is.
    pub(super) fn between(
        layout: &Layout,
        stream: Option<StreamView>,
        found: Option<&CreateTable>,
        ttl: Option<&str>,
    ) -> Self {
        let Some(found) = found else { return Self::new(vec![Difference::NoTable]) };
        let mut differences = Vec::new();
        let expected = &layout.request.keys;
        if *expected != found.keys {
            differences.push(Difference::Keys { expected: expected.clone(), found: found.keys.clone() });
        }
        for attribute in &layout.request.attributes {
            let same = found.attributes.iter().find(|other| other.name == attribute.name);
            if let Some(other) = same.filter(|other| other.kind != attribute.kind) {
                let (attribute, expected, found) = (attribute.name.clone(), attribute.kind, other.kind);
                differences.push(Difference::AttributeType { attribute, expected, found });
            }
        }
        indexes(layout, found, &mut differences);
        differences.extend(time_to_live(layout.time_to_live(), ttl));
        differences.extend(stream.and_then(|expected| stream_difference(expected, found.stream)));
        Self::new(differences)
    }
}

impl Layout {
    /// How a table that would be made by `request`, with items that expire by `ttl`, differs from what the models need, and
    /// from the stream that somebody needs beside them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::table::Layout;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Order {
    /// #     #[model(pk)]
    /// #     number: u64,
    /// # }
    /// let orders = Layout::of::<Order>();
    /// let drift = Layout::of::<User>().drift(orders.create_table(), orders.time_to_live(), None);
    /// assert!(drift.to_string().starts_with("its key is (number), not (id)"));
    /// ```
    #[must_use]
    pub fn drift(&self, request: &CreateTable, ttl: Option<&str>, stream: Option<StreamView>) -> Drift {
        Drift::between(self, stream, Some(request), ttl)
    }
}

/// An index of either scope.
type AnyIndex<'t> = (IndexScope, &'t String, &'t Vec<KeyElement>, &'t Projection);

fn all_indexes(request: &CreateTable) -> impl Iterator<Item = AnyIndex<'_>> {
    let local = request.local_indexes.iter();
    let local = local.map(|index| (IndexScope::Local, &index.name, &index.keys, &index.projection));
    let global = request.global_indexes.iter();
    local.chain(global.map(|index| (IndexScope::Global, &index.name, &index.keys, &index.projection)))
}

fn indexes(layout: &Layout, found: &CreateTable, differences: &mut Vec<Difference>) {
    let mut there: Vec<AnyIndex<'_>> = all_indexes(found).collect();
    for (scope, name, keys, projection) in all_indexes(&layout.request) {
        match there.iter().position(|(_, found, ..)| *found == name) {
            None => differences.push(Difference::MissingIndex { index: name.clone(), scope }),
            Some(at) => {
                let (found_scope, _, found_keys, found_projection) = there.swap_remove(at);
                if scope == found_scope {
                    index_differences(name, (keys, projection), (found_keys, found_projection), differences);
                } else {
                    let (index, expected, found) = (name.clone(), scope, found_scope);
                    differences.push(Difference::IndexScope { index, expected, found });
                }
            }
        }
    }
    there.sort_by_key(|(_, name, ..)| *name);
    let extra = |(scope, name, ..): AnyIndex<'_>| Difference::ExtraIndex { index: name.clone(), scope };
    differences.extend(there.into_iter().map(extra));
}

fn index_differences(
    name: &str,
    (keys, projection): (&[KeyElement], &Projection),
    (found_keys, found_projection): (&[KeyElement], &Projection),
    differences: &mut Vec<Difference>,
) {
    if keys != found_keys {
        let (expected, found) = (keys.to_vec(), found_keys.to_vec());
        differences.push(Difference::IndexKeys { index: name.to_owned(), expected, found });
    }
    if !is_same(projection, found_projection) {
        let (expected, found) = (projection.clone(), found_projection.clone());
        differences.push(Difference::Projection { index: name.to_owned(), expected, found });
    }
}

/// Whether two indexes carry the same; the order of names means nothing.
fn is_same(first: &Projection, second: &Projection) -> bool {
    match (first, second) {
        (Projection::Include(first), Projection::Include(second)) => {
            first.len() == second.len() && first.iter().all(|name| second.contains(name))
        }
        _ => first == second,
    }
}

fn time_to_live(expected: Option<&str>, found: Option<&str>) -> Option<Difference> {
    match (expected, found) {
        (Some(expected), None) => Some(Difference::TimeToLiveOff { expected: expected.to_owned() }),
        (Some(expected), Some(found)) if expected != found => {
            Some(Difference::TimeToLiveOther { expected: expected.to_owned(), found: found.to_owned() })
        }
        (None, Some(found)) => Some(Difference::TimeToLiveExtra { found: found.to_owned() }),
        _ => None,
    }
}

fn stream_difference(expected: StreamView, found: Option<StreamView>) -> Option<Difference> {
    match found {
        None => Some(Difference::StreamOff { expected }),
        Some(found) if found != expected => Some(Difference::StreamOther { expected, found }),
        Some(_) => None,
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no difference");
        }
        for (at, difference) in self.differences.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}{difference} ({})", difference.advice())?;
        }
        Ok(())
    }
}
