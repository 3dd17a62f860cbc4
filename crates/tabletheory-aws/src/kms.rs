//! Data keys from KMS: GenerateDataKey to encrypt a value, Decrypt to read it. What is encrypted with them is left to the
//! envelopes of the crate `tabletheory`.

mod config;

use std::fmt;
use std::sync::Arc;

use aws_sdk_kms::config::retry::RetryPartition;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::DataKeySpec;
use tabletheory_core::keys::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, SecretKey};
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock, StoreError, Timestamp};

use crate::attempt::Attempts;
use crate::config::ConfigError;
use crate::connection;
use crate::effect::Effect;
use crate::error;

pub use config::{KMS_KEY_ARN, KmsConfig};

/// The longest ciphertext that KMS takes.
const CIPHERTEXT_BYTES_MAX: usize = 6144;

/// Data keys of AES-256 under one key of KMS, as the other TableTheory toolkits use it: the key is named in both requests,
/// and there is no encryption context, so their envelopes can be opened here and ours there. Clones share their connections.
///
/// Each value that is written or read costs one request, unless the keys are kept for a while: the crate `tabletheory` has
/// `encryption::ReusedKeys` for that.
///
/// | what KMS says | error | again? |
/// |---|---|---|
/// | throttled, its own fault (5xx), no connection, no answer in time, credentials not fetched | [`KeyError::Unavailable`] | the SDK has tried [`Retry::max_attempts`](crate::Retry::max_attempts) times; later |
/// | no permission, no such key, disabled, pending deletion, another key's ciphertext, one that was changed | [`KeyError::Refused`] | never |
/// | a key of another length | [`KeyError::WrongLength`] | never |
///
/// No key is in any error, in `Debug` or in the log. Keys are wiped when they are dropped; the answers that brought them
/// are in the SDK's buffers before that, which nobody wipes.
///
/// ```no_run
/// use tabletheory_aws::{Kms, KmsConfig};
/// use tabletheory_core::keys::{KeyContext, KeyProvider};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let keys = Kms::connect(KmsConfig::from_env()?).await?;
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let key = keys.generate(context).await?;
/// assert_eq!(keys.decrypt(&key.encrypted, context).await?.expose(), key.plaintext.expose());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Kms {
    client: aws_sdk_kms::Client,
    key_id: Arc<str>,
    debug: bool,
    // It measures what the log tells, and nothing else.
    clock: Arc<dyn Clock>,
}

