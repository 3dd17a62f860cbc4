//! Which key of KMS, and how to reach it: plain data, from code or from the environment.

use crate::config::{Config, ConfigError, variable};

/// The environment variable with the key's ARN, or another of its names.
///
/// ```
/// assert_eq!(tabletheory_aws::KMS_KEY_ARN, "KMS_KEY_ARN");
/// ```
pub const KMS_KEY_ARN: &str = "KMS_KEY_ARN";

/// Which key of KMS encrypts the data keys, and how to reach it.
///
/// ```
/// use tabletheory_aws::{Config, Credentials, KmsConfig};
///
/// let config = KmsConfig {
///     connection: Config {
///         endpoint_url: Some("http://127.0.0.1:5000".to_owned()),
///         credentials: Some(Credentials::new("local", "local")),
///         ..Config::default()
///     },
///     ..KmsConfig::new("arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab")
/// };
/// assert_eq!(config.region(), Some("eu-central-1"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KmsConfig {
    /// The key: its ARN, its id, or an alias such as `alias/app`. KMS's own rotation keeps it; whoever points an alias at
    /// another key loses what the former one encrypted.
    pub key_id: String,
    /// How to reach KMS, not DynamoDB: an endpoint here is that of the keys.
    pub connection: Config,
}

impl KmsConfig {
    /// This key, reached as the SDK finds it.
    ///
    /// ```
    /// use tabletheory_aws::{Config, KmsConfig};
    ///
    /// assert_eq!(KmsConfig::new("alias/app").connection, Config::default());
    /// ```
    pub fn new(key_id: impl Into<String>) -> Self {
        Self { key_id: key_id.into(), connection: Config::default() }
    }

    /// The configuration that the environment asks for: the key of `KMS_KEY_ARN`, and what [`Config::from_env`] says.
    ///
    /// # Errors
    /// [`ConfigError::NoKey`] if the variable is missing or empty, and those of [`Config::from_env`].
    ///
    /// ```
    /// use tabletheory_aws::{ConfigError, KMS_KEY_ARN, KmsConfig};
    ///
    /// if std::env::var_os(KMS_KEY_ARN).is_none() {
    ///     assert_eq!(KmsConfig::from_env(), Err(ConfigError::NoKey));
    /// }
    /// ```
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(variable)
    }

    fn from_variables(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let key_id = look_up(KMS_KEY_ARN).filter(|key| !key.is_empty()).ok_or(ConfigError::NoKey)?;
        Ok(Self { key_id, connection: Config::from_variables(look_up)? })
    }

    /// The region to ask: what the connection says, else the one in the key's ARN, else what the SDK finds.
    ///
    /// ```
    /// use tabletheory_aws::KmsConfig;
    ///
    /// assert_eq!(KmsConfig::new("arn:aws:kms:us-west-2:111122223333:alias/app").region(), Some("us-west-2"));
    /// assert_eq!(KmsConfig::new("alias/app").region(), None);
    /// ```
    #[must_use]
    pub fn region(&self) -> Option<&str> {
        self.connection.region.as_deref().or_else(|| region_of(&self.key_id))
    }
}

/// The region in an ARN. A key is known in its own region alone.
fn region_of(key_id: &str) -> Option<&str> {
    let mut parts = key_id.split(':');
    let is_key = parts.next() == Some("arn") && parts.next().is_some() && parts.next() == Some("kms");
    parts.next().filter(|region| is_key && !region.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DEBUG, RETRY_MAX_ATTEMPTS};

    fn read(variables: &[(&str, &str)]) -> Result<KmsConfig, ConfigError> {
        KmsConfig::from_variables(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_names_the_key_and_the_attempts() {
        let config = read(&[(KMS_KEY_ARN, "alias/app"), (RETRY_MAX_ATTEMPTS, "7")]).unwrap();
        assert_eq!((config.key_id.as_str(), config.connection.retry.max_attempts), ("alias/app", 7));
    }

    #[test]
    fn an_environment_without_a_key_is_refused() {
        assert_eq!(read(&[]), Err(ConfigError::NoKey));
        assert_eq!(read(&[(KMS_KEY_ARN, "")]), Err(ConfigError::NoKey));
        let bad = read(&[(KMS_KEY_ARN, "alias/app"), (DEBUG, "maybe")]);
        assert!(matches!(bad, Err(ConfigError::Variable { variable: DEBUG, .. })), "{bad:?}");
    }

    #[test]
    fn only_the_arn_of_a_key_tells_a_region() {
        let check = |key_id: &str, expected| assert_eq!(region_of(key_id), expected, "{key_id}");
        check("arn:aws:kms:us-east-1:111122223333:key/mrk-1", Some("us-east-1"));
        check("arn:aws-cn:kms:cn-north-1:111122223333:alias/app", Some("cn-north-1"));
        check("arn:aws:s3:us-east-1:111122223333:key/1", None);
        check("arn:aws:kms::111122223333:key/1", None);
        check("arn:aws:kms", None);
        check("1234abcd-12ab-34cd-56ef-1234567890ab", None);
        check("", None);
        let mut chosen = KmsConfig::new("arn:aws:kms:us-east-1:111122223333:key/mrk-1");
        chosen.connection.region = Some("eu-west-1".to_owned());
        assert_eq!(chosen.region(), Some("eu-west-1"));
    }
}
