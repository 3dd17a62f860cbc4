//! The archive of what expired: a function that reads a table's stream, and a bucket that grows cold with age.

use tabletheory::table::Layout;
use tabletheory_core::schema::StreamView;

use crate::bucket::BucketResource;
use crate::environment;
use crate::error::Error;
use crate::function::{FunctionResource, FunctionSettings};
use crate::iam::Statement;
use crate::intrinsic::{attribute, join, reference, sub};
use crate::mapping::{self, StreamMapping};
use crate::node::{Map, Node};
use crate::queue::QueueResource;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;
use crate::{alarm, name};

/// The parameter with the stream of a table that is there already.
const STREAM: &str = "StreamArn";

/// Where what expires comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamSource {
    /// A table that the template makes, with its stream.
    Table {
        /// What its models need of it.
        layout: Box<Layout>,
        /// How it is made.
        settings: TableSettings,
    },
    /// A table that is there already: its stream is asked for when the template is deployed.
    Existing {
        /// The attribute by which its items expire.
        ttl_attribute: String,
        /// The resource name of the customer's key that encrypts the table, if there is one: whoever reads the stream uses it.
        key: Option<String>,
    },
}

/// A template with the archive of a table.
///
/// ```
/// use theory_synth::Kind;
/// use theory_synth::stack::{StreamSource, TtlArchive};
///
/// let existing = StreamSource::Existing { ttl_attribute: "ttl".to_owned(), key: None };
/// let yaml = TtlArchive::new(existing).template()?.to_yaml()?;
/// assert!(yaml.contains("StartingPosition: TRIM_HORIZON") && yaml.contains("OnFailure"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TtlArchive {
    /// Where what expires comes from.
    pub source: StreamSource,
    /// The function.
    pub function: FunctionSettings,
    /// The name of the bucket; without one CloudFormation makes it up.
    pub bucket_name: Option<String>,
    /// What the keys of objects begin with.
    pub prefix: String,
    /// After how many days objects are moved to Glacier Deep Archive, if ever.
    pub glacier_days: Option<u32>,
    /// After how many days objects are deleted, if ever.
    pub expire_days: Option<u32>,
    /// How many records the function is given at once.
    pub batch_size: u32,
    /// How long Lambda waits for a batch to fill.
    pub batching_seconds: u32,
    /// How many batches of a shard are under way at once.
    pub parallel: u32,
    /// How often a batch is tried again; without a number until its records are 23 hours old.
    pub retries: Option<u32>,
    /// Whether there are alarms.
    pub has_alarms: bool,
    /// Whether other stacks may import the outputs.
    pub is_exported: bool,
}

impl TtlArchive {
    /// An archive with what the existing construct is set to, but for its time: a stream forgets after a day, so attempts end before.
    #[must_use]
    pub fn new(source: StreamSource) -> Self {
        let function =
            FunctionSettings { memory_mb: 1024, timeout_seconds: 300, ..FunctionSettings::default() };
        Self {
            source,
            function,
            bucket_name: None,
            prefix: "ttl-archive".to_owned(),
            glacier_days: None,
            expire_days: None,
            batch_size: 1000,
            batching_seconds: 5,
            parallel: 10,
            retries: None,
            has_alarms: true,
            is_exported: false,
        }
    }

