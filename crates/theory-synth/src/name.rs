//! The names and numbers that AWS takes, checked before there is a template: CloudFormation says so only after it has begun.

use crate::error::Error;

/// How long a log group may keep its events, in days: the values that CloudWatch knows.
pub const RETENTION_DAYS: [u32; 22] =
    [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

fn name(what: &'static str, value: &str, rule: &'static str, fits: bool) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::Name { what, value: value.to_owned(), rule }) }
}

fn is_made_of(value: &str, besides: &[u8]) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || besides.contains(&byte))
}

/// The name of a part of a template.
pub(crate) fn logical_id(value: &str) -> Result<(), Error> {
    let fits = (1..=255).contains(&value.len()) && is_made_of(value, b"");
    name("a logical id", value, "1 to 255 letters and digits", fits)
}

/// The name of a table.
pub(crate) fn table(value: &str) -> Result<(), Error> {
    let fits = (3..=255).contains(&value.len()) && is_made_of(value, b"_.-");
    name("the name of a table", value, "3 to 255 letters, digits, `_`, `.` and `-`", fits)
}

/// The name of an index.
pub(crate) fn index(value: &str) -> Result<(), Error> {
    let fits = (3..=255).contains(&value.len()) && is_made_of(value, b"_.-");
    name("the name of an index", value, "3 to 255 letters, digits, `_`, `.` and `-`", fits)
}

/// The name of an attribute in a key.
pub(crate) fn key_attribute(value: &str) -> Result<(), Error> {
    name("the name of a key attribute", value, "1 to 255 bytes long", (1..=255).contains(&value.len()))
}

/// The name of a function.
pub(crate) fn function(value: &str) -> Result<(), Error> {
    let fits = (1..=64).contains(&value.len()) && is_made_of(value, b"_-");
    name("the name of a function", value, "1 to 64 letters, digits, `_` and `-`", fits)
}

/// The name of a bucket.
pub(crate) fn bucket(value: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends = value.bytes().next().is_some_and(plain) && value.bytes().last().is_some_and(plain);
    let fits = (3..=63).contains(&value.len())
        && value.bytes().all(|byte| plain(byte) || b".-".contains(&byte))
        && ends
        && !value.contains("..")
        && !value.starts_with("xn--")
        && !value.ends_with("-s3alias")
        && value.parse::<std::net::Ipv4Addr>().is_err();
    let rule =
        "3 to 63 small letters, digits, `.` and `-`, begin and end with a letter or digit, and be no address";
    name("the name of a bucket", value, rule, fits)
}

/// What the keys of objects begin with. It stands in a policy, where `*`, `?` and `$` would mean something else.
pub(crate) fn prefix(value: &str) -> Result<(), Error> {
    let fits = (1..=512).contains(&value.len())
        && is_made_of(value, b"_.-/=")
        && !value.starts_with('/')
        && !value.ends_with('/')
        && value.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    let rule = "1 to 512 letters, digits, `_`, `.`, `-` and `=`, with single `/` inside";
    name("the prefix of a bucket's keys", value, rule, fits)
}

/// The name of an environment variable.
pub(crate) fn variable(value: &str) -> Result<(), Error> {
    let fits = value.len() >= 2
        && value.starts_with(|first: char| first.is_ascii_alphabetic())
        && is_made_of(value, b"_")
        && !value.starts_with("AWS_")
        && !value.starts_with("LAMBDA_")
        && !value.starts_with("_");
    let rule =
        "letters, digits and `_`, begin with a letter, and not with AWS_ or LAMBDA_, which are the service's";
    name("an environment variable", value, rule, fits)
}

/// A tag of a resource.
fn tag(key: &str, value: &str) -> Result<(), Error> {
    let plain = |text: &str| text.chars().all(|sign| sign.is_alphanumeric() || " _.:/=+-@".contains(sign));
    let fits = (1..=128).contains(&key.chars().count())
        && plain(key)
        && !key.to_ascii_lowercase().starts_with("aws:");
    name(
        "the key of a tag",
        key,
        "1 to 128 letters, digits, spaces and `_.:/=+-@`, and not begin with aws:",
        fits,
    )?;
    let fits = value.chars().count() <= 256 && plain(value);
    name("the value of a tag", value, "0 to 256 letters, digits, spaces and `_.:/=+-@`", fits)
}

