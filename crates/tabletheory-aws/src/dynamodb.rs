//! The store over the service: how it is connected, and what every request goes through.

use std::sync::Arc;

use aws_config::SdkConfig;
use aws_sdk_dynamodb::config::retry::RetryPartition;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock, Request, Response, Store, StoreError};

use crate::attempt::Attempts;
use crate::call::Call;
use crate::config::{Config, ConfigError};
use crate::connection;
use crate::effect::Effect;
use crate::op;
use crate::summary::Summary;

/// DynamoDB itself, or anything that speaks its protocol, as a [`Store`]. Clones share their connections.
///
/// # Failures
///
/// A refusal that the service answers with a code keeps it; a code that has no variant stands in the text of the variant
/// that fits, which is [`StoreError::Validation`] where nothing says more, and [`StoreError::Internal`] if the fault is the
/// service's. What else may come:
///
/// | error | what happened | was it written? |
/// |---|---|---|
/// | `ProvisionedThroughputExceeded`, `RequestLimitExceeded`, `Throttling` | every attempt was throttled | no |
/// | `TransactionConflict`, `TransactionCanceled` | another writer was there, or a condition is false | no |
/// | `TransactionInProgress` | the same token is still being worked on | ask again with the token |
/// | `Unavailable` | no connection: refused, no such host, not in time; a request that the service did not get whole; or credentials that could not be fetched | no |
/// | `AccessDenied` | no credentials, or not enough | no |
/// | `Internal` | 5xx, a lost or unreadable answer, a time-out | unknown: [`StoreError::is_ambiguous`] |
///
/// # Attempts
///
/// Throttled requests, and those that found no connection, are sent again until
/// [`Retry::max_attempts`](crate::Retry::max_attempts). So are reads whose answer was lost; writes only where twice is the
/// same as once: transactions, which carry a token (the caller's, or one that the SDK makes), batches, tags, and puts and
/// deletes that have no condition and return nothing. Every other write is sent until its first lost answer and then
/// comes back as `Internal`. To repeat it is the caller's decision: its own condition may be false now because the lost
/// attempt made it so.
///
/// All attempts together have [`Timeouts::total`](crate::Timeouts::total). Besides, the SDK keeps a budget of attempts after
/// the first, which failures spend and successes fill again, so that a service in trouble is not asked three times as
/// often; each store that was [connected](Self::connect) has its own, and shares it with its clones.
///
/// Such a plain put or delete may therefore be applied a second time, after a write of somebody else's that came between.
#[derive(Debug, Clone)]
pub struct DynamoDb {
    tables: aws_sdk_dynamodb::Client,
    streams: aws_sdk_dynamodbstreams::Client,
    debug: bool,
    // It measures what the log tells, and nothing else.
    clock: Arc<dyn Clock>,
}

impl DynamoDb {
    /// Prepares the clients; the first request makes the first connection.
    ///
    /// # Errors
    /// [`ConfigError::NoRegion`] if neither the configuration nor the SDK's own sources name a region.
    pub async fn connect(config: Config) -> Result<Self, ConfigError> {
        let debug = config.debug;
        Ok(Self::with(&connection::prepare(config).await?, debug))
    }

    fn with(shared: &SdkConfig, debug: bool) -> Self {
        // By default all clients of a process that ask the same region share one budget.
        let budget = RetryPartition::custom("tabletheory").build();
        let tables = aws_sdk_dynamodb::config::Builder::from(shared).retry_partition(budget.clone());
        let streams = aws_sdk_dynamodbstreams::config::Builder::from(shared).retry_partition(budget);
        Self {
            tables: aws_sdk_dynamodb::Client::from_conf(tables.build()),
            streams: aws_sdk_dynamodbstreams::Client::from_conf(streams.build()),
            debug,
            clock: Arc::new(SystemClock),
        }
    }

    async fn perform(&self, request: Request) -> Result<Response, StoreError> {
        let attempts = Attempts::new(Effect::of(&request));
        let call = Call { tables: &self.tables, streams: &self.streams, attempts: attempts.clone() };
        if !self.debug {
            return op::perform(&call, request).await;
        }
        let (operation, summary, started) = (request.name(), Summary::of(&request), self.clock.now());
        let answer = op::perform(&call, request).await;
        tracing::debug!(
            target: "tabletheory_aws",
            operation,
            tables = ?summary.tables,
            attributes = ?summary.attributes,
            // The code alone: the service's messages may quote what they refuse.
            outcome = answer.as_ref().map_or_else(StoreError::code, |_| "ok"),
            attempts = attempts.count(),
            elapsed_ms = self.clock.now().millis().saturating_sub(started.millis()),
            "request"
        );
        answer
    }
}

impl Store for DynamoDb {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(self.perform(request))
    }
}

#[cfg(test)]
mod tests {
    use aws_credential_types::provider::error::CredentialsError;
    use aws_credential_types::provider::future::ProvideCredentials as Provided;
    use aws_sdk_dynamodb::config::ProvideCredentials;
    use tabletheory_core::StoreExt;
    use tabletheory_core::store::op::{ListTables, PutItem};

    use super::*;

    /// A source of credentials that has none to give.
    #[derive(Debug)]
    struct Source(fn() -> CredentialsError);

    impl ProvideCredentials for Source {
        fn provide_credentials<'a>(&'a self) -> Provided<'a>
        where
            Self: 'a,
        {
            Provided::ready(Err((self.0)()))
        }
    }

    /// What a read and a write become when the credentials for them cannot be had.
    async fn refusals(source: Source) -> [StoreError; 2] {
        let config = Config {
            // Nobody listens there, and nobody is asked.
            endpoint_url: Some("http://127.0.0.1:1".to_owned()),
            region: Some("us-east-1".to_owned()),
            ..Config::default()
        };
        let shared = connection::loader(config).credentials_provider(source).load().await;
        let store = DynamoDb::with(&shared, false);
        [
            store.list_tables(ListTables::default()).await.unwrap_err(),
            store.put_item(PutItem { table: "t".to_owned(), ..PutItem::default() }).await.unwrap_err(),
        ]
    }

    #[tokio::test]
    async fn where_nobody_has_credentials_access_is_denied() {
        for error in refusals(Source(|| CredentialsError::not_loaded("nobody has any"))).await {
            assert!(
                matches!(&error, StoreError::AccessDenied(text) if text.contains("no credentials")),
                "{error:?}"
            );
            assert!(!error.is_retryable());
        }
    }

    #[tokio::test]
    async fn credentials_that_cannot_be_fetched_are_unavailable() {
        for error in refusals(Source(|| CredentialsError::provider_error("the role's server is down"))).await
        {
            assert!(matches!(&error, StoreError::Unavailable(text) if text.contains("is down")), "{error:?}");
            assert!(error.is_retryable() && !error.is_ambiguous());
        }
    }
}
