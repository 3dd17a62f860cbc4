//! A site that is rendered and kept: a function with an address of its own, the table of its pages, the bucket of their bodies, and
//! perhaps a queue that regenerations are handed to.

use super::{further, sweep, tenancy};
use crate::bucket::BucketResource;
use crate::environment;
use crate::error::Error;
use crate::function::{FunctionResource, FunctionSettings};
use crate::intrinsic::attribute;
use crate::kind::Kind;
use crate::mapping::{self, QueueMapping};
use crate::node::Map;
use crate::queue::QueueResource;
use crate::resource::Resource;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;
use crate::{alarm, name};

/// How often a regeneration is tried before it becomes a dead letter.
const ATTEMPTS: u32 = 5;
/// A message stays with whoever took it for so many timeouts of the function, as Lambda advises.
const TIMEOUTS: u32 = 6;

/// Who may ask the function's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Callers who sign their requests and whom a policy allows: CloudFront, for one.
    #[default]
    Signed,
    /// Everybody.
    Public,
}

/// A queue that regenerations are handed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegenerationQueue {
    /// The function that works through it. Its code is asked for apart.
    pub consumer: FunctionSettings,
    /// How many messages it is given at once.
    pub batch_size: u32,
}

impl Default for RegenerationQueue {
    fn default() -> Self {
        Self { consumer: FunctionSettings::default(), batch_size: 10 }
    }
}

/// A template with a whole site.
///
/// ```
/// use theory_synth::stack::IsrSite;
///
/// let yaml = IsrSite::default().template()?.to_yaml()?;
/// assert!(yaml.contains("FACETHEORY_ISR_BUCKET: !Ref PageBucket"));
/// assert!(yaml.contains("AuthType: AWS_IAM"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsrSite {
    /// The function.
    pub function: FunctionSettings,
    /// The table of pages.
    pub table: TableSettings,
    /// The name of the bucket; without one CloudFormation makes it up.
    pub bucket_name: Option<String>,
    /// What the keys of bodies begin with.
    pub prefix: String,
    /// Who may ask.
    pub access: Access,
    /// Whether regenerations are handed to a queue, rather than awaited.
    pub queue: Option<RegenerationQueue>,
    /// Further tables of the product that the function works with.
    pub also: Vec<Kind>,
    /// The function that removes bodies that no row names, once a day. It has the site's code. Without it somebody else has to, such as a
    /// gateway on the same table.
    pub sweeper: Option<FunctionSettings>,
    /// Whether the function may touch the rows of one tenant only. Bodies are not parted by tenant: their keys do not say whose they are.
    pub is_isolated: bool,
    /// Whether there are alarms.
    pub has_alarms: bool,
    /// Whether other stacks may import the outputs.
    pub is_exported: bool,
}

impl Default for IsrSite {
    fn default() -> Self {
        Self {
            function: FunctionSettings::default(),
            table: TableSettings::default(),
            bucket_name: None,
            prefix: "isr".to_owned(),
            access: Access::default(),
            queue: None,
            also: Vec::new(),
            sweeper: None,
            is_isolated: false,
            has_alarms: true,
            is_exported: false,
        }
    }
}

/// What the functions of a site share.
struct Ground<'s> {
    table: &'s TableResource,
    bucket: &'s BucketResource,
    prefix: &'s str,
    is_isolated: bool,
}

impl Ground<'_> {
    /// Lets a function keep pages: their rows, their bodies, and the names of both.
    fn keeps_pages(
        &self,
        template: &mut Template,
        function: FunctionResource,
    ) -> Result<FunctionResource, Error> {
        let how = (Kind::Cache, self.is_isolated);
        let function = tenancy::granted(template, function, self.table, how)?;
        let bodies = self.bucket.grant("KeepBodies", &["s3:GetObject", "s3:PutObject"]);
        // Without it S3 answers a body that is gone with 403 and not with 404, and a miss would look like a failure. A condition on
        // the prefix would never hold for a read, which names none.
        let missing = crate::iam::Statement::new("KnowWhichBodiesAreGone")
            .actions(&["s3:ListBucket"])
            .on(self.bucket.arn());
        Ok(self.told(function).allowed(bodies).allowed(missing))
    }

    /// Tells a function where rows and bodies are.
    fn told(&self, mut function: FunctionResource) -> FunctionResource {
        for (variable, name) in Kind::Cache.environment(self.table.id()) {
            function = function.with_variable(variable, name);
        }
        function
            .with_variable(environment::ISR_BUCKET, self.bucket.name())
            .with_variable(environment::ISR_PREFIX, self.prefix)
    }
}

