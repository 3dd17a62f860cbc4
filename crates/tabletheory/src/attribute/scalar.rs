//! Texts, truths and numbers.

use tabletheory_core::{Item, Number, Value, ValueType};

use super::Attribute;
use super::error::{AttributeError, Fault};

impl Attribute for Value {
    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(self.clone())
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        Ok(value)
    }
}

impl Attribute for Item {
    const TYPE: Option<ValueType> = Some(ValueType::M);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::M(self.clone()))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::M(item) => Ok(item),
            other => Err(AttributeError::wrong_type("M", &other)),
        }
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

impl Attribute for String {
    const TYPE: Option<ValueType> = Some(ValueType::S);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::S(self.clone()))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::S(text) => Ok(text),
            other => Err(AttributeError::wrong_type("S", &other)),
        }
    }

    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

impl Attribute for bool {
    const TYPE: Option<ValueType> = Some(ValueType::Bool);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::Bool(*self))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::Bool(flag) => Ok(flag),
            other => Err(AttributeError::wrong_type("BOOL", &other)),
        }
    }

    fn is_omitted(&self) -> bool {
        !*self
    }
}

impl Attribute for Number {
    const TYPE: Option<ValueType> = Some(ValueType::N);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::N(*self))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::N(number) => Ok(number),
            other => Err(AttributeError::wrong_type("N", &other)),
        }
    }

    fn is_omitted(&self) -> bool {
        self.is_zero()
    }
}

macro_rules! integers {
    ($($kind:ty, $wide:ident;)*) => {$(
        impl Attribute for $kind {
            const TYPE: Option<ValueType> = Some(ValueType::N);

            fn to_value(&self) -> Result<Value, AttributeError> {
                Ok(Value::N(Number::from(*self)))
            }

            fn from_value(value: Value) -> Result<Self, AttributeError> {
                let number = Number::from_value(value)?;
                let wide = number.$wide().and_then(|wide| Self::try_from(wide).ok());
                wide.ok_or_else(|| Fault::DoesNotFit { kind: stringify!($kind) }.into())
            }

            fn is_omitted(&self) -> bool {
                *self == 0
            }
        }
    )*};
}

integers! {
    i8, to_i64; i16, to_i64; i32, to_i64; i64, to_i64;
    u8, to_u64; u16, to_u64; u32, to_u64; u64, to_u64;
}

macro_rules! floats {
    ($($kind:ty;)*) => {$(
        impl Attribute for $kind {
            const TYPE: Option<ValueType> = Some(ValueType::N);

            fn to_value(&self) -> Result<Value, AttributeError> {
                // The shortest text that reads back as the same number, as every toolkit writes it.
                self.to_string().parse().map(Value::N).map_err(|_| Fault::NotANumber.into())
            }

            fn from_value(value: Value) -> Result<Self, AttributeError> {
                let number = Number::from_value(value)?;
                let float: Self = number.to_string().parse().map_err(|_| Fault::NotANumber)?;
                if float.is_finite() { Ok(float) } else { Err(Fault::DoesNotFit { kind: stringify!($kind) }.into()) }
            }

            fn is_omitted(&self) -> bool {
                *self == 0.0
            }
        }
    )*};
}

floats! { f32; f64; }
