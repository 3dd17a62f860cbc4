//! Templates with a table, or with a function and its table.

use std::path::PathBuf;

use clap::Args;
use theory_synth::{FunctionSettings, stack};

use super::choice::{FunctionFlags, FurtherFlags, TableFlags};
use super::models;
use super::paper_flags::PaperFlags;

pub(super) const CACHE_EXAMPLES: &str = "\
Examples:
  theory synth cache-table --out cache.yaml
  theory synth cache-table --table-name pages --read 5..500 --write 5..100      provisioned, and scaled with the traffic
  theory synth cache-table --encryption new-key --export                        a key of its own; other stacks import the outputs";
pub(super) const LIMITED_EXAMPLES: &str = "\
Examples:
  theory synth rate-limited-function --out api.yaml
  theory synth rate-limited-function --with requests      requests happen once, too
  aws cloudformation deploy --template-file api.yaml --stack-name api --capabilities CAPABILITY_IAM \\
      --parameter-overrides CodeBucket=my-code CodeKey=api.zip AlarmTopicArn=arn:aws:sns:…";
pub(super) const IDEMPOTENT_EXAMPLES: &str = "\
Examples:
  theory synth idempotent-function --out payments.yaml --timeout 60
  theory synth idempotent-function --indexes              with the indexes that other toolkits query";
pub(super) const TABLES_EXAMPLES: &str = "\
Examples:
  theory synth tables models.yaml --out tables.yaml
  theory synth tables users.yaml orders.json              models of one table are joined, and must not contradict each other";

/// The table of rendered pages.
#[derive(Debug, Args)]
pub(super) struct CacheTable {
    /// The name of the table. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME")]
    table_name: Option<String>,
    #[command(flatten)]
    table: TableFlags,
    #[command(flatten)]
    paper: PaperFlags,
}

impl CacheTable {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let stack = stack::CacheTable {
            table: self.table.settings(self.table_name.as_ref(), &self.paper),
            has_alarms: !self.paper.has_no_alarms,
            is_exported: self.paper.is_exported,
        };
        self.paper.write(&stack.template()?)
    }
}

/// A function with one table.
#[derive(Debug, Args)]
struct OneTable {
    /// The name of the table. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME")]
    table_name: Option<String>,
    #[command(flatten)]
    further: FurtherFlags,
    /// Give the table the indexes that other toolkits query. Each costs a write for each write.
    #[arg(long = "indexes")]
    is_indexed: bool,
    /// Let the function touch the rows of one tenant only.
    #[arg(long = "tenant-isolation")]
    is_isolated: bool,
    #[command(flatten)]
    table: TableFlags,
    #[command(flatten)]
    function: FunctionFlags,
    #[command(flatten)]
    paper: PaperFlags,
}

/// A function whose callers are limited.
#[derive(Debug, Args)]
pub(super) struct RateLimitedFunction {
    #[command(flatten)]
    with: OneTable,
    /// Let the function read limits that somebody was given of their own.
    #[arg(long = "overrides")]
    has_overrides: bool,
}

impl RateLimitedFunction {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let OneTable { table_name, further, is_indexed, is_isolated, table, function, paper } = self.with;
        let stack = stack::RateLimitedFunction {
            function: function.settings(FunctionSettings::default(), &paper),
            table: table.settings(table_name.as_ref(), &paper),
            also: further.with,
            is_indexed,
            has_overrides: self.has_overrides,
            is_isolated,
            has_alarms: !paper.has_no_alarms,
            is_exported: paper.is_exported,
        };
        paper.write(&stack.template()?)
    }
}

/// A function whose requests happen once.
#[derive(Debug, Args)]
pub(super) struct IdempotentFunction {
    #[command(flatten)]
    with: OneTable,
}

impl IdempotentFunction {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let OneTable { table_name, further, is_indexed, is_isolated, table, function, paper } = self.with;
        let stack = stack::IdempotentFunction {
            function: function.settings(FunctionSettings::default(), &paper),
            table: table.settings(table_name.as_ref(), &paper),
            also: further.with,
            is_indexed,
            is_isolated,
            has_alarms: !paper.has_no_alarms,
            is_exported: paper.is_exported,
        };
        paper.write(&stack.template()?)
    }
}

/// The tables of models.
#[derive(Debug, Args)]
pub(super) struct Tables {
    /// Documents with models (DMS), as YAML or JSON.
    #[arg(value_name = "FILE", required = true)]
    models: Vec<PathBuf>,
    /// Let CloudFormation make names up, rather than name tables as their models do.
    #[arg(long = "generated-names")]
    is_not_named: bool,
    #[command(flatten)]
    table: TableFlags,
    #[command(flatten)]
    paper: PaperFlags,
}

impl Tables {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut stack = models::read(&self.models)?;
        stack.settings = self.table.settings(None, &self.paper);
        stack.is_named = !self.is_not_named;
        stack.has_alarms = !self.paper.has_no_alarms;
        stack.is_exported = self.paper.is_exported;
        self.paper.write(&stack.template()?)
    }
}