impl Kms {
    /// Prepares the client; the first request makes the first connection. Whether the key exists is not asked.
    ///
    /// # Errors
    /// [`ConfigError::NoKey`] if the key has no name, [`ConfigError::NoRegion`] if nobody names a region.
    ///
    /// ```
    /// use tabletheory_aws::{ConfigError, Kms, KmsConfig};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ConfigError> {
    /// let keys = Kms::connect(KmsConfig::new("arn:aws:kms:us-east-1:111122223333:alias/app")).await?;
    /// assert_eq!(format!("{keys:?}"), r#"Kms { key_id: "arn:aws:kms:us-east-1:111122223333:alias/app", .. }"#);
    /// assert_eq!(Kms::connect(KmsConfig::new("")).await.unwrap_err(), ConfigError::NoKey);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(config: KmsConfig) -> Result<Self, ConfigError> {
        if config.key_id.is_empty() {
            return Err(ConfigError::NoKey);
        }
        let region = config.region().map(str::to_owned);
        let KmsConfig { key_id, mut connection } = config;
        connection.region = region;
        let debug = connection.debug;
        let shared = connection::prepare(connection).await?;
        // By default all clients of a process that ask the same region share one budget.
        let budget = RetryPartition::custom("tabletheory keys").build();
        let client = aws_sdk_kms::config::Builder::from(&shared).retry_partition(budget).build();
        let client = aws_sdk_kms::Client::from_conf(client);
        Ok(Self { client, key_id: key_id.into(), debug, clock: Arc::new(SystemClock) })
    }

    async fn generate_data_key(&self, attempts: &Attempts) -> Result<DataKey, KeyError> {
        let request = self.client.generate_data_key().key_id(&*self.key_id).key_spec(DataKeySpec::Aes256);
        let answer = request.customize().interceptor(attempts.clone()).send().await;
        let answer = answer.map_err(|error| self.failure(error::of_reads(error, attempts)))?;
        let plaintext = self.secret(answer.plaintext)?;
        match answer.ciphertext_blob.map(Blob::into_inner) {
            Some(encrypted) if !encrypted.is_empty() => Ok(DataKey { plaintext, encrypted }),
            _ => Err(self.refused("the answer has no encrypted data key")),
        }
    }

    async fn decrypt_data_key(&self, encrypted: &[u8], attempts: &Attempts) -> Result<SecretKey, KeyError> {
        // Whoever may write to the table chooses these bytes; what KMS would refuse by its length is not sent.
        if encrypted.is_empty() || encrypted.len() > CIPHERTEXT_BYTES_MAX {
            return Err(self.refused("the encrypted data key has not the length of one"));
        }
        let request = self.client.decrypt().key_id(&*self.key_id).ciphertext_blob(Blob::new(encrypted));
        let answer = request.customize().interceptor(attempts.clone()).send().await;
        let answer = answer.map_err(|error| self.failure(error::of_reads(error, attempts)))?;
        self.secret(answer.plaintext)
    }

    fn secret(&self, plaintext: Option<Blob>) -> Result<SecretKey, KeyError> {
        let plaintext = plaintext.ok_or_else(|| self.refused("the answer has no data key"))?;
        SecretKey::try_from(plaintext.into_inner())
    }

    /// The service's refusals, and those of the way to it, are sorted as for the tables.
    fn failure(&self, error: StoreError) -> KeyError {
        let reason = self.reason(&error.to_string());
        if error.is_retryable() { KeyError::Unavailable { reason } } else { KeyError::Refused { reason } }
    }

    fn refused(&self, text: &str) -> KeyError {
        KeyError::Refused { reason: self.reason(text) }
    }

    fn reason(&self, text: &str) -> String {
        format!("{text} (key {} of KMS)", self.key_id)
    }

    fn log<T>(&self, request: &Logged<'_>, attempts: &Attempts, answer: &Result<T, KeyError>) {
        if !self.debug {
            return;
        }
        tracing::debug!(
            target: "tabletheory_aws",
            operation = request.operation,
            key = &*self.key_id,
            model = request.context.model,
            attribute = request.context.attribute,
            outcome = match answer {
                Ok(_) => "ok",
                Err(error) if error.is_retryable() => "unavailable",
                Err(_) => "refused",
            },
            attempts = attempts.count(),
            elapsed_ms = self.clock.now().millis().saturating_sub(request.started.millis()),
            "request"
        );
    }
}

/// What the log tells of a request before it is answered.
struct Logged<'a> {
    operation: &'static str,
    context: KeyContext<'a>,
    started: Timestamp,
}

impl KeyProvider for Kms {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        Box::pin(async move {
            let request = Logged { operation: "GenerateDataKey", context, started: self.clock.now() };
            let attempts = Attempts::new(Effect::Read);
            let answer = self.generate_data_key(&attempts).await;
            self.log(&request, &attempts, &answer);
            answer
        })
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], context: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(async move {
            let request = Logged { operation: "Decrypt", context, started: self.clock.now() };
            let attempts = Attempts::new(Effect::Read);
            let answer = self.decrypt_data_key(encrypted, &attempts).await;
            self.log(&request, &attempts, &answer);
            answer
        })
    }
}

impl fmt::Debug for Kms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kms").field("key_id", &&*self.key_id).finish_non_exhaustive()
    }
}