impl IsrSite {
    /// The template.
    ///
    /// # Errors
    /// If AWS would refuse something.
    pub fn template(&self) -> Result<Template, Error> {
        let text = "A site that is rendered and kept: function, table of pages, bucket of bodies (theory synth isr-site).";
        let mut template = Template::new(text);
        if self.is_exported {
            template = template.exported();
        }
        let table = TableResource::new(Kind::Cache.table_id(), Kind::Cache.layout()?)
            .with_settings(self.table.clone());
        table.add_to(&mut template)?;
        // Bodies are swept by what rows name, and never by their age: a page may be old and served every day.
        let bucket = BucketResource::new("PageBucket", self.bucket_name.clone(), &self.prefix);
        let bucket = bucket.tagged(&self.table.tags);
        bucket.add_to(&mut template)?;
        let ground =
            Ground { table: &table, bucket: &bucket, prefix: &self.prefix, is_isolated: self.is_isolated };
        let site = FunctionResource::new("Function", self.function.clone());
        let mut site = ground.keeps_pages(&mut template, site)?;
        if let Some(queue) = &self.queue {
            site = self.handed_over(&mut template, &ground, queue, site)?;
        }
        let (also, how) = ((&self.also[..], Kind::Cache), (self.is_isolated, self.has_alarms));
        let site = further::granted(&mut template, site, also, &self.table, how)?;
        site.add_to(&mut template)?;
        if let Some(settings) = &self.sweeper {
            self.swept(&mut template, &ground, settings)?;
        }
        self.address(&mut template, &site)?;
        if self.has_alarms {
            alarm::add_all(&mut template, alarm::function(&site))?;
            alarm::add_all(&mut template, alarm::cache(&site))?;
            alarm::add_all(&mut template, alarm::table(&table, Kind::Cache.operations()))?;
            alarm::user_errors().add_to(&mut template)?;
        }
        Ok(template)
    }

    /// The queue, what becomes of messages that nobody can do, and the function that works through it.
    fn handed_over(
        &self,
        template: &mut Template,
        ground: &Ground<'_>,
        settings: &RegenerationQueue,
        site: FunctionResource,
    ) -> Result<FunctionResource, Error> {
        name::between("the messages of a batch", settings.batch_size.into(), 1..=10, "1 to 10")?;
        let dead = QueueResource::dead_letters("RegenerationDeadLetters");
        dead.add_to(template)?;
        let taken = settings.consumer.timeout_seconds.saturating_mul(TIMEOUTS);
        let queue = QueueResource::new("RegenerationQueue").taken_for(taken).dying_into(&dead, ATTEMPTS);
        queue.add_to(template)?;
        let concurrency_max = settings.consumer.concurrency_max.map(|max| max.max(mapping::CONCURRENCY_MIN));
        let consumer = FunctionSettings { concurrency_max, ..settings.consumer.clone() };
        let consumer = FunctionResource::new("Regenerator", consumer).with_code("RegeneratorCodeKey");
        let consumer =
            ground.keeps_pages(template, consumer)?.allowed(queue.grant_consume("TakeRegenerations"));
        consumer.add_to(template)?;
        let mapping = QueueMapping { queue: &queue, function: &consumer, batch_size: settings.batch_size };
        mapping::of_queue(template, "RegeneratorSource", &mapping)?;
        if self.has_alarms {
            alarm::add_all(template, alarm::function(&consumer))?;
            // It answers no visitor, so nothing old is ever shown by it.
            alarm::regeneration(&consumer).add_to(template)?;
            alarm::dead_letters(&dead).add_to(template)?;
        }
        let site = site.with_variable(environment::REGENERATION_QUEUE, queue.url());
        Ok(site.allowed(queue.grant_send("HandRegenerationsOver")))
    }

    /// The function that removes bodies that no row names.
    fn swept(
        &self,
        template: &mut Template,
        ground: &Ground<'_>,
        settings: &FunctionSettings,
    ) -> Result<(), Error> {
        if self.is_isolated {
            let (first, second) = ("the sweep of a site", "the isolation of tenants");
            let why = "a sweep reads the rows of all tenants to know which bodies are named";
            return Err(Error::Together { first, second, why });
        }
        let sweeper = ground.told(FunctionResource::new("Sweeper", settings.clone()));
        let sweeper = sweep::scheduled(template, sweeper, ground.table, ground.bucket)?;
        if self.has_alarms {
            alarm::add_all(template, alarm::function(&sweeper))?;
        }
        Ok(())
    }

    /// The function's own address.
    fn address(&self, template: &mut Template, function: &FunctionResource) -> Result<(), Error> {
        let auth = match self.access {
            Access::Signed => "AWS_IAM",
            Access::Public => "NONE",
        };
        let url = Map::new().with("TargetFunctionArn", function.arn()).with("AuthType", auth);
        template.resource("FunctionUrl", Resource::new("AWS::Lambda::Url", url))?;
        if self.access == Access::Public {
            // Lambda asks for both: that the address may be asked, and that it may then invoke the function.
            let anybody = |action: &str| {
                Map::new().with("FunctionName", function.arn()).with("Action", action).with("Principal", "*")
            };
            let ask = anybody("lambda:InvokeFunctionUrl").with("FunctionUrlAuthType", "NONE");
            template.resource("AnybodyMayAsk", Resource::new("AWS::Lambda::Permission", ask))?;
            let invoke = anybody("lambda:InvokeFunction").with("InvokedViaFunctionUrl", true);
            template.resource("AnybodyMayInvoke", Resource::new("AWS::Lambda::Permission", invoke))?;
        }
        template.output("Url", "The address of the site.", attribute("FunctionUrl", "FunctionUrl"))
    }
}
