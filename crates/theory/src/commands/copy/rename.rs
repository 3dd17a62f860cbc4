//! A table that gets another name, as it is said.

use std::str::FromStr;

/// A table that gets another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rename {
    pub(super) from: String,
    pub(super) to: String,
}

impl FromStr for Rename {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                Ok(Self { from: from.to_owned(), to: to.to_owned() })
            }
            _ => Err("it is two names of a table, such as orders=orders-copy".to_owned()),
        }
    }
}
