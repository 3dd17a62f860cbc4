//! A value as it was said, before anybody knows what it should be: a value of the file, or a text from outside.

use toml::Spanned;
use toml::de::DeValue;

use super::problem::shown;

/// A value as it was said.
#[derive(Debug, Clone)]
pub(super) enum Raw<'a> {
    /// In the file.
    File(&'a Spanned<DeValue<'a>>),
    /// By a variable or a flag.
    Outside(String),
}

impl Raw<'_> {
    /// It, as a text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::File(value) => value.get_ref().as_str(),
            Self::Outside(text) => Some(text),
        }
    }

    /// It, as a whole number.
    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Self::File(value) => {
                let integer = value.get_ref().as_integer()?;
                i64::from_str_radix(integer.as_str(), integer.radix()).ok()
            }
            Self::Outside(text) => text.trim().parse().ok(),
        }
    }

    /// It, as yes or no.
    pub(super) fn boolean(&self) -> Option<bool> {
        match self {
            Self::File(value) => value.get_ref().as_bool(),
            Self::Outside(text) => text.trim().parse().ok(),
        }
    }

    /// It, as an error repeats it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Outside(text) => format!("`{}`", shown(text)),
            Self::File(value) => match value.get_ref() {
                DeValue::String(text) => format!("`{}`", shown(text)),
                DeValue::Integer(integer) => format!("`{}`", shown(&integer.to_string())),
                DeValue::Float(float) => format!("`{}`", shown(float.as_str())),
                DeValue::Boolean(boolean) => format!("`{boolean}`"),
                DeValue::Datetime(moment) => format!("`{moment}`"),
                DeValue::Array(_) => "a list".to_owned(),
                DeValue::Table(_) => "a table".to_owned(),
            },
        }
    }
}