/// Tags of one thing, beside `others` that it has in any case. Each key may be there once; IAM does not tell capitals from small letters.
pub(crate) fn tags<'t>(
    tags: &'t [(String, String)],
    others: impl IntoIterator<Item = &'t str>,
) -> Result<(), Error> {
    let mut known: Vec<&str> = others.into_iter().collect();
    for (key, value) in tags {
        tag(key, value)?;
        let is_new = known.iter().all(|known| !known.eq_ignore_ascii_case(key));
        name("the key of a tag", key, "there once, whether in capitals or small letters", is_new)?;
        known.push(key);
    }
    Ok(())
}

/// The resource name of a key of KMS.
pub(crate) fn key_arn(value: &str) -> Result<(), Error> {
    let parts: Vec<&str> = value.split(':').collect();
    let fits = matches!(parts[..], ["arn", partition, "kms", region, account, key]
        if partition.starts_with("aws") && !region.is_empty() && account.len() == 12 && key.starts_with("key/"))
        && is_made_of(value, b":/-");
    name("a key of KMS", value, "an ARN such as arn:aws:kms:eu-west-1:111122223333:key/…", fits)
}

/// A number in a range.
pub(crate) fn between(
    what: &'static str,
    value: u64,
    range: std::ops::RangeInclusive<u64>,
    rule: &'static str,
) -> Result<(), Error> {
    if range.contains(&value) { Ok(()) } else { Err(Error::Number { what, value, rule }) }
}

/// How long logs are kept.
pub(crate) fn retention(days: u32) -> Result<(), Error> {
    if RETENTION_DAYS.contains(&days) {
        return Ok(());
    }
    let rule = "one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 and 3653";
    Err(Error::Number { what: "the retention of logs in days", value: days.into(), rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: fn(&str) -> Result<(), Error>, good: &[&str], bad: &[&str]) {
        for value in good {
            assert_eq!(rule(value), Ok(()), "{value:?}");
        }
        for value in bad {
            let error = rule(value).expect_err("AWS refuses it").to_string();
            assert!(error.contains(&format!("{value:?}")), "{error}");
        }
    }

    #[test]
    fn names_are_those_that_aws_takes() {
        let long = "x".repeat(256);
        check(logical_id, &["A", "Table1"], &["", "My-Table", "T_1", "ä", &long]);
        check(table, &["abc", "a.b_c-D"], &["ab", "a b", "a#b", "", &long, "tä ble"]);
        check(function, &["f", "my-fn_1"], &["", "a.b", &long[..65]]);
        check(
            bucket,
            &["abc", "my.bucket-1"],
            &[
                "ab",
                "My",
                "-abc",
                "abc-",
                "a..b",
                "192.168.0.1",
                "xn--abc",
                "abc-s3alias",
                "a_b",
                &long[..64],
            ],
        );
        check(prefix, &["isr", "a/b=c"], &["", "/a", "a/", "a//b", "../a", "a*", "a$b", "a b", "./a"]);
        check(variable, &["MODE", "A1"], &["", "A", "1A", "AWS_REGION", "LAMBDA_X", "A-B"]);
        check(
            key_arn,
            &["arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab"],
            &[
                "",
                "alias/x",
                "arn:aws:s3:::bucket",
                "arn:aws:kms::1:key/a",
                "arn:aws:kms:eu-west-1:111122223333:key/*",
            ],
        );
    }

    #[test]
    fn tags_are_those_that_aws_takes() {
        assert!(tag("team", "web and shop").is_ok() && tag("ä", "").is_ok());
        assert!(tag("aws:x", "1").is_err() && tag("", "1").is_err() && tag("a", "b*").is_err());
    }
}
