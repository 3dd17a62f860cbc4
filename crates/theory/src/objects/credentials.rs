//! Credentials and region as the AWS SDK finds them, for a client of S3 that is not the SDK's: the commands reach buckets as whoever
//! they reach DynamoDB.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use object_store::CredentialProvider;
use object_store::aws::{AmazonS3Builder, AwsCredential};
use tabletheory_core::Clock as _;
use tabletheory_core::sys::SystemClock;
use tokio::sync::Mutex;

/// The builder with what the SDK finds.
pub(super) async fn of_the_sdk(builder: AmazonS3Builder) -> anyhow::Result<AmazonS3Builder> {
    let found = aws_config::load_defaults(aws_config::BehaviorVersion::v2026_01_12()).await;
    let region =
        found.region().context("there is no region for the bucket: set AWS_REGION in the environment")?;
    let mut builder = builder.with_region(region.as_ref());
    if let Some(provider) = found.credentials_provider() {
        let credentials = OfTheSdk { provider, kept: Mutex::default() };
        // Asked once here, so that missing or unreadable ones are told in the SDK's words.
        credentials.keys().await.context(
            "there are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        )?;
        builder = builder.with_credentials(Arc::new(credentials));
    }
    Ok(builder)
}

/// Before credentials end, others are asked for.
const BUFFER: Duration = Duration::from_mins(5);

/// Credentials of the SDK, asked for again when they are about to end: a role is asked over the network, and not for each object.
#[derive(Debug)]
struct OfTheSdk {
    provider: SharedCredentialsProvider,
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug, Clone)]
struct Kept {
    keys: Arc<AwsCredential>,
    until: Option<SystemTime>,
}

impl OfTheSdk {
    async fn keys(&self) -> Result<Arc<AwsCredential>, CredentialsError> {
        // Whoever comes while they are asked for waits for the same answer.
        let mut kept = self.kept.lock().await;
        let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(SystemClock.now().millis()).unwrap_or(0));
        let is_lasting = |kept: &&Kept| kept.until.is_none_or(|until| now + BUFFER < until);
        if let Some(kept) = kept.as_ref().filter(is_lasting) {
            return Ok(Arc::clone(&kept.keys));
        }
        let found = self.provider.provide_credentials().await?;
        let keys = Arc::new(AwsCredential {
            key_id: found.access_key_id().to_owned(),
            secret_key: found.secret_access_key().to_owned(),
            token: found.session_token().map(str::to_owned),
        });
        *kept = Some(Kept { keys: Arc::clone(&keys), until: found.expiry() });
        Ok(keys)
    }
}

impl CredentialProvider for OfTheSdk {
    type Credential = AwsCredential;

    fn get_credential<'s, 'a>(
        &'s self,
    ) -> Pin<Box<dyn Future<Output = object_store::Result<Arc<AwsCredential>>> + Send + 'a>>
    where
        's: 'a,
        Self: 'a,
    {
        let failed =
            |error: CredentialsError| object_store::Error::Generic { store: "S3", source: error.into() };
        Box::pin(async move { self.keys().await.map_err(failed) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use aws_credential_types::Credentials;
    use aws_credential_types::provider::future;

    use super::*;

    /// Gives new keys each time, which end after so long.
    #[derive(Debug)]
    struct Counting {
        asked: Arc<AtomicU64>,
        lasting: Duration,
    }

    impl ProvideCredentials for Counting {
        fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            let count = self.asked.fetch_add(1, Ordering::SeqCst);
            let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(SystemClock.now().millis()).unwrap());
            let keys = Credentials::new(count.to_string(), "secret", None, Some(now + self.lasting), "test");
            future::ProvideCredentials::ready(Ok(keys))
        }
    }

    async fn asked_for_two(lasting: Duration) -> u64 {
        let asked = Arc::new(AtomicU64::new(0));
        let provider = SharedCredentialsProvider::new(Counting { asked: Arc::clone(&asked), lasting });
        let credentials = OfTheSdk { provider, kept: Mutex::default() };
        for _ in 0..2 {
            credentials.get_credential().await.unwrap();
        }
        asked.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn credentials_are_asked_for_once_until_they_are_about_to_end() {
        assert_eq!(asked_for_two(Duration::from_hours(1)).await, 1);
        assert_eq!(asked_for_two(Duration::from_mins(4)).await, 2);
    }
}
