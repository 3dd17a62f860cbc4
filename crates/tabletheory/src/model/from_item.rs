//! What items can be read as: models, parts of them, and enums of them.

use tabletheory_core::Item;

use super::{Model, ModelError, Schema};

/// A type that items can be read as. Every [`Model`] is one; `#[derive(Projection)]` makes a struct with some of a model's
/// fields one, `#[derive(Entities)]` an enum of the models that share a table.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::model::FromItem;
/// use tabletheory_core::{Item, Value};
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// fn read<T: FromItem>(item: Item) -> Option<T> {
///     assert_eq!(T::ATTRIBUTES, None, "a model is read from a whole item");
///     T::from_item(item).ok()
/// }
/// assert_eq!(read(Item::from([("id", Value::s("7"))])), Some(User { id: "7".into() }));
/// ```
///
/// Some of a model's fields:
///
/// ```
/// use tabletheory::model::FromItem;
/// use tabletheory::{Model, Projection};
/// use tabletheory_core::{Item, Value};
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "PAGE#{path}", rename_all = "camelCase")]
/// struct Page {
///     #[model(key_only)]
///     path: String,
///     page_title: String,
///     body: String,
/// }
///
/// #[derive(Projection)]
/// #[projection(of = Page)]
/// struct Headline {
///     path: String,
///     page_title: String,
/// }
///
/// assert_eq!(Headline::ATTRIBUTES, Some(&["pk", "pageTitle"][..]));
/// let item = Item::from([("pk", Value::s("PAGE#news")), ("pageTitle", Value::s("News"))]);
/// let headline = Headline::from_item(item)?;
/// assert_eq!((headline.path.as_str(), headline.page_title.as_str()), ("news", "News"));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
///
/// Several models in one table:
///
/// ```
/// use tabletheory::model::FromItem;
/// use tabletheory::{Entities, Model};
/// use tabletheory_core::Item;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{user}", sk = "PROFILE")]
/// struct Profile {
///     user: String,
/// }
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{number:06}")]
/// struct Order {
///     user: String,
///     number: u32,
/// }
///
/// #[derive(Entities)]
/// enum Row {
///     Profile(Profile),
///     Order(Order),
///     #[entities(other)]
///     Other(Item),
/// }
///
/// let item = Order { user: "7".into(), number: 12 }.to_item()?;
/// assert!(matches!(Row::from_item(item)?, Row::Order(order) if order.number == 12));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "items cannot be read as `{Self}`",
    note = "they can be read as a model, a struct with `#[derive(Projection)]` or an enum with `#[derive(Entities)]`"
)]
pub trait FromItem: Sized + Send + 'static {
    /// The attributes that are needed; all of them if there is no list.
    const ATTRIBUTES: Option<&'static [&'static str]>;

    /// The schema of the model that the item is one of, if it is known: what has to be done before the item is read.
    fn schema(item: &Item) -> Option<Schema>;

    /// Whether the item is one of those that are read as this type, as far as its keys tell: a key that merely begins as
    /// those of a model do is that of another. Reads of many items pass over the others. An item without its keys is
    /// taken for one.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::model::FromItem;
    /// use tabletheory_core::{Item, Value};
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "BLOG#{blog}", sk = "POST#{post}")]
    /// struct Post {
    ///     blog: String,
    ///     post: String,
    /// }
    ///
    /// let with = |sk: &str| Item::from([("pk", Value::s("BLOG#1")), ("sk", Value::s(sk))]);
    /// assert!(Post::accepts(&with("POST#7")));
    /// assert!(!Post::accepts(&with("POST#7#COMMENT#1")));
    /// assert!(Post::accepts(&Item::new()));
    /// ```
    #[must_use]
    fn accepts(_item: &Item) -> bool {
        true
    }

    /// The value of an item.
    ///
    /// # Errors
    /// If an attribute is missing or has another type, a key does not have the form of its template, or the item is none
    /// of the models.
    fn from_item(item: Item) -> Result<Self, ModelError>;
}

impl<M: Model> FromItem for M {
    const ATTRIBUTES: Option<&'static [&'static str]> = None;

    fn schema(_item: &Item) -> Option<Schema> {
        Some(M::SCHEMA)
    }

    fn accepts(item: &Item) -> bool {
        let mut keys = [Some(M::SCHEMA.partition), M::SCHEMA.sort].into_iter().flatten();
        keys.any(|key| item.get(key.name).is_none()) || M::matches(item)
    }

    fn from_item(item: Item) -> Result<Self, ModelError> {
        <M as Model>::from_item(item)
    }
}
