//! The error that serde passes along inside. What serde itself would say is dropped, because it may repeat a value.

use std::fmt;

use serde::{de, ser};

use crate::attribute::{AttributeError, Fault};

/// Why a value cannot be written or read.
#[derive(Debug)]
pub(super) struct Unfit(pub(super) AttributeError);

impl From<AttributeError> for Unfit {
    fn from(error: AttributeError) -> Self {
        Self(error)
    }
}

impl From<Fault> for Unfit {
    fn from(fault: Fault) -> Self {
        Self(fault.into())
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for Unfit {}

impl ser::Error for Unfit {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Fault::NotJson.into()
    }
}

impl de::Error for Unfit {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Fault::Shape.into()
    }

    fn missing_field(field: &'static str) -> Self {
        AttributeError::from(Fault::Missing).inside(field).into()
    }
}
