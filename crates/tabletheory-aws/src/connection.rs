//! What every client of the SDK shares: where to connect, as whom, how long to wait, and how often.

use aws_config::{BehaviorVersion, ConfigLoader, Region, SdkConfig};
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;

use crate::config::{Config, ConfigError, Credentials};

/// The configuration as the SDK's own. Nothing is connected yet.
///
/// # Errors
/// [`ConfigError::NoRegion`] if neither the configuration nor the SDK's own sources name a region.
pub(crate) async fn prepare(config: Config) -> Result<SdkConfig, ConfigError> {
    let shared = loader(config).load().await;
    if shared.region().is_none() { Err(ConfigError::NoRegion) } else { Ok(shared) }
}

/// What the SDK is told, before it looks for the rest itself.
pub(crate) fn loader(config: Config) -> ConfigLoader {
    let retry = RetryConfig::standard()
        .with_max_attempts(config.retry.max_attempts.max(1))
        .with_initial_backoff(config.retry.base_delay);
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(config.timeouts.connect)
        .operation_attempt_timeout(config.timeouts.attempt)
        .operation_timeout(config.timeouts.total)
        .build();
    let mut loader =
        aws_config::defaults(BehaviorVersion::v2026_01_12()).retry_config(retry).timeout_config(timeouts);
    if let Some(endpoint_url) = config.endpoint_url {
        loader = loader.endpoint_url(endpoint_url);
    }
    if let Some(region) = config.region {
        loader = loader.region(Region::new(region));
    }
    if let Some(credentials) = config.credentials {
        loader = loader.credentials_provider(provider(credentials));
    }
    loader
}

fn provider(credentials: Credentials) -> aws_credential_types::Credentials {
    let Credentials { access_key_id, secret_access_key, session_token } = credentials;
    aws_credential_types::Credentials::new(
        access_key_id,
        secret_access_key,
        session_token,
        None,
        "tabletheory configuration",
    )
}
