//! Rules for values that hold in every table, with the service's words for breaking them.

use crate::error::StoreError;
use crate::number::NumberError;

impl From<NumberError> for StoreError {
    fn from(error: NumberError) -> Self {
        Self::Validation(error.to_string())
    }
}
