//! Objects in a bucket of S3, or of a service that speaks its protocol: reached as every AWS SDK would, by the environment, the
//! shared files or the role of the machine.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use object_store::aws::AmazonS3Builder;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

/// Variables that name another service than AWS, the stronger first.
const ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];

/// A client for the bucket.
pub(super) async fn connect(bucket: &str) -> anyhow::Result<Arc<dyn ObjectStore>> {
    let mut client = ClientOptions::new()
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_mins(1))
        .with_read_timeout(Duration::from_secs(30));
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(5),
            base: 2.,
        },
        max_retries: 5,
        retry_timeout: Duration::from_mins(1),
    });
    let endpoint = ENDPOINTS.iter().find_map(|name| std::env::var(name).ok().filter(|url| !url.is_empty()));
    if let Some(endpoint) = endpoint {
        // Plain HTTP is used where somebody said so. Services other than AWS want the bucket in the path.
        client = client.with_allow_http(endpoint.starts_with("http://"));
        builder = builder.with_endpoint(endpoint).with_virtual_hosted_style_request(false);
    }
    #[cfg(feature = "aws")]
    let builder = super::credentials::of_the_sdk(builder).await?;
    let built = builder.with_client_options(client).build();
    Ok(Arc::new(
        built.with_context(|| format!("the bucket {bucket} cannot be used as the environment says"))?,
    ))
}
