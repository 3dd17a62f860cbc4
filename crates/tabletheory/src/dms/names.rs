//! What names are like: the characters they may have, and the conventions.

use tabletheory_core::limits::{KEY_NAME_BYTES_MAX, NAME_LENGTH_MAX, NAME_LENGTH_MIN};

use super::document::Naming;
use super::error::Fault;

const ATTRIBUTE_RULE: &str = "an attribute has 1 to 255 bytes: letters, digits and _ - . : #";
const TABLE_RULE: &str = "tables and indexes have 3 to 255 characters: a-z, A-Z, 0-9, _ - and .";

/// Checks the name of an attribute or a model. Characters that end a text in one language or another are refused: documents
/// become code.
pub(super) fn attribute(name: &str) -> Option<Fault> {
    let allowed = |sign: char| sign.is_alphanumeric() || "_-.:#".contains(sign);
    let fits = !name.is_empty() && name.len() <= KEY_NAME_BYTES_MAX && name.chars().all(allowed);
    (!fits).then(|| Fault::Name { name: name.to_owned(), rule: ATTRIBUTE_RULE })
}

/// Checks the name of a table or an index, which the service has rules for.
pub(super) fn table(name: &str) -> Option<Fault> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let fits = (NAME_LENGTH_MIN..=NAME_LENGTH_MAX).contains(&name.len()) && name.bytes().all(allowed);
    (!fits).then(|| Fault::Name { name: name.to_owned(), rule: TABLE_RULE })
}

impl Naming {
    /// Whether a name is in the convention.
    pub(super) fn fits(self, name: &str) -> bool {
        let begins_lower = name.starts_with(|sign: char| sign.is_ascii_lowercase());
        match self {
            Self::CamelCase | Self::Dynamorm => {
                let inside = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
                matches!(name, "PK" | "SK") || begins_lower && inside
            }
            Self::SnakeCase => {
                let part = |part: &str| {
                    !part.is_empty()
                        && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                };
                begins_lower && name.split('_').all(part)
            }
        }
    }
}
