//! S3, and services that speak its protocol: how to reach a bucket, with bounds on how long that may take.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

use super::error::{BodyError, BodyOperation};

/// How to reach a bucket.
///
/// ```
/// use facetheory::body::{Bodies, S3Credentials, S3Settings};
///
/// let keys = S3Credentials::Keys { id: "id".to_owned(), secret: "secret".to_owned(), session: None };
/// let settings = S3Settings {
///     endpoint: Some("http://127.0.0.1:9000".to_owned()),
///     path_style: true,
///     credentials: keys,
///     ..S3Settings::new("pages", "eu-central-1")
/// };
/// assert!(!format!("{settings:?}").contains("secret"));
/// assert!(Bodies::s3(&settings).is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Settings {
    /// The bucket's name.
    pub bucket: String,
    /// The bucket's region.
    pub region: String,
    /// The address of a service other than AWS, such as `http://127.0.0.1:9000`. Plain HTTP is used only if it is asked for here.
    pub endpoint: Option<String>,
    /// The bucket in the path rather than in the host name, as most services other than AWS want it.
    pub path_style: bool,
    /// Who we are.
    pub credentials: S3Credentials,
    /// How often a request that failed is sent again; 3 by default.
    pub retries_max: usize,
    /// After this time since the first attempt nothing is sent again; 20 seconds by default.
    pub retry_for: Duration,
    /// How long making a connection may take; 2 seconds by default.
    pub connect_timeout: Duration,
    /// How long one attempt may take, with its answer; 10 seconds by default.
    pub request_timeout: Duration,
}

/// Who we are to S3.
///
/// ```
/// use facetheory::body::S3Credentials;
///
/// let keys = S3Credentials::Keys { id: "id".to_owned(), secret: "hidden".to_owned(), session: None };
/// assert!(!format!("{keys:?}").contains("hidden"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum S3Credentials {
    /// As the environment says: `AWS_ACCESS_KEY_ID` and its like, a web identity, the container's or the machine's role.
    Environment,
    /// These keys.
    Keys {
        /// The access key's identifier.
        id: String,
        /// The secret access key.
        secret: String,
        /// The session token of temporary keys.
        session: Option<String>,
    },
}

impl S3Settings {
    /// A bucket on AWS, with credentials from the environment.
    #[must_use]
    pub fn new(bucket: impl Into<String>, region: impl Into<String>) -> Self {
        Self {
            bucket: bucket.into(),
            region: region.into(),
            endpoint: None,
            path_style: false,
            credentials: S3Credentials::Environment,
            retries_max: 3,
            retry_for: Duration::from_secs(20),
            connect_timeout: Duration::from_secs(2),
            request_timeout: Duration::from_secs(10),
        }
    }

    /// A client for the bucket, for whoever keeps other objects there than bodies. Sends nothing.
    ///
    /// # Errors
    /// If the settings make no client.
    pub fn connect(&self) -> Result<Arc<dyn ObjectStore>, BodyError> {
        if self.bucket.is_empty() {
            return Err(BodyError::Setting { setting: "bucket", must_be: "the name of a bucket" });
        }
        let client = ClientOptions::new()
            .with_timeout(self.request_timeout)
            .with_connect_timeout(self.connect_timeout)
            .with_read_timeout(self.request_timeout);
        let backoff = BackoffConfig {
            init_backoff: Duration::from_millis(50),
            max_backoff: Duration::from_secs(2),
            base: 2.,
        };
        let retry = RetryConfig { backoff, max_retries: self.retries_max, retry_timeout: self.retry_for };
        let mut builder = match &self.credentials {
            S3Credentials::Environment => AmazonS3Builder::from_env(),
            S3Credentials::Keys { id, secret, session } => {
                let keys = AmazonS3Builder::new().with_access_key_id(id).with_secret_access_key(secret);
                session.iter().fold(keys, |keys, session| keys.with_token(session))
            }
        };
        if let Some(endpoint) = &self.endpoint {
            let plain = endpoint.starts_with("http://");
            builder = builder.with_endpoint(endpoint).with_client_options(client.with_allow_http(plain));
        } else {
            builder = builder.with_client_options(client);
        }
        let built = builder
            .with_bucket_name(&self.bucket)
            .with_region(&self.region)
            .with_virtual_hosted_style_request(!self.path_style)
            .with_retry(retry)
            // Bodies are deleted one by one, which every service can do.
            .with_disable_bulk_delete(true)
            .build();
        Ok(Arc::new(built.map_err(|error| BodyError::of_store(BodyOperation::Open, error))?))
    }
}

/// Says which, not what.
impl fmt::Debug for S3Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Environment => "Environment",
            Self::Keys { .. } => "Keys",
        })
    }
}
