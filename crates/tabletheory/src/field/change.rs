//! Changes of items: what an update does to one field.

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::Value;
use tabletheory_core::expr::{Action, SetOperand, SetValue};

use super::Field;
use super::kind::{Additive, Changeable, List, Set};
use super::measure::Numeric;
use super::operand::Operand;
use super::place::Place;
use super::sealed::Legible;
use crate::attribute::Attribute;
use crate::model::{Model, ModelError};

/// What an update does to one field of the model `M`.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::Value;
/// use tabletheory_core::expr::{Action, Path};
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     hits: u64,
///     etag: Option<String>,
/// }
///
/// assert_eq!(Page::HITS.add(1).into_action()?, Action::Add(Path::attribute("hits"), Value::n(1)));
/// assert_eq!(Page::ETAG.set(None).into_action()?, Page::ETAG.remove().into_action()?);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[must_use]
pub struct Change<M> {
    action: Result<Action, ModelError>,
    model: PhantomData<fn() -> M>,
}

impl<M> Change<M> {
    fn new(action: Result<Action, ModelError>) -> Self {
        Self { action, model: PhantomData }
    }

    /// The action as the store takes it.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// use tabletheory_core::expr::Action;
    ///
    /// assert_eq!(Page::ETAG.remove().into_action()?, Action::Remove("etag".into()));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If DynamoDB cannot hold its value.
    pub fn into_action(self) -> Result<Action, ModelError> {
        self.action
    }
}

impl<M> Clone for Change<M> {
    fn clone(&self) -> Self {
        Self::new(self.action.clone())
    }
}

impl<M> fmt::Debug for Change<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only what changes: the value may be one that the table keeps encrypted.
        match &self.action {
            Ok(action) => write!(f, "Change({} {})", verb(action), action.path()),
            Err(error) => f.debug_tuple("Change").field(error).finish(),
        }
    }
}

fn verb(action: &Action) -> &'static str {
    match action {
        Action::Set(..) => "SET",
        Action::Remove(..) => "REMOVE",
        Action::Add(..) => "ADD",
        Action::Delete(..) => "DELETE",
    }
}

impl<M: Model, T: Attribute, R, P: Place> Field<M, T, R, P> {
    /// Sets the value. Setting it to `None` or to an empty set removes the attribute, as a model leaves it out.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TITLE.set("News")), "Change(SET title)");
    /// ```
    pub fn set(self, value: impl Operand<T>) -> Change<M>
    where
        R: Changeable,
    {
        Change::new(self.value(value).map(|value| {
            if value == Value::Null && T::missing().is_some() {
                Action::Remove(self.path())
            } else {
                self.assign(SetOperand::Value(value))
            }
        }))
    }

    /// Sets the value if the item does not have the attribute.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::ETAG.set_if_not_exists("abc")), "Change(SET etag)");
    /// ```
    pub fn set_if_not_exists(self, value: impl Operand<T>) -> Change<M>
    where
        R: Changeable,
    {
        Change::new(self.value(value).map(|value| {
            self.assign(SetOperand::IfNotExists(self.path(), Box::new(SetOperand::Value(value))))
        }))
    }

