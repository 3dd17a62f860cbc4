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
    pub fn eq(self, value: impl Operand<T>) -> KeyQuery<M, Rest> {
        let SortField { attribute, rest, .. } = self.sort;
        let predicate = self.value("eq", value).map(KeyPredicate::Eq);
        self.asked(attribute, predicate, rest)
    }

    /// It is less.
    pub fn lt(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("lt", value).map(KeyPredicate::Lt);
        self.last(predicate)
    }

    /// It is less or equal.
    pub fn le(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("le", value).map(KeyPredicate::Le);
        self.last(predicate)
    }

    /// It is greater.
    pub fn gt(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("gt", value).map(KeyPredicate::Gt);
        self.last(predicate)
    }

    /// It is greater or equal.
    pub fn ge(self, value: impl Operand<T>) -> KeyQuery<M> {
        let predicate = self.value("ge", value).map(KeyPredicate::Ge);
        self.last(predicate)
    }

    /// It lies between the two, or is one of them.
    pub fn between(self, low: impl Operand<T>, high: impl Operand<T>) -> KeyQuery<M> {
        let ends = self.value("between", low).and_then(|low| Ok((low, self.value("between", high)?)));
        self.last(ends.map(|(low, high)| KeyPredicate::Between(low, high)))
    }

    /// It begins with the prefix.
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
