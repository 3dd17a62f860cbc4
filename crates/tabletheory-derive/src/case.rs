//! Names of attributes made from names of fields and variants.

use syn::{LitStr, Result};

use crate::suggest::unknown;

/// How names are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Case {
    /// As they are in Rust.
    #[default]
    Same,
    Camel,
    Snake,
    Pascal,
    /// Camel case, and the keys are `PK` and `SK`.
    Dynamorm,
}

impl Case {
    pub(crate) fn parse(name: &LitStr) -> Result<Self> {
        match name.value().as_str() {
            "camelCase" => Ok(Self::Camel),
            "snake_case" => Ok(Self::Snake),
            "PascalCase" => Ok(Self::Pascal),
            "dynamorm" => Ok(Self::Dynamorm),
            other => {
                let known = ["camelCase", "snake_case", "PascalCase", "dynamorm"];
                Err(unknown(name.span(), "naming", other, &known))
            }
        }
    }

    /// The name of a field or variant.
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Self::Same => name.to_owned(),
            Self::Snake => words(name).join("_"),
            Self::Pascal => words(name).iter().map(|word| capital(word)).collect(),
            Self::Camel | Self::Dynamorm => {
                let words = words(name);
                let mut words = words.iter();
                let first = words.next().cloned().unwrap_or_default();
                words.fold(first, |name, word| name + &capital(word))
            }
        }
    }
}

/// The words of a name in lower case, whether it is written `like_this` or `LikeThis`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut start = true;
    for letter in name.chars() {
        if letter == '_' {
            start = true;
            continue;
        }
        match words.last_mut() {
            Some(word) if !start && !letter.is_uppercase() => word.push(letter),
            _ => words.push(letter.to_lowercase().collect()),
        }
        start = false;
    }
    words
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: Case, name: &str, expected: &str) {
        assert_eq!(case.apply(name), expected, "{case:?} of {name}");
    }

    #[test]
    fn fields_and_variants_are_renamed() {
        check(Case::Same, "s3_key", "s3_key");
        check(Case::Camel, "s3_key", "s3Key");
        check(Case::Camel, "user_id", "userId");
        check(Case::Camel, "SoldOut", "soldOut");
        check(Case::Snake, "SoldOut", "sold_out");
        check(Case::Snake, "s3_key", "s3_key");
        check(Case::Pascal, "created_at", "CreatedAt");
        check(Case::Dynamorm, "created_at", "createdAt");
    }

    /// Names that the Go toolkit gives to a field, beside the field that has them in Rust. The words of a name are told
    /// apart by `_` here and by capitals there, so that `userID` and `gsI1PK` have to be named with `attr`.
    #[test]
    fn names_are_those_of_the_other_toolkits() {
        for (name, camel, snake, pascal) in [
            ("id", "id", "id", "Id"),
            ("url_value", "urlValue", "url_value", "UrlValue"),
            ("http_server", "httpServer", "http_server", "HttpServer"),
            ("s3_key", "s3Key", "s3_key", "S3Key"),
            ("e_tag", "eTag", "e_tag", "ETag"),
            ("etag", "etag", "etag", "Etag"),
            ("ttl", "ttl", "ttl", "Ttl"),
            ("created_at", "createdAt", "created_at", "CreatedAt"),
            ("ip_address", "ipAddress", "ip_address", "IpAddress"),
            ("email_hash", "emailHash", "email_hash", "EmailHash"),
            ("revalidate_seconds", "revalidateSeconds", "revalidate_seconds", "RevalidateSeconds"),
            ("o_auth2_token", "oAuth2Token", "o_auth2_token", "OAuth2Token"),
            ("a", "a", "a", "A"),
        ] {
            check(Case::Camel, name, camel);
            check(Case::Dynamorm, name, camel);
            check(Case::Snake, name, snake);
            check(Case::Pascal, name, pascal);
        }
    }
}