    /// Adds to a number, or members to a set. What is missing counts as zero or empty.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.add(1)), "Change(ADD hits)");
    /// ```
    #[expect(
        clippy::should_implement_trait,
        reason = "`ADD` is the service's word, and a field is not a number"
    )]
    pub fn add(self, amount: impl Operand<T::Amount>) -> Change<M>
    where
        R: Changeable + Legible,
        T: Additive,
    {
        Change::new(self.something("add", amount).map(|amount| match amount {
            // DynamoDB documents ADD for whole attributes only.
            Value::N(_) if !self.path().is_attribute() => {
                let zero = Box::new(SetOperand::Value(Value::n(0)));
                let sum =
                    SetValue::Plus(SetOperand::IfNotExists(self.path(), zero), SetOperand::Value(amount));
                Action::Set(self.path(), sum)
            }
            amount => Action::Add(self.path(), amount),
        }))
    }

    /// Takes from a number. What is missing counts as zero. A number that must not become negative needs a condition.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, hits: u64 }
    /// use tabletheory::Db;
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Page>().await?;
    /// db.create(&Page { id: "1".into(), hits: 5 }).await?;
    /// let page = db.update(Page::key("1")).change(Page::HITS.subtract(2)).when(Page::HITS.ge(2)).await?;
    /// assert_eq!(page.hits, 3);
    /// # Ok::<(), tabletheory::Error>(()) }).unwrap();
    /// ```
    pub fn subtract(self, amount: impl Operand<T::Amount>) -> Change<M>
    where
        R: Changeable + Legible,
        T: Additive + Numeric,
    {
        Change::new(self.something("subtract", amount).map(|amount| {
            let zero = Box::new(SetOperand::Value(Value::n(0)));
            let present = SetOperand::IfNotExists(self.path(), zero);
            Action::Set(self.path(), SetValue::Minus(present, SetOperand::Value(amount)))
        }))
    }

    /// Removes the attribute.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::ETAG.remove()), "Change(REMOVE etag)");
    /// ```
    pub fn remove(self) -> Change<M>
    where
        R: Changeable,
    {
        Change::new(Ok(Action::Remove(self.path())))
    }

    /// Puts members at the end of a list. What is missing counts as empty.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.append(["home"])), "Change(SET tags)");
    /// ```
    pub fn append<V: Operand<T::Element>>(self, members: impl IntoIterator<Item = V>) -> Change<M>
    where
        R: Changeable + Legible,
        T: List,
    {
        Change::new(
            self.members(members)
                .map(|members| self.assign(SetOperand::ListAppend(Box::new(self.list()), Box::new(members)))),
        )
    }

    /// Puts members at the beginning of a list. What is missing counts as empty.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.prepend(["home"])), "Change(SET tags)");
    /// ```
    pub fn prepend<V: Operand<T::Element>>(self, members: impl IntoIterator<Item = V>) -> Change<M>
    where
        R: Changeable + Legible,
        T: List,
    {
        Change::new(
            self.members(members)
                .map(|members| self.assign(SetOperand::ListAppend(Box::new(members), Box::new(self.list())))),
        )
    }

    /// Takes members out of a set.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// use std::collections::BTreeSet;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app")]
    /// struct Page {
    ///     #[model(pk)]
    ///     id: String,
    ///     labels: BTreeSet<String>,
    /// }
    ///
    /// let change = Page::LABELS.delete_from_set(BTreeSet::from(["old".to_owned()]));
    /// assert_eq!(format!("{change:?}"), "Change(DELETE labels)");
    /// ```
    pub fn delete_from_set(self, members: impl Operand<T::Members>) -> Change<M>
    where
        R: Changeable + Legible,
        T: Set,
    {
        let members = self.something("delete_from_set", members);
        Change::new(members.map(|members| Action::Delete(self.path(), members)))
    }

    fn assign(&self, operand: SetOperand) -> Action {
        Action::Set(self.path(), SetValue::Operand(operand))
    }

    /// The list as it is, or an empty one.
    fn list(&self) -> SetOperand {
        SetOperand::IfNotExists(self.path(), Box::new(SetOperand::Value(Value::L(Vec::new()))))
    }

    fn members<U, V: Operand<U>>(
        &self,
        members: impl IntoIterator<Item = V>,
    ) -> Result<SetOperand, ModelError> {
        let members = members.into_iter().enumerate();
        let members = members.map(|(at, member)| member.operand().map_err(|error| self.unfit(error.at(at))));
        members.collect::<Result<_, _>>().map(|members| SetOperand::Value(Value::L(members)))
    }

    /// The value, unless it is an empty set, which DynamoDB does not have.
    fn something<U, V: Operand<U>>(&self, method: &'static str, value: V) -> Result<Value, ModelError> {
        let value = self.value(value)?;
        if value == Value::Null { Err(self.nothing(method)) } else { Ok(value) }
    }
}
