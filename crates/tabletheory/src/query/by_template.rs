//! Questions about a sort key that is made from fields. Every text goes through the template, so that no value can reach
//! other keys; and if the template begins with text of its own, so does every key that is found.

use tabletheory_core::Value;
use tabletheory_core::expr::KeyPredicate;

use super::KeyQuery;
use super::bound::{after, before, end};
use super::leading::{Leading, Whole};
use super::sort::{AnySort, SortTemplate};
use crate::field::Prefixed;
use crate::key::{Beginning, Template};
use crate::model::ModelError;

impl<M, F> KeyQuery<M, SortTemplate<F>> {
    /// All its fields have these values.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, order) = Order::query("7").eq(("0131", 12)).into_parts()?;
    /// assert_eq!(order.predicates[1].1, KeyPredicate::Eq(Value::s("ORDER#0131#012")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn eq<K>(self, values: impl Leading<F, K, Next = Whole>) -> KeyQuery<M> {
        let text = self.beginning("eq", &values).map(|beginning| beginning.text);
        self.ask(text.map(|text| KeyPredicate::Eq(Value::S(text))))
    }

    /// Its first fields have these values: whole values, so that `12` does not find `123`.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, day) = Order::query("7").begins_with("0131").into_parts()?;
    /// assert_eq!(day.predicates[1].1, KeyPredicate::BeginsWith(Value::s("ORDER#0131#")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn begins_with<K>(self, values: impl Leading<F, K>) -> KeyQuery<M> {
        let beginning = self.beginning("begins_with", &values);
        self.ask(beginning.map(|Beginning { text, whole }| {
            let predicate = if whole { KeyPredicate::Eq } else { KeyPredicate::BeginsWith };
            predicate(Value::S(text))
        }))
    }

    /// Its first fields have these values, which may be none, `()`, and the next one begins with the text.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory_core::Value;
    /// use tabletheory_core::expr::KeyPredicate;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:06}")]
    /// struct Order {
    ///     user: String,
    ///     day: String,
    ///     number: u32,
    /// }
    ///
    /// let (_, january) = Order::query("7").begins_with_partial((), "2026-01-").into_parts()?;
    /// assert_eq!(january.predicates[1].1, KeyPredicate::BeginsWith(Value::s("ORDER#2026-01-")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn begins_with_partial<V, K>(self, values: V, text: &str) -> KeyQuery<M>
    where
        V: Leading<F, K>,
        V::Next: Prefixed,
    {
        let SortTemplate { template, .. } = self.sort;
        let beginning = template.beginning(&|place, width| values.text(place, width));
        let text = beginning.and_then(|beginning| Ok(beginning.text + &template.partial(V::COUNT, text)?));
        self.ask(text.map(|text| KeyPredicate::BeginsWith(Value::S(text))))
    }

    /// Its first fields come before these values.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, before) = Order::query("7").lt("0131").into_parts()?;
    /// let KeyPredicate::Between(low, high) = &before.predicates[1].1 else { panic!("a range") };
    /// assert_eq!((low, high), (&Value::s("ORDER#"), &Value::s("ORDER#0131\"\u{10FFFF}")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn lt<K>(self, values: impl Leading<F, K>) -> KeyQuery<M> {
        let first = self.beginning("lt", &values).map(|beginning| beginning.text);
        self.up_to(first.map(|first| (before(&first), KeyPredicate::Lt(Value::S(first)))))
    }

    /// Its first fields come before these values or have them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, until) = Order::query("7").le(("0131", 12)).into_parts()?;
    /// let KeyPredicate::Between(low, high) = &until.predicates[1].1 else { panic!("a range") };
    /// assert_eq!((low, high), (&Value::s("ORDER#"), &Value::s("ORDER#0131#012")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn le<K>(self, values: impl Leading<F, K>) -> KeyQuery<M> {
        let last = self.beginning("le", &values).map(last);
        self.up_to(last.map(|last| (last.clone(), KeyPredicate::Le(Value::S(last)))))
    }

    /// Its first fields come after these values.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, after) = Order::query("7").gt(("0131", 12)).into_parts()?;
    /// let KeyPredicate::Between(low, high) = &after.predicates[1].1 else { panic!("a range") };
    /// assert_eq!((low, high), (&Value::s("ORDER#0131#012\0"), &Value::s("ORDER#\u{10FFFF}")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn gt<K>(self, values: impl Leading<F, K>) -> KeyQuery<M> {
        let last = self.beginning("gt", &values).map(last);
        self.on_from(last.map(|last| (after(&last), KeyPredicate::Gt(Value::S(last)))))
    }

    /// Its first fields come after these values or have them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, since) = Order::query("7").ge("0131").into_parts()?;
    /// let KeyPredicate::Between(low, high) = &since.predicates[1].1 else { panic!("a range") };
    /// assert_eq!((low, high), (&Value::s("ORDER#0131#"), &Value::s("ORDER#\u{10FFFF}")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn ge<K>(self, values: impl Leading<F, K>) -> KeyQuery<M> {
        let first = self.beginning("ge", &values).map(|beginning| beginning.text);
        self.on_from(first.map(|first| (first.clone(), KeyPredicate::Ge(Value::S(first)))))
    }

    /// Its first fields lie between the two, or are one of them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::{Value, expr::KeyPredicate};
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:03}")]
    /// # struct Order { user: String, day: String, number: u32 }
    /// let (_, days) = Order::query("7").between("0101", ("0131", 12)).into_parts()?;
    /// let KeyPredicate::Between(low, high) = &days.predicates[1].1 else { panic!("a range") };
    /// assert_eq!((low, high), (&Value::s("ORDER#0101#"), &Value::s("ORDER#0131#012")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    pub fn between<J, K>(self, low: impl Leading<F, J>, high: impl Leading<F, K>) -> KeyQuery<M> {
        let low = self.beginning("between", &low);
        let ends = low.and_then(|low| Ok((low, self.beginning("between", &high)?)));
        self.ask(ends.map(|(low, high)| range(low.text, last(high))))
    }

    /// What keys with these values begin with.
    fn beginning<K, V: Leading<F, K>>(
        &self,
        method: &'static str,
        values: &V,
    ) -> Result<Beginning, ModelError> {
        let Template { model, attribute, .. } = self.sort.template;
        if V::COUNT == 0 {
            return Err(ModelError::Nothing { model, attribute, method });
        }
        self.sort.template.beginning(&|place, width| values.text(place, width))
    }

    /// The keys from the first one of the template up to this one; the predicate says the same of a template that begins
    /// with a field.
    fn up_to(self, high: Result<(String, KeyPredicate), ModelError>) -> KeyQuery<M> {
        let constant = self.sort.template.constant().text;
        self.ask(high.map(|(high, alone)| if constant.is_empty() { alone } else { range(constant, high) }))
    }

    /// The keys from this one on to the last one of the template.
    fn on_from(self, low: Result<(String, KeyPredicate), ModelError>) -> KeyQuery<M> {
        let constant = self.sort.template.constant().text;
        self.ask(low.map(|(low, alone)| if constant.is_empty() { alone } else { range(low, end(&constant)) }))
    }

    fn ask(self, predicate: Result<KeyPredicate, ModelError>) -> KeyQuery<M> {
        let attribute = self.sort.template.attribute;
        self.asked(attribute, predicate, AnySort)
    }
}

/// The last key with this beginning.
fn last(Beginning { text, whole }: Beginning) -> String {
    if whole { text } else { end(&text) }
}

fn range(low: String, high: String) -> KeyPredicate {
    KeyPredicate::Between(Value::S(low), Value::S(high))
}
