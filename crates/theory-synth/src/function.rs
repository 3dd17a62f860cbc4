//! A function of Lambda: its code from a bucket, its role, its log, its environment.

use crate::environment;
use crate::error::Error;
use crate::iam::{self, Statement};
use crate::intrinsic::{attribute, is_given, reference, when};
use crate::name;
use crate::node::{Map, Node};
use crate::resource::{Resource, tags};
use crate::template::Template;

/// What is chosen for a function.
///
/// ```
/// use theory_synth::FunctionSettings;
///
/// let settings = FunctionSettings::default();
/// assert_eq!((settings.memory_mb, settings.timeout_seconds), (512, 30));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSettings {
    /// Its name. Without one CloudFormation makes it up.
    pub name: Option<String>,
    /// Its memory, and with it its share of a processor.
    pub memory_mb: u32,
    /// How long one invocation may take.
    pub timeout_seconds: u32,
    /// How many may run at once, if the account's bound is not to be shared.
    pub concurrency_max: Option<u32>,
    /// How long its log is kept: one of [`RETENTION_DAYS`](crate::RETENTION_DAYS).
    pub log_days: u32,
    /// Whether X-Ray traces it.
    pub is_traced: bool,
    /// Further environment variables.
    pub environment: Vec<(String, String)>,
    /// Its tags, and those of its role and its log.
    pub tags: Vec<(String, String)>,
}

impl Default for FunctionSettings {
    fn default() -> Self {
        Self {
            name: None,
            memory_mb: 512,
            timeout_seconds: 30,
            concurrency_max: None,
            log_days: 30,
            is_traced: false,
            environment: Vec::new(),
            tags: Vec::new(),
        }
    }
}

/// A function of a template: a program named `bootstrap` for `provided.al2023` on arm64, in a ZIP archive whose place is asked for when
/// the template is deployed.
///
/// ```
/// use theory_synth::{FunctionResource, FunctionSettings, Template};
///
/// let mut template = Template::new("A function.");
/// FunctionResource::new("Api", FunctionSettings::default()).add_to(&mut template)?;
/// let yaml = template.to_yaml()?;
/// assert!(yaml.contains("Runtime: provided.al2023") && yaml.contains("- arm64"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionResource {
    id: String,
    settings: FunctionSettings,
    code_key: &'static str,
    environment: Map,
    statements: Vec<Statement>,
    role_tags: Vec<(String, Node)>,
}

impl FunctionResource {
    /// A function under this logical id. It may write its log, and nothing else yet.
    #[must_use]
    pub fn new(id: impl Into<String>, settings: FunctionSettings) -> Self {
        let environment = Map::new()
            .with(environment::DEBUG, "false")
            .with(environment::RETRY_MAX_ATTEMPTS, "3")
            .with(environment::RETRY_BASE_DELAY, "100");
        let (statements, role_tags) = (Vec::new(), Vec::new());
        Self { id: id.into(), settings, code_key: "CodeKey", environment, statements, role_tags }
    }

    /// With code of its own: the parameter that asks for it.
    #[must_use]
    pub fn with_code(mut self, parameter: &'static str) -> Self {
        self.code_key = parameter;
        self
    }

