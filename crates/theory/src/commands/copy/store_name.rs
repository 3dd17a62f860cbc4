//! A store, as it is said on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A store, as it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoreName {
    /// A folder of this machine.
    Folder(PathBuf),
    /// An address.
    Endpoint(String),
    /// DynamoDB, in a region or in that of the environment.
    DynamoDb(Option<String>),
    /// A place with exports.
    Export(String),
}

impl FromStr for StoreName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(place) = text.strip_prefix("export:") {
            return match place {
                "" => Err("an export has a place: export:FOLDER or export:s3://BUCKET/PREFIX".to_owned()),
                place => Ok(Self::Export(place.to_owned())),
            };
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Endpoint(text.trim_end_matches('/').to_owned()));
        }
        if let Some(place) = text.strip_prefix("s3://") {
            return Err(format!("a bucket holds exports; say export:s3://{place}"));
        }
        match text.strip_prefix("dynamodb") {
            Some("") => return Ok(Self::DynamoDb(None)),
            Some(rest) if rest.starts_with(':') && rest.len() > 1 => {
                return Ok(Self::DynamoDb(Some(rest[1..].to_owned())));
            }
            _ => {}
        }
        if text.is_empty() || text.contains("://") || text == "dynamodb:" {
            let forms = "a folder, dynamodb, dynamodb:REGION, http://HOST:PORT or export:PLACE";
            return Err(format!("it is no store; say {forms}"));
        }
        Ok(Self::Folder(PathBuf::from(text)))
    }
}

impl fmt::Display for StoreName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Endpoint(url) => f.write_str(url),
            Self::DynamoDb(None) => f.write_str("DynamoDB"),
            Self::DynamoDb(Some(region)) => write!(f, "DynamoDB in {region}"),
            Self::Export(place) => write!(f, "export:{place}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read_as_it_is_said() {
        for (text, expected) in [
            ("./theory-data", StoreName::Folder("./theory-data".into())),
            ("./dynamodb", StoreName::Folder("./dynamodb".into())),
            ("dynamodb-2", StoreName::Folder("dynamodb-2".into())),
            ("dynamodb", StoreName::DynamoDb(None)),
            ("dynamodb:eu-west-1", StoreName::DynamoDb(Some("eu-west-1".into()))),
            ("http://127.0.0.1:8000/", StoreName::Endpoint("http://127.0.0.1:8000".into())),
            ("export:./backup", StoreName::Export("./backup".into())),
            ("export:s3://b/p", StoreName::Export("s3://b/p".into())),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for (text, said) in [
            ("", "no store"),
            ("ftp://x", "no store"),
            ("dynamodb:", "no store"),
            ("export:", "has a place"),
            ("s3://bucket/x", "say export:s3://bucket/x"),
        ] {
            assert!(text.parse::<StoreName>().is_err_and(|why| why.contains(said)), "{text}");
        }
    }
}
