//! Queues: one for work, and one for what could not be done.

use crate::error::Error;
use crate::iam::Statement;
use crate::intrinsic::{attribute, reference};
use crate::name;
use crate::node::{Map, Node};
use crate::resource::Resource;
use crate::template::Template;

/// How long a dead letter waits for somebody to look at it, in seconds: the longest that SQS allows.
const DEAD_SECONDS: u32 = 14 * 24 * 60 * 60;

/// A queue of a template.
///
/// ```
/// use theory_synth::{QueueResource, Template};
///
/// let mut template = Template::new("Work.");
/// let dead = QueueResource::dead_letters("Dead");
/// dead.add_to(&mut template)?;
/// QueueResource::new("Work").taken_for(180).dying_into(&dead, 5).add_to(&mut template)?;
/// assert!(template.to_yaml()?.contains("maxReceiveCount: 5"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueResource {
    id: String,
    visibility_seconds: Option<u32>,
    retention_seconds: Option<u32>,
    dead: Option<(String, u32)>,
}

impl QueueResource {
    /// A queue for work, under this logical id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), visibility_seconds: None, retention_seconds: None, dead: None }
    }

    /// A queue for what could not be done.
    #[must_use]
    pub fn dead_letters(id: impl Into<String>) -> Self {
        Self { retention_seconds: Some(DEAD_SECONDS), ..Self::new(id) }
    }

    /// Gives whoever takes a message so many seconds before another may take it.
    #[must_use]
    pub fn taken_for(mut self, seconds: u32) -> Self {
        self.visibility_seconds = Some(seconds);
        self
    }

    /// Moves a message that was taken so often, and never done, into another queue.
    #[must_use]
    pub fn dying_into(mut self, dead: &Self, attempts: u32) -> Self {
        self.dead = Some((dead.id.clone(), attempts));
        self
    }

    /// Its logical id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its address, in the template.
    #[must_use]
    pub fn url(&self) -> Node {
        reference(&self.id)
    }

    /// Its resource name, in the template.
    #[must_use]
    pub fn arn(&self) -> Node {
        attribute(&self.id, "Arn")
    }

    /// Its name, in the template, which metrics have as a dimension.
    #[must_use]
    pub fn name(&self) -> Node {
        attribute(&self.id, "QueueName")
    }

    /// The permission to put messages into it.
    #[must_use]
    pub fn grant_send(&self, sid: &'static str) -> Statement {
        Statement::new(sid).actions(&["sqs:SendMessage"]).on(self.arn())
    }

    /// The permission to work through it, which Lambda needs to do it for a function.
    #[must_use]
    pub fn grant_consume(&self, sid: &'static str) -> Statement {
        let actions = &["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"];
        Statement::new(sid).actions(actions).on(self.arn())
    }

    /// Puts it into a template, with outputs.
    ///
    /// # Errors
    /// If AWS would refuse a number, or the logical id is taken.
    pub fn add_to(&self, template: &mut Template) -> Result<(), Error> {
        if let Some(seconds) = self.visibility_seconds {
            let what = "how long a message is taken for, in seconds";
            name::between(what, seconds.into(), 0..=43_200, "0 to 43200")?;
        }
        if let Some((_, attempts)) = &self.dead {
            name::between("how often a message is tried", u64::from(*attempts), 1..=1000, "1 to 1000")?;
        }
        let redrive = self.dead.as_ref().map(|(dead, attempts)| {
            Map::new().with("deadLetterTargetArn", attribute(dead, "Arn")).with("maxReceiveCount", *attempts)
        });
        let properties = Map::new()
            .maybe("VisibilityTimeout", self.visibility_seconds)
            .maybe("MessageRetentionPeriod", self.retention_seconds)
            .with("SqsManagedSseEnabled", true)
            .maybe("RedrivePolicy", redrive);
        let queue = Resource::new("AWS::SQS::Queue", properties);
        // Dead letters are the only trace of what was not done.
        let id = &self.id;
        template.resource(id, if self.retention_seconds.is_some() { queue.kept() } else { queue })?;
        template.output(&format!("{id}Url"), "The address of the queue.", self.url())?;
        template.output(&format!("{id}Arn"), "The resource name of the queue.", self.arn())
    }
}
