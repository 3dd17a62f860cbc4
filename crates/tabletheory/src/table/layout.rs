//! What the models of one table need of it, joined.

use tabletheory_core::schema::{AttributeDefinition, GlobalIndex, KeyElement, LocalIndex, Projection};
use tabletheory_core::store::op::CreateTable;

use super::conflict::Conflict;
use super::member::Member;
use crate::model::Model;
use crate::renamed::Renamed;

/// What models need of the table that they share, without a store: what [`Table::ensure`](super::Table::ensure) makes, for whoever
/// makes tables in another way.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::table::Layout;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE", index(name = "by_city", pk = city))]
/// struct User {
///     id: String,
///     city: String,
/// }
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{user}", sk = "SESSION#{id}")]
/// struct Session {
///     user: String,
///     id: String,
///     #[model(ttl)]
///     ends: u64,
/// }
///
/// let layout = Layout::of::<User>().and::<Session>()?;
/// assert_eq!(layout.create_table().global_indexes[0].name, "by_city");
/// assert_eq!(layout.time_to_live(), Some("ends"));
/// # Ok::<(), tabletheory::table::Conflict>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    members: Vec<Member>,
    is_named: bool,
    /// The request that makes the table, without its options.
    pub(super) request: CreateTable,
    /// The attribute by which items expire.
    pub(super) ttl: Option<String>,
}

impl Layout {
    /// What one model needs.
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
    /// assert_eq!(Layout::of::<User>().create_table().table, "app");
    /// ```
    #[must_use]
    pub fn of<M: Model>() -> Self {
        Self::alone(Member::of::<M>(&Renamed::default()))
    }

    /// The same with what another model of the table needs.
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
    /// let conflict = Layout::of::<User>().and::<Order>().unwrap_err();
    /// assert_eq!(conflict.second, "Order");
    /// ```
    ///
    /// # Errors
    /// If the two contradict each other.
    pub fn and<B: Model>(self) -> Result<Self, Conflict> {
        self.with(Member::of::<B>(&Renamed::default()))
    }

    /// What a table needs to be as this request would make it, with items that expire by `ttl`. How it is paid for and its
    /// stream are left out: those are options.
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
    /// let request = Layout::of::<User>().create_table().clone();
    /// let layout = Layout::of_request(request, Some("ends".into()));
    /// assert_eq!((layout.create_table().table.as_str(), layout.time_to_live()), ("app", Some("ends")));
    /// ```
    #[must_use]
    pub fn of_request(request: CreateTable, ttl: Option<String>) -> Self {
        Self::alone(Member::of_request(request, ttl))
    }

    /// What the model of a document needs.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # use tabletheory::table::Layout;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// let document = Document::of::<User>()?;
    /// assert_eq!(Layout::of_definition(&document.models[0]).create_table(), Layout::of::<User>().create_table());
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    #[cfg(feature = "dms")]
    #[must_use]
    pub fn of_definition(model: &crate::dms::ModelDefinition) -> Self {
        Self::alone(Member::of_definition(model))
    }

    /// The same with what another model of a document needs.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # use tabletheory::table::Layout;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// let document = Document::of::<User>()?;
    /// let twice = Layout::of::<User>().and_definition(&document.models[0])?;
    /// assert_eq!(twice.create_table(), Layout::of::<User>().create_table());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the two contradict each other.
    #[cfg(feature = "dms")]
    pub fn and_definition(self, model: &crate::dms::ModelDefinition) -> Result<Self, Conflict> {
        self.with(Member::of_definition(model))
    }

    /// The same for a table of another name, whatever the models call it.
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
    /// assert_eq!(Layout::of::<User>().named("app-staging").create_table().table, "app-staging");
    /// ```
    #[must_use]
    pub fn named(mut self, table: impl Into<String>) -> Self {
        self.request.table = table.into();
        self.is_named = true;
        self
    }

    /// The request that makes the table, paid by request and without further options.
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
    /// assert_eq!(Layout::of::<User>().create_table().keys.len(), 1);
    /// ```
    #[must_use]
    pub fn create_table(&self) -> &CreateTable {
        &self.request
    }

    /// The attribute by which items expire, for which there is a request of its own.
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
    /// assert_eq!(Layout::of::<User>().time_to_live(), None);
    /// ```
    #[must_use]
    pub fn time_to_live(&self) -> Option<&str> {
        self.ttl.as_deref()
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    fn alone(member: Member) -> Self {
        let (request, ttl) = (member.request.clone(), member.ttl.clone());
        Self { members: vec![member], is_named: false, request, ttl }
    }

    fn with(mut self, second: Member) -> Result<Self, Conflict> {
        for first in &self.members {
            if let Some(clash) = first.clash(&second, self.is_named) {
                return Err(Conflict { first: first.model.clone(), second: second.model, clash });
            }
        }
        join(&mut self.request, second.request.clone());
        self.ttl = self.ttl.or_else(|| second.ttl.clone());
        self.members.push(second);
        Ok(self)
    }

    /// Joins what the models of a table need; `name` is the table's, if it is not the one that they give it themselves.
    pub(super) fn of_members(members: &[Member], name: Option<&str>) -> Result<Self, Conflict> {
        let (first, others) = members.split_first().expect("a table is made for a model");
        let mut layout = Self::alone(first.clone());
        if let Some(name) = name {
            layout = layout.named(name);
        }
        others.iter().try_fold(layout, |layout, member| layout.with(member.clone()))
    }

    /// The definitions of the attributes in these keys.
    pub(super) fn definitions(&self, keys: &[KeyElement]) -> Vec<AttributeDefinition> {
        let used = |attribute: &&AttributeDefinition| keys.iter().any(|key| key.name == attribute.name);
        self.request.attributes.iter().filter(used).cloned().collect()
    }
}

/// Adds what is not there. What is there under the same name was checked to be the same, but for what indexes carry.
fn join(table: &mut CreateTable, other: CreateTable) {
    for attribute in other.attributes {
        if table.attributes.iter().all(|known| known.name != attribute.name) {
            table.attributes.push(attribute);
        }
    }
    for index in other.local_indexes {
        match table.local_indexes.iter_mut().find(|known| known.name == index.name) {
            Some(LocalIndex { projection, .. }) => widen(projection, index.projection),
            None => table.local_indexes.push(index),
        }
    }
    for index in other.global_indexes {
        match table.global_indexes.iter_mut().find(|known| known.name == index.name) {
            Some(GlobalIndex { projection, .. }) => widen(projection, index.projection),
            None => table.global_indexes.push(index),
        }
    }
}

/// An index that models share carries what each of them needs.
fn widen(projection: &mut Projection, other: Projection) {
    match (projection, other) {
        (Projection::All, _) | (_, Projection::KeysOnly) => {}
        (Projection::Include(names), Projection::Include(others)) => {
            for name in others {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        (projection, other) => *projection = other,
    }
}