    /// The template.
    ///
    /// # Errors
    /// If AWS would refuse something, or items of the table never expire.
    pub fn template(&self) -> Result<Template, Error> {
        self.check()?;
        let mut template = Template::new("The archive of items that expired (theory synth ttl-archive).");
        if self.is_exported {
            template = template.exported();
        }
        let (stream, ttl, mut statements) = self.stream(&mut template)?;
        let mut bucket = BucketResource::new("ArchiveBucket", self.bucket_name.clone(), &self.prefix);
        if let Some(days) = self.glacier_days {
            bucket = bucket.moved_to("DEEP_ARCHIVE", days);
        }
        let bucket = bucket.expiring(self.expire_days).tagged(&self.function.tags);
        bucket.add_to(&mut template)?;
        let dead = QueueResource::dead_letters("ArchiveDeadLetters");
        dead.add_to(&mut template)?;
        statements.extend([
            bucket.grant("WriteTheArchive", &["s3:GetObject", "s3:PutObject"]),
            bucket.grant_below("TakeDeadLettersBack", &["s3:DeleteObject"], "/dead-letters"),
            dead.grant_send("SendDeadLetters"),
        ]);
        let function = FunctionResource::new("Archiver", self.function.clone())
            .with_variable(environment::ARCHIVE_BUCKET, bucket.name())
            .with_variable(environment::ARCHIVE_PREFIX, &self.prefix)
            .with_variable(environment::TTL_ATTRIBUTE, ttl);
        let function = statements.into_iter().fold(function, FunctionResource::allowed);
        function.add_to(&mut template)?;
        let mapping = StreamMapping {
            stream,
            function: &function,
            dead: &dead,
            batch_size: self.batch_size,
            batching_seconds: self.batching_seconds,
            parallel: self.parallel,
            retries: self.retries,
            // The stream forgets after a day; what is left by then goes to the dead letters, which say where it was.
            age_seconds_max: 23 * 60 * 60,
        };
        mapping::of_stream(&mut template, "ArchiverSource", &mapping)?;
        if self.has_alarms {
            alarm::add_all(&mut template, alarm::function(&function))?;
            alarm::add_all(&mut template, alarm::archive(&function))?;
            alarm::dead_letters(&dead).add_to(&mut template)?;
        }
        Ok(template)
    }

    fn check(&self) -> Result<(), Error> {
        name::between("the records of a batch", self.batch_size.into(), 1..=10_000, "1 to 10000")?;
        name::between(
            "the seconds a batch is waited for",
            self.batching_seconds.into(),
            0..=300,
            "0 to 300",
        )?;
        name::between("the batches of a shard at once", self.parallel.into(), 1..=10, "1 to 10")?;
        let Some(retries) = self.retries else { return Ok(()) };
        name::between("how often a batch is tried again", retries.into(), 0..=10_000, "0 to 10000")
    }

    /// The stream, the attribute by which items expire, and the permissions to read the one.
    fn stream(&self, template: &mut Template) -> Result<(Node, String, Vec<Statement>), Error> {
        let read = |stream: &Node, listed: Node| {
            let records = &["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"];
            vec![
                Statement::new("ReadTheStream").actions(records).on(stream.clone()),
                Statement::new("FindTheStream").actions(&["dynamodb:ListStreams"]).on(listed),
            ]
        };
        match &self.source {
            StreamSource::Table { layout, settings } => {
                let table =
                    TableResource::new("ArchivedTable", (**layout).clone()).with_settings(settings.clone());
                let Some(ttl) = table.layout().time_to_live().map(str::to_owned) else {
                    let table = layout.create_table().table.clone();
                    return Err(Error::NothingExpires { table });
                };
                let table = table.streamed(StreamView::NewAndOldImages);
                table.add_to(template)?;
                if self.has_alarms {
                    alarm::add_all(template, alarm::table(&table, &[]))?;
                }
                let stream = attribute(table.id(), "StreamArn");
                let mut statements = read(&stream, join([table.arn(), Node::from("/stream/*")]));
                statements.extend(settings.encryption.grant(table.id()));
                Ok((stream, ttl, statements))
            }
            StreamSource::Existing { ttl_attribute, key } => {
                name::key_attribute(ttl_attribute)?;
                key.as_deref().map_or(Ok(()), name::key_arn)?;
                let text = "The stream of the table. It must carry new and old images, as only these say what an item was.";
                let parameter = Map::new().with("Type", "String").with("Description", text).with(
                    "AllowedPattern",
                    "^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/[A-Za-z0-9_.-]+/stream/.+$",
                );
                template.parameter(STREAM, parameter)?;
                let stream = reference(STREAM);
                let mut statements = read(&stream, stream.clone());
                statements.extend(key.as_deref().map(decrypt));
                Ok((stream, ttl_attribute.clone(), statements))
            }
        }
    }
}

/// Records of a stream are encrypted with the key of its table, and are only read here.
fn decrypt(key: &str) -> Statement {
    let via = Map::new().with("kms:ViaService", sub("dynamodb.${AWS::Region}.${AWS::URLSuffix}"));
    let statement = Statement::new("UseTheKeyOfTheTable").actions(&["kms:Decrypt"]);
    statement.condition("StringEquals", via).on(Node::from(key))
}
