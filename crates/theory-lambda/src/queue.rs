//! Who renders stale pages: whoever finds them, or whoever reads a queue that they are handed to.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aws_config::BehaviorVersion;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_sqs::Client;

use crate::error::{BoxError, Error};
use crate::message::RegenerationMessage;

/// A message on its way.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>;

/// No visitor waits longer for a queue: the page is rendered instead.
const SEND_MAX: Duration = Duration::from_secs(2);

/// Queues whose names end so tell repetitions apart themselves, for five minutes.
const FIFO: &str = ".fifo";

/// Who renders a page that was found stale.
#[derive(Debug, Clone)]
pub enum Regeneration {
    /// Who found it, before its visitor is answered. If the time of the invocation does not suffice, it is left to the next visitor.
    Await,
    /// Whoever reads this queue. If it does not take the message, the page is awaited.
    Queue(Arc<dyn RegenerationQueue>),
}

/// A queue that regenerations are handed to. A message may be delivered more than once, in any order; what it asks for is done once.
pub trait RegenerationQueue: fmt::Debug + Send + Sync + 'static {
    /// Puts a message in. When this returns, the queue has it.
    fn send<'a>(&'a self, message: &'a RegenerationMessage) -> Sending<'a>;
}

/// A queue of SQS.
pub struct SqsQueue {
    client: Client,
    url: String,
}

impl SqsQueue {
    /// The queue at this address, with the region and the credentials of the environment. Nothing is sent yet.
    ///
    /// # Errors
    /// If there is no region.
    pub async fn connect(url: impl Into<String>) -> Result<Self, Error> {
        let timeouts = TimeoutConfig::builder().operation_timeout(SEND_MAX).build();
        let config =
            aws_config::defaults(BehaviorVersion::v2026_01_12()).timeout_config(timeouts).load().await;
        if config.region().is_none() {
            return Err(tabletheory::aws::ConfigError::NoRegion.into());
        }
        Ok(Self { client: Client::new(&config), url: url.into() })
    }
}

impl RegenerationQueue for SqsQueue {
    fn send<'a>(&'a self, message: &'a RegenerationMessage) -> Sending<'a> {
        Box::pin(async move {
            let mut send = self.client.send_message().queue_url(&self.url).message_body(message.text());
            if self.url.ends_with(FIFO) {
                send = send.message_group_id(message.id()).message_deduplication_id(message.id());
            }
            send.send().await.map_err(aws_sdk_sqs::Error::from)?;
            Ok(())
        })
    }
}

impl fmt::Debug for SqsQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqsQueue").field("url", &self.url).finish_non_exhaustive()
    }
}
