//! A bucket: closed to the public, reached through TLS only, encrypted, and never full of halves of uploads.

use crate::error::Error;
use crate::iam::Statement;
use crate::intrinsic::{attribute, join, reference};
use crate::name;
use crate::node::{Map, Node};
use crate::resource::{Resource, tags};
use crate::template::Template;

/// A bucket of a template. What it holds stays when the stack goes.
///
/// ```
/// use theory_synth::{BucketResource, Template};
///
/// let mut template = Template::new("A bucket.");
/// BucketResource::new("Pages", None, "isr").add_to(&mut template)?;
/// assert!(template.to_yaml()?.contains("BlockPublicAcls: true"));
/// assert!(BucketResource::new("Pages", None, "isr/*").add_to(&mut template).is_err());
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketResource {
    id: String,
    name: Option<String>,
    prefix: String,
    transition: Option<(&'static str, u32)>,
    expire_days: Option<u32>,
    tags: Vec<(String, String)>,
}

impl BucketResource {
    /// A bucket under this logical id, whose keys begin with a prefix.
    #[must_use]
    pub fn new(id: impl Into<String>, name: Option<String>, prefix: impl Into<String>) -> Self {
        let (id, prefix) = (id.into(), prefix.into());
        Self { id, name, prefix, transition: None, expire_days: None, tags: Vec::new() }
    }

    /// Moves objects to another class of storage when they are so old.
    #[must_use]
    pub fn moved_to(mut self, class: &'static str, days: u32) -> Self {
        self.transition = Some((class, days));
        self
    }

    /// Deletes objects when they are so old.
    #[must_use]
    pub fn expiring(mut self, days: Option<u32>) -> Self {
        self.expire_days = days;
        self
    }

    /// With tags.
    #[must_use]
    pub fn tagged(mut self, tags: &[(String, String)]) -> Self {
        self.tags = tags.to_vec();
        self
    }

    /// Its logical id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its name, in the template.
    #[must_use]
    pub fn name(&self) -> Node {
        reference(&self.id)
    }

    /// Its resource name, in the template.
    #[must_use]
    pub fn arn(&self) -> Node {
        attribute(&self.id, "Arn")
    }

    /// The permission to do this with its objects, below the prefix only.
    #[must_use]
    pub fn grant(&self, sid: &'static str, actions: &[&'static str]) -> Statement {
        self.grant_below(sid, actions, "")
    }

    /// The same for a part of what is below the prefix, such as `/dead-letters`.
    #[must_use]
    pub fn grant_below(&self, sid: &'static str, actions: &[&'static str], part: &str) -> Statement {
        let objects = format!("/{}{part}/*", self.prefix);
        Statement::new(sid).actions(actions).on(join([self.arn(), Node::from(objects)]))
    }

    /// Puts it into a template: the bucket, its policy, and outputs.
    ///
    /// # Errors
    /// If AWS would refuse a name or a number, or a logical id is taken.
    pub fn add_to(&self, template: &mut Template) -> Result<(), Error> {
        self.name.as_deref().map_or(Ok(()), name::bucket)?;
        name::prefix(&self.prefix)?;
        self.check_days()?;
        let id = &self.id;
        template.resource(id, Resource::new("AWS::S3::Bucket", self.properties()).kept())?;
        let policy = Map::new().with("Bucket", self.name()).with("PolicyDocument", self.tls_only());
        template.resource(&format!("{id}Policy"), Resource::new("AWS::S3::BucketPolicy", policy).kept())?;
        template.output(&format!("{id}Name"), "The name of the bucket.", self.name())?;
        template.output(&format!("{id}Arn"), "The resource name of the bucket.", self.arn())
    }

    fn check_days(&self) -> Result<(), Error> {
        const DAYS_MAX: u64 = 36_500;
        let moved = self.transition.map(|(_, days)| u64::from(days));
        if let Some(days) = moved {
            name::between("the age of objects that are moved, in days", days, 0..=DAYS_MAX, "0 to 36500")?;
        }
        if let Some(days) = self.expire_days {
            let rule = "greater than the age at which they are moved, and 36500 at most";
            let range = moved.map_or(1, |moved| moved + 1)..=DAYS_MAX;
            name::between("the age of objects that are deleted, in days", days.into(), range, rule)?;
        }
        Ok(())
    }

    fn properties(&self) -> Map {
        let closed = Map::new()
            .with("BlockPublicAcls", true)
            .with("BlockPublicPolicy", true)
            .with("IgnorePublicAcls", true)
            .with("RestrictPublicBuckets", true);
        let sse = Map::new().with("SSEAlgorithm", "AES256");
        let sse = Map::new().with("ServerSideEncryptionByDefault", sse).with("BucketKeyEnabled", true);
        let owner = Map::new().with("ObjectOwnership", "BucketOwnerEnforced");
        Map::new()
            .maybe("BucketName", self.name.as_ref())
            .with("PublicAccessBlockConfiguration", closed)
            .with("OwnershipControls", Map::new().with("Rules", [owner]))
            .with("BucketEncryption", Map::new().with("ServerSideEncryptionConfiguration", [sse]))
            .with("LifecycleConfiguration", Map::new().with("Rules", self.rules()))
            .maybe("Tags", tags(&self.tags))
    }

    fn rules(&self) -> Vec<Map> {
        let abort = Map::new().with("DaysAfterInitiation", 1);
        let mut rules = vec![
            Map::new()
                .with("Id", "half-uploads-and-old-versions-go")
                .with("Status", "Enabled")
                .with("AbortIncompleteMultipartUpload", abort)
                .with("NoncurrentVersionExpiration", Map::new().with("NoncurrentDays", 30)),
        ];
        let transition = self
            .transition
            .map(|(class, days)| [Map::new().with("StorageClass", class).with("TransitionInDays", days)]);
        if transition.is_some() || self.expire_days.is_some() {
            let rule = Map::new()
                .with("Id", "objects-grow-old")
                .with("Status", "Enabled")
                .with("Prefix", format!("{}/", self.prefix))
                .maybe("Transitions", transition)
                .maybe("ExpirationInDays", self.expire_days);
            rules.push(rule);
        }
        rules
    }

    fn tls_only(&self) -> Map {
        let plain = Map::new().with("Bool", Map::new().with("aws:SecureTransport", "false"));
        let statement = Map::new()
            .with("Sid", "NothingWithoutTls")
            .with("Effect", "Deny")
            .with("Principal", "*")
            .with("Action", "s3:*")
            .with("Resource", [self.arn(), join([self.arn(), Node::from("/*")])])
            .with("Condition", plain);
        Map::new().with("Version", "2012-10-17").with("Statement", [statement])
    }
}
