//! Typed key conditions: which items a query visits, on a table or on one of its indexes. `#[derive(Model)]` makes the
//! functions that begin one, `Model::query` and one for each index; the type of the sort key says what can be asked of it.

mod bound;
mod by_field;
mod by_template;
mod leading;
mod sort;

pub use leading::{Leading, One, PartOf, Several, Whole};
pub use sort::{AnySort, NoSort, SortField, SortTemplate};

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::expr::{KeyCondition, KeyPredicate};
use tabletheory_core::{Item, Value};

use crate::key::Template;
use crate::model::{KeyAttribute, ModelError};

/// The keys of the model `M` that a query visits. `S` says what can be asked of the sort key. It is made without asking
/// whether its values are sound; whoever uses it is told.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::Value;
/// use tabletheory_core::expr::{KeyCondition, KeyPredicate};
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:06}")]
/// #[model(index(name = "by_city", pk = city, sk = total))]
/// struct Order {
///     user: String,
///     day: String,
///     number: u32,
///     city: Option<String>,
///     total: u64,
/// }
///
/// let partition = KeyCondition::partition("pk", "USER#7");
/// // Other models may lie in the same partition: a query is about the orders in it.
/// let (index, orders) = Order::query("7").into_parts()?;
/// let begins = |text: &str| KeyPredicate::BeginsWith(Value::s(text));
/// assert_eq!((index, orders), (None, partition.clone().and("sk", begins("ORDER#"))));
/// assert_eq!(Order::partition("7").into_parts()?.1, partition);
///
/// let (_, of_a_day) = Order::query("7").begins_with("2026-01-31").into_parts()?;
/// assert_eq!(of_a_day, partition.and("sk", begins("ORDER#2026-01-31#")));
/// assert!(Order::query("7").begins_with("2026#01").into_parts().is_err());
///
/// let (index, large) = Order::by_city("Rome").ge(1000).into_parts()?;
/// assert_eq!(index, Some("by_city"));
/// assert_eq!(large.predicates[1], ("total".to_owned(), KeyPredicate::Ge(Value::n(1000))));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[must_use]
pub struct KeyQuery<M, S = AnySort> {
    index: Option<&'static str>,
    condition: Result<KeyCondition, ModelError>,
    /// What is asked of the sort key as long as nobody asks more.
    standing: Option<(&'static str, KeyPredicate)>,
    sort: S,
    model: PhantomData<fn() -> M>,
}

impl<M, S> KeyQuery<M, S> {
    /// The items of one partition of the table, or of the index with this name. `partition` has its key attributes, in
    /// the order of `names`. For the derive macro.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::query::{KeyQuery, NoSort};
    /// use tabletheory_core::{Item, Value};
    ///
    /// #[derive(Model)]
    /// #[model(table = "app")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    /// }
    ///
    /// let partition = Ok(Item::from([("id", Value::s("7"))]));
    /// let query = KeyQuery::<User, _>::new(None, partition, &[User::SCHEMA.partition], NoSort);
    /// assert_eq!(query.into_parts(), User::query("7").into_parts());
    /// ```
    pub fn new(
        index: Option<&'static str>,
        partition: Result<Item, ModelError>,
        names: &[KeyAttribute],
        sort: S,
    ) -> Self {
        let condition = partition.map(|mut partition| {
            let value = |key: &KeyAttribute| Some((key.name, partition.remove(key.name)?));
            let equal = |(name, value): (&str, Value)| (name.to_owned(), KeyPredicate::Eq(value));
            KeyCondition { predicates: names.iter().filter_map(value).map(equal).collect() }
        });
        Self { index, condition, standing: None, sort, model: PhantomData }
    }

    /// Only keys that begin as this template does, until more is asked. For the derive macro.
    ///
    /// ```
    /// use tabletheory::key::{Segment, Template};
    /// use tabletheory::query::{KeyQuery, NoSort};
    /// use tabletheory_core::expr::KeyPredicate;
    /// use tabletheory_core::{Item, Value};
    ///
    /// const META: Template = Template { model: "Page", attribute: "sk", segments: &[Segment::Text("META")] };
    /// let query = KeyQuery::<(), _>::new(None, Ok(Item::new()), &[], NoSort).within(&META);
    /// let (_, condition) = query.into_parts()?;
    /// assert_eq!(condition.predicates, [("sk".to_owned(), KeyPredicate::Eq(Value::s("META")))]);
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn within(mut self, template: &Template) -> Self {
        let beginning = template.constant();
        let predicate = if beginning.whole { KeyPredicate::Eq } else { KeyPredicate::BeginsWith };
        let begins = !beginning.text.is_empty();
        self.standing = begins.then(|| (template.attribute, predicate(Value::S(beginning.text))));
        self
    }

    /// The index that is asked, if it is not the table.
    ///
    /// ```
    /// use tabletheory::Model;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", index(name = "by-city", pk = city))]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    ///     city: String,
    /// }
    ///
    /// assert_eq!(User::by_city("Rome").index(), Some("by-city"));
    /// assert_eq!(User::query("7").index(), None);
    /// ```
    #[must_use]
    pub fn index(&self) -> Option<&'static str> {
        self.index
    }

    /// The same question, whatever its sort key is: so queries of different kinds can stand in one place.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::query::KeyQuery;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", index(name = "by_city", pk = city, sk = age))]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    ///     city: String,
    ///     age: u8,
    /// }
    ///
    /// let queries: [KeyQuery<User>; 2] = [User::query("7").erase(), User::by_city("Rome").erase()];
    /// assert_eq!(queries[1].index(), Some("by_city"));
    /// ```
    pub fn erase(self) -> KeyQuery<M> {
        let standing = self.standing;
        let condition = self.condition.map(|condition| match standing {
            Some((attribute, predicate)) => condition.and(attribute, predicate),
            None => condition,
        });
        KeyQuery { index: self.index, condition, standing: None, sort: AnySort, model: PhantomData }
    }

    /// The index, if it is not the table, and the condition as the store takes it.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (index, condition) = User::query("7").into_parts()?;
    /// assert_eq!((index, condition.predicates[0].0.as_str()), (None, "id"));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If a value cannot stand in a key.
    pub fn into_parts(self) -> Result<(Option<&'static str>, KeyCondition), ModelError> {
        let erased = self.erase();
        erased.condition.map(|condition| (erased.index, condition))
    }

    /// The query with one more predicate, and what can be asked after it.
    fn asked<Next>(
        self,
        attribute: &'static str,
        predicate: Result<KeyPredicate, ModelError>,
        next: Next,
    ) -> KeyQuery<M, Next> {
        let condition = self.condition.and_then(|condition| Ok(condition.and(attribute, predicate?)));
        KeyQuery { index: self.index, condition, standing: None, sort: next, model: PhantomData }
    }
}

// Derived, this would ask the model to have the same trait.
impl<M, S: Clone> Clone for KeyQuery<M, S> {
    fn clone(&self) -> Self {
        Self {
            index: self.index,
            condition: self.condition.clone(),
            standing: self.standing.clone(),
            sort: self.sort.clone(),
            model: PhantomData,
        }
    }
}

/// The attributes that are asked and not the values: keys end up in logs.
impl<M, S> fmt::Debug for KeyQuery<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("KeyQuery");
        shown.field("index", &self.index);
        match &self.condition {
            Ok(condition) => {
                let names = condition.predicates.iter().map(|(name, _)| name.as_str());
                let standing = self.standing.iter().map(|(name, _)| *name);
                shown.field("attributes", &names.chain(standing).collect::<Vec<_>>())
            }
            Err(error) => shown.field("error", error),
        };
        shown.finish()
    }
}