    /// With an environment variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: impl Into<Node>) -> Self {
        self.environment.set(name, value);
        self
    }

    /// Allowed to do this.
    #[must_use]
    pub fn allowed(mut self, statement: Statement) -> Self {
        self.statements.push(statement);
        self
    }

    /// With a tag on its role, which policies can speak of.
    #[must_use]
    pub fn role_tag(mut self, key: &str, value: impl Into<Node>) -> Self {
        self.role_tags.push((key.to_owned(), value.into()));
        self
    }

    /// Its logical id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its settings.
    #[must_use]
    pub fn settings(&self) -> &FunctionSettings {
        &self.settings
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

    /// Puts it into a template: the function, its role, its log, the questions for its code, and outputs.
    ///
    /// # Errors
    /// If AWS would refuse a name or a number, or a logical id is taken.
    pub fn add_to(&self, template: &mut Template) -> Result<(), Error> {
        self.check()?;
        let id = &self.id;
        self.ask_for_code(template)?;
        let log = Map::new()
            .with("RetentionInDays", self.settings.log_days)
            .maybe("Tags", tags(&self.settings.tags));
        template.resource(&format!("{id}Log"), Resource::new("AWS::Logs::LogGroup", log).kept())?;
        let role = self.role().maybe("Tags", self.role_tags());
        template.resource(&format!("{id}Role"), Resource::new("AWS::IAM::Role", role))?;
        let function = self.function().maybe("Tags", tags(&self.settings.tags));
        template.resource(id, Resource::new("AWS::Lambda::Function", function))?;
        template.output(&format!("{id}Name"), "The name of the function.", self.name())?;
        template.output(&format!("{id}Arn"), "The resource name of the function.", self.arn())?;
        let role = attribute(&format!("{id}Role"), "Arn");
        template.output(&format!("{id}RoleArn"), "The role of the function.", role)?;
        let log = reference(&format!("{id}Log"));
        template.output(&format!("{id}LogName"), "The log of the function.", log)
    }

    fn check(&self) -> Result<(), Error> {
        let settings = &self.settings;
        settings.name.as_deref().map_or(Ok(()), name::function)?;
        name::between(
            "the memory of a function in MB",
            settings.memory_mb.into(),
            128..=10_240,
            "128 to 10240",
        )?;
        name::between(
            "the timeout of a function in seconds",
            settings.timeout_seconds.into(),
            1..=900,
            "1 to 900",
        )?;
        name::retention(settings.log_days)?;
        for (variable, value) in &settings.environment {
            name::variable(variable)?;
            if value.len() > 4096 {
                return Err(Error::TooMuch {
                    what: "bytes in a variable",
                    count: value.len(),
                    count_max: 4096,
                });
            }
        }
        name::tags(&settings.tags, self.role_tags.iter().map(|(key, _)| key.as_str()))
    }

    fn ask_for_code(&self, template: &mut Template) -> Result<(), Error> {
        let text = |description: &str| Map::new().with("Type", "String").with("Description", description);
        let bucket = text("The bucket with the code.").with("MinLength", 3).with("MaxLength", 63);
        template.parameter("CodeBucket", bucket)?;
        let key = "The object with the code: a ZIP archive with a program for arm64 that is named bootstrap.";
        template.parameter(self.code_key, text(key).with("MinLength", 1).with("MaxLength", 1024))?;
        let (version, condition) = (self.code_version(), self.has_code_version());
        let text = text("The version of that object, if the bucket keeps versions.").with("Default", "");
        template.parameter(&version, text)?;
        template.condition(&condition, is_given(&version))
    }

    /// `CodeKey` becomes `CodeVersion`.
    fn code_version(&self) -> String {
        format!("{}Version", self.code_key.strip_suffix("Key").unwrap_or(self.code_key))
    }

    fn has_code_version(&self) -> String {
        format!("Has{}", self.code_version())
    }

    fn role(&self) -> Map {
        let lambda = Map::new().with("Service", "lambda.amazonaws.com");
        let trust =
            Map::new().with("Effect", "Allow").with("Principal", lambda).with("Action", "sts:AssumeRole");
        let trust = Map::new().with("Version", "2012-10-17").with("Statement", [trust]);
        let mut statements = vec![
            Statement::new("WriteTheLog")
                .actions(&["logs:CreateLogStream", "logs:PutLogEvents"])
                .on(attribute(&format!("{}Log", self.id), "Arn")),
        ];
        if self.settings.is_traced {
            // X-Ray knows no resources for these.
            let trace = &["xray:PutTelemetryRecords", "xray:PutTraceSegments"];
            statements.push(Statement::new("Trace").actions(trace).on("*"));
        }
        statements.extend(self.statements.iter().cloned());
        let policy = Map::new().with("PolicyName", "work").with("PolicyDocument", iam::document(&statements));
        Map::new().with("AssumeRolePolicyDocument", trust).with("Policies", [policy])
    }

    /// The tags of the role, some of which are known only when the template is deployed.
    fn role_tags(&self) -> Option<Vec<Map>> {
        let mut all = tags(&self.settings.tags).unwrap_or_default();
        all.extend(
            self.role_tags
                .iter()
                .map(|(key, value)| Map::new().with("Key", key).with("Value", value.clone())),
        );
        (!all.is_empty()).then_some(all)
    }

    fn function(&self) -> Map {
        let FunctionSettings { name, memory_mb, timeout_seconds, concurrency_max, is_traced, .. } =
            &self.settings;
        let (version, condition) = (self.code_version(), self.has_code_version());
        let code = Map::new()
            .with("S3Bucket", reference("CodeBucket"))
            .with("S3Key", reference(self.code_key))
            .with("S3ObjectVersion", when(&condition, reference(&version)));
        let mut variables = self.environment.clone();
        for (name, value) in &self.settings.environment {
            variables.set(name, value);
        }
        Map::new()
            .maybe("FunctionName", name.as_ref())
            .with("Runtime", "provided.al2023")
            .with("Architectures", ["arm64"])
            .with("Handler", "bootstrap")
            .with("Code", code)
            .with("MemorySize", *memory_mb)
            .with("Timeout", *timeout_seconds)
            .maybe("ReservedConcurrentExecutions", *concurrency_max)
            .with("Role", attribute(&format!("{}Role", self.id), "Arn"))
            .with("LoggingConfig", Map::new().with("LogGroup", reference(&format!("{}Log", self.id))))
            .maybe("TracingConfig", is_traced.then(|| Map::new().with("Mode", "Active")))
            .with("Environment", Map::new().with("Variables", variables))
    }
}
