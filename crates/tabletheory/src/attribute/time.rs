//! Moments as text: RFC 3339 in UTC with nine digits of a second, so that texts sort as the moments do. Every RFC 3339
//! form is read, with any zone and any number of digits, because each toolkit writes its own.

use jiff::Timestamp;
use tabletheory_core::{Value, ValueType};

use super::Attribute;
use super::error::{AttributeError, Fault};

/// What other toolkits write for a moment that was never set.
const NEVER: &str = "0001-01-01T00:00:00Z";

impl Attribute for Timestamp {
    const TYPE: Option<ValueType> = Some(ValueType::S);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::S(format!("{self:.9}")))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        let text = String::from_value(value)?;
        text.parse().map_err(|_| Fault::Malformed { expected: "a moment in the form of RFC 3339" }.into())
    }

    fn is_omitted(&self) -> bool {
        self.to_string() == NEVER
    }
}
