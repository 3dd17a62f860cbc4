//! Questions about a sort key that is a field.

use tabletheory_core::Value;
use tabletheory_core::expr::KeyPredicate;

use super::KeyQuery;
use super::sort::{AnySort, SortField};
use crate::attribute::AttributeError;
use crate::field::{Operand, Prefixed};
use crate::model::{Model, ModelError};

impl<M: Model, T, Rest: Copy> KeyQuery<M, SortField<T, Rest>> {
    /// It equals the value. If the index is sorted by more, that can be asked next.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, user) = User::by_city("Rome").eq("Via Appia").eq(30).into_parts()?;
    /// assert_eq!(user.predicates[2], ("age".to_owned(), KeyPredicate::Eq(Value::n(30))));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn eq(self, value: impl Operand<T>) -> KeyQuery<M, Rest> {
        let SortField { attribute, rest, .. } = self.sort;
        let predicate = self.value("eq", value).map(KeyPredicate::Eq);
        self.asked(attribute, predicate, rest)
    }

    /// It is less.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, users) = User::by_city("Rome").lt("Via").into_parts()?;
    /// assert_eq!(users.predicates[1].1, KeyPredicate::Lt(Value::s("Via")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn lt(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("lt", value).map(KeyPredicate::Lt);
        self.last(predicate)
    }

    /// It is less or equal.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, users) = User::by_city("Rome").le("Via").into_parts()?;
    /// assert_eq!(users.predicates[1].1, KeyPredicate::Le(Value::s("Via")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn le(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("le", value).map(KeyPredicate::Le);
        self.last(predicate)
    }

    /// It is greater.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, users) = User::by_city("Rome").eq("Via Appia").gt(30).into_parts()?;
    /// assert_eq!(users.predicates[2].1, KeyPredicate::Gt(Value::n(30)));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn gt(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("gt", value).map(KeyPredicate::Gt);
        self.last(predicate)
    }

    /// It is greater or equal.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, users) = User::by_city("Rome").eq("Via Appia").ge(30).into_parts()?;
    /// assert_eq!(users.predicates[2].1, KeyPredicate::Ge(Value::n(30)));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn ge(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("ge", value).map(KeyPredicate::Ge);
        self.last(predicate)
    }

    /// It lies between the two, or is one of them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, users) = User::by_city("Rome").eq("Via Appia").between(18, 65).into_parts()?;
    /// assert_eq!(users.predicates[2].1, KeyPredicate::Between(Value::n(18), Value::n(65)));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn between(self, low: impl Operand<T>, high: impl Operand<T>) -> KeyQuery<M> {
        let ends = self.value("between", low).and_then(|low| Ok((low, self.value("between", high)?)));
        self.last(ends.map(|(low, high)| KeyPredicate::Between(low, high)))
    }

    /// It begins with the prefix.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
    /// # struct User { #[model(pk)] id: String, city: String, street: String, age: u8 }
    /// let (_, users) = User::by_city("Rome").begins_with("Via").into_parts()?;
    /// assert_eq!(users.predicates[1].1, KeyPredicate::BeginsWith(Value::s("Via")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn begins_with(self, prefix: impl Operand<T::Prefix>) -> KeyQuery<M>
    where
        T: Prefixed,
    {
        let predicate = self.value("begins_with", prefix).map(KeyPredicate::BeginsWith);
        self.last(predicate)
    }

    fn last(self, predicate: Result<KeyPredicate, ModelError>) -> KeyQuery<M> {
        let SortField { attribute, .. } = self.sort;
        self.asked(attribute, predicate, AnySort)
    }

    /// A value for the key, which is never empty.
    fn value<U, V: Operand<U>>(&self, method: &'static str, value: V) -> Result<Value, ModelError> {
        let SortField { attribute, .. } = self.sort;
        let unfit =
            |error: AttributeError| ModelError::Write { model: M::NAME, source: error.inside(attribute) };
        match value.operand().map_err(unfit)? {
            Value::Null => Err(ModelError::Nothing { model: M::NAME, attribute, method }),
            value => Ok(value),
        }
    }
}
