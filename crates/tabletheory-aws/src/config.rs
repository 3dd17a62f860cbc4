//! How to reach the service: plain data, from code or from the environment.

use std::fmt;
use std::time::Duration;

use crate::duration;

/// The environment variable with the number of attempts.
pub const RETRY_MAX_ATTEMPTS: &str = "DYNAMORM_RETRY_MAX_ATTEMPTS";
/// The environment variable with the delay before the second attempt.
pub const RETRY_BASE_DELAY: &str = "DYNAMORM_RETRY_BASE_DELAY";
/// The environment variable that turns on the log of requests.
pub const DEBUG: &str = "DYNAMORM_DEBUG";

/// More attempts than this help nobody: who asks for them has mistaken the variable's unit.
const MAX_ATTEMPTS: u32 = 100;

/// How to reach DynamoDB. What is left out is found as every AWS SDK finds it: in the environment, in the shared
/// configuration files, from the role of the machine or the container. Two sources of credentials are not compiled in: IAM
/// Identity Center (`sso_session` and its like in a profile) and programs that print credentials (`credential_process`).
/// Who uses them asks them first, as with `aws configure export-credentials --format env`.
///
/// ```
/// use tabletheory_aws::{Config, Credentials};
///
/// let local = Config {
///     endpoint_url: Some("http://127.0.0.1:8000".to_owned()),
///     region: Some("us-east-1".to_owned()),
///     credentials: Some(Credentials::new("local", "local")),
///     ..Config::default()
/// };
/// assert_eq!(local.retry.max_attempts, 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// Another endpoint than the region's own, for tables and streams alike. Without one the SDK's variables count:
    /// `AWS_ENDPOINT_URL`, or `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_ENDPOINT_URL_DYNAMODB_STREAMS`; for keys
    /// `AWS_ENDPOINT_URL_KMS`.
    pub endpoint_url: Option<String>,
    /// The region; else `AWS_REGION` and what follows it.
    pub region: Option<String>,
    /// Credentials; else those that the SDK finds.
    pub credentials: Option<Credentials>,
    /// What to do about failures that may pass.
    pub retry: Retry,
    /// How long to wait for an answer.
    pub timeouts: Timeouts,
    /// Logs every request through `tracing`, with the target `tabletheory_aws`: operation, tables, names of attributes,
    /// outcome, attempts, time; never a value.
    pub debug: bool,
}

/// What to do about failures that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How many attempts a request has, the first included. None counts as one.
    pub max_attempts: u32,
    /// The wait before the second attempt is random up to this; it doubles with each further one, up to 20 seconds.
    pub base_delay: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { max_attempts: 3, base_delay: Duration::from_millis(100) }
    }
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For one attempt, from its connection to the end of its answer.
    pub attempt: Duration,
    /// For a request: all its attempts and the waits between them. It has to stay well below ten minutes, for as long does
    /// the service remember the token of a transaction: an attempt after that would be a second transaction.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_millis(3_100),
            attempt: Duration::from_secs(30),
            total: Duration::from_mins(5),
        }
    }
}

/// Keys to sign requests with. Their secret parts are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name of the key.
    pub access_key_id: String,
    /// The key.
    pub secret_access_key: String,
    /// What temporary keys come with.
    pub session_token: Option<String>,
}

impl Credentials {
    /// Lasting keys.
    pub fn new(access_key_id: impl Into<String>, secret_access_key: impl Into<String>) -> Self {
        Self {
            access_key_id: access_key_id.into(),
            secret_access_key: secret_access_key.into(),
            session_token: None,
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}

/// Why there is no connection to be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// An environment variable holds something else than it may.
    #[error("{variable}={value:?} is not {expected}")]
    Variable {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: String,
        /// What it may hold.
        expected: &'static str,
    },
    /// Nobody said which region.
    #[error("there is no region: set `region` in the configuration, or AWS_REGION in the environment")]
    NoRegion,
    /// Nobody said which key.
    #[error("there is no key: set `key_id` in the configuration, or KMS_KEY_ARN in the environment")]
    NoKey,
}

impl Config {
    /// The configuration that the environment asks for. Endpoint, region and credentials are left to the SDK, which looks
    /// for them in the environment too.
    ///
    /// `DYNAMORM_RETRY_MAX_ATTEMPTS` is a whole number from 1 to 100. `DYNAMORM_RETRY_BASE_DELAY` is a number of milliseconds, or
    /// a span with units such as `50ms`, `1s` or `1m30s`. `DYNAMORM_DEBUG` is `true`, `1`, `false` or `0`. A variable that
    /// is empty counts as missing.
    ///
    /// # Errors
    /// [`ConfigError::Variable`] if one of them holds something else.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(variable)
    }

