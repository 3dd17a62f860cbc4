//! What a field can be compared with or set to: its own type, a reference, a string slice for a `String`, the inner type
//! for an `Option`, and for a field that is stored in another form what that form is made from.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tabletheory_core::Value;

use crate::attribute::{
    Attribute, AttributeError, Binary, EpochSeconds, EpochTime, Form, Json, JsonText, Optional, SetMember,
    VecSet, vec_set,
};

/// A value for a field of the type `T`.
///
/// ```
/// use tabletheory::field::Operand;
/// use tabletheory_core::Value;
///
/// assert_eq!(Operand::<String>::operand("a")?, Value::s("a"));
/// assert_eq!(Operand::<Option<u8>>::operand(7)?, Value::n(7));
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` has no values of the type `{Self}`",
    label = "expected a `{T}`"
)]
pub trait Operand<T> {
    /// The attribute value.
    ///
    /// # Errors
    /// If DynamoDB cannot hold it.
    fn operand(self) -> Result<Value, AttributeError>;
}

impl<T: Attribute> Operand<T> for T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<T> for &T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for &T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl Operand<String> for &str {
    fn operand(self) -> Result<Value, AttributeError> {
        Ok(Value::s(self))
    }
}

impl Operand<Option<String>> for &str {
    fn operand(self) -> Result<Value, AttributeError> {
        Ok(Value::s(self))
    }
}

/// A field in another form takes the type that it has in the model, also by reference, and inside an `Option`.
macro_rules! formed {
    ($([$($bounds:tt)*] $form:ty, $kind:ty;)*) => {$(
        impl<$($bounds)*> Operand<$form> for $kind {
            fn operand(self) -> Result<Value, AttributeError> {
                <$form as Form<$kind>>::store(&self)
            }
        }

        impl<$($bounds)*> Operand<$form> for &$kind {
            fn operand(self) -> Result<Value, AttributeError> {
                <$form as Form<$kind>>::store(self)
            }
        }

        impl<$($bounds)*> Operand<Optional<$form>> for $kind {
            fn operand(self) -> Result<Value, AttributeError> {
                <$form as Form<$kind>>::store(&self)
            }
        }

        impl<$($bounds)*> Operand<Optional<$form>> for &$kind {
            fn operand(self) -> Result<Value, AttributeError> {
                <$form as Form<$kind>>::store(self)
            }
        }

        impl<$($bounds)*> Operand<Optional<$form>> for Option<$kind> {
            fn operand(self) -> Result<Value, AttributeError> {
                <Optional<$form> as Form<Option<$kind>>>::store(&self)
            }
        }

        impl<$($bounds)*> Operand<Optional<$form>> for &Option<$kind> {
            fn operand(self) -> Result<Value, AttributeError> {
                <Optional<$form> as Form<Option<$kind>>>::store(self)
            }
        }
    )*};
}

formed! {
    [] Binary, Vec<u8>;
    [T: SetMember] VecSet<T>, Vec<T>;
    [T: EpochTime] EpochSeconds<T>, T;
    [T: Serialize + DeserializeOwned] Json<T>, T;
    [T: Serialize + DeserializeOwned] JsonText<T>, T;
}

/// Fields that hold several members take them from an array or a slice too, and strings as they are written.
macro_rules! gathered {
    ($([$($bounds:tt)*] $members:ty => $form:ty, $store:expr;)*) => {$(
        impl<$($bounds)*> Operand<$form> for $members {
            fn operand(self) -> Result<Value, AttributeError> {
                $store(&self[..])
            }
        }

        impl<$($bounds)*> Operand<Optional<$form>> for $members {
            fn operand(self) -> Result<Value, AttributeError> {
                $store(&self[..])
            }
        }
    )*};
}

gathered! {
    [] &[u8] => Binary, bytes;
    [const COUNT: usize] [u8; COUNT] => Binary, bytes;
    [const COUNT: usize] &[u8; COUNT] => Binary, bytes;
    [T: SetMember] &[T] => VecSet<T>, vec_set::store;
    [T: SetMember, const COUNT: usize] [T; COUNT] => VecSet<T>, vec_set::store;
    [T: SetMember, const COUNT: usize] &[T; COUNT] => VecSet<T>, vec_set::store;
    [] &[&str] => VecSet<String>, texts;
    [const COUNT: usize] [&str; COUNT] => VecSet<String>, texts;
}

fn bytes(bytes: &[u8]) -> Result<Value, AttributeError> {
    Ok(Value::B(bytes.to_vec()))
}

fn texts(members: &[&str]) -> Result<Value, AttributeError> {
    let members: Vec<String> = members.iter().map(|text| (*text).to_owned()).collect();
    vec_set::store(&members)
}