    pub(crate) fn from_variables(look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let value = |name: &str| look_up(name).filter(|value| !value.is_empty());
        if let Some(value) = value(RETRY_MAX_ATTEMPTS) {
            let attempts = value.parse().ok().filter(|attempts| (1..=MAX_ATTEMPTS).contains(attempts));
            config.retry.max_attempts =
                attempts.ok_or(refused(RETRY_MAX_ATTEMPTS, value, "a whole number from 1 to 100"))?;
        }
        if let Some(value) = value(RETRY_BASE_DELAY) {
            let expected = "a number of milliseconds, or a span such as 50ms, 1s or 1m30s";
            config.retry.base_delay =
                duration::parse(&value).ok_or(refused(RETRY_BASE_DELAY, value, expected))?;
        }
        if let Some(value) = value(DEBUG) {
            config.debug = match value.to_ascii_lowercase().as_str() {
                "true" | "1" => true,
                "false" | "0" => false,
                _ => return Err(refused(DEBUG, value, "true, 1, false or 0")),
            };
        }
        Ok(config)
    }
}

/// What the process' environment says.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn refused(variable: &'static str, value: String, expected: &'static str) -> ConfigError {
    ConfigError::Variable { variable, value, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_variables(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn variables_do_what_they_say() {
        let config =
            read(&[(RETRY_MAX_ATTEMPTS, "5"), (RETRY_BASE_DELAY, "1m30s"), (DEBUG, "TRUE")]).unwrap();
        assert_eq!(config.retry, Retry { max_attempts: 5, base_delay: Duration::from_secs(90) });
        assert!(config.debug);
        assert_eq!(read(&[(RETRY_BASE_DELAY, "100")]).unwrap().retry.base_delay, Duration::from_millis(100));
        assert!(!read(&[(DEBUG, "0")]).unwrap().debug);
        assert_eq!(read(&[(RETRY_MAX_ATTEMPTS, "100")]).unwrap().retry.max_attempts, 100);
    }

    #[test]
    fn missing_and_empty_variables_leave_the_defaults() {
        assert_eq!(read(&[]), Ok(Config::default()));
        let empty = [(RETRY_MAX_ATTEMPTS, ""), (RETRY_BASE_DELAY, ""), (DEBUG, "")];
        assert_eq!(read(&empty), Ok(Config::default()));
    }

    #[test]
    fn a_bad_value_is_named_with_its_variable_and_what_is_accepted() {
        let bad = [
            (RETRY_MAX_ATTEMPTS, "0"),
            (RETRY_MAX_ATTEMPTS, "-1"),
            (RETRY_MAX_ATTEMPTS, "three"),
            (RETRY_MAX_ATTEMPTS, "101"),
            (RETRY_MAX_ATTEMPTS, "4294967296"),
            (RETRY_BASE_DELAY, "soon"),
            (DEBUG, "yes"),
        ];
        for (variable, value) in bad {
            let text = read(&[(variable, value)]).unwrap_err().to_string();
            assert!(text.starts_with(&format!("{variable}={value:?} is not ")), "{text}");
        }
        assert_eq!(
            read(&[(RETRY_BASE_DELAY, "soon")]).unwrap_err().to_string(),
            "DYNAMORM_RETRY_BASE_DELAY=\"soon\" is not a number of milliseconds, or a span such as 50ms, 1s or 1m30s"
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let mut credentials = Credentials::new("id", "canary-secret");
        credentials.session_token = Some("canary-token".to_owned());
        let config = Config { credentials: Some(credentials), ..Config::default() };
        assert!(!format!("{config:?}").contains("canary"));
    }
}
