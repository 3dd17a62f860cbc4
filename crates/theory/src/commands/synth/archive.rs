//! `theory synth ttl-archive`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use tabletheory::table::Layout;
use theory_synth::Kind;
use theory_synth::stack::{self, StreamSource};

use super::choice::{FunctionFlags, TableFlags};
use super::models;
use super::paper_flags::PaperFlags;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory synth ttl-archive --stream --ttl-attribute expires_at      of a table that is there; its stream is asked for at deployment
  theory synth ttl-archive --model models.yaml --table sessions     with the table, which gets its stream
  theory synth ttl-archive --kind requests --glacier-days 30 --expire-days 730";

/// The archive of what time to live removes.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["is_stream", "models", "kind"]))]
pub(super) struct TtlArchive {
    /// Read the stream of a table that is there already: the parameter StreamArn of the template. If a customer's key encrypts the
    /// table, name it with --encryption; the other choices of a table are made where it is made.
    #[arg(long = "stream", requires = "ttl_attribute", conflicts_with_all = TableFlags::ONLY_WHEN_MADE)]
    is_stream: bool,
    /// The attribute by which items of that table expire.
    #[arg(long, value_name = "NAME", requires = "is_stream")]
    ttl_attribute: Option<String>,
    /// Make the table of these models (DMS, as YAML or JSON).
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,
    /// The table, if the models have several.
    #[arg(long, value_name = "NAME", requires = "models")]
    table: Option<String>,
    /// Make a table of the product: cache, limits or requests.
    #[arg(long, value_name = "KIND", value_parser = models::kind)]
    kind: Option<Kind>,
    /// The name of the table that is made. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME", conflicts_with = "is_stream")]
    table_name: Option<String>,
    /// The name of the bucket. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME")]
    bucket_name: Option<String>,
    /// What the keys of the archive begin with.
    #[arg(long, value_name = "PREFIX", default_value = "ttl-archive")]
    prefix: String,
    /// Move objects of this age to Glacier Deep Archive.
    #[arg(long, value_name = "DAYS")]
    glacier_days: Option<u32>,
    /// Delete objects of this age.
    #[arg(long, value_name = "DAYS")]
    expire_days: Option<u32>,
    /// How many records the function is given at once, 1 to 10000.
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    batch_size: u32,
    #[command(flatten)]
    settings: TableFlags,
    #[command(flatten)]
    function: FunctionFlags,
    #[command(flatten)]
    paper: PaperFlags,
}

impl TtlArchive {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let base = stack::TtlArchive::new(self.source()?);
        let stack = stack::TtlArchive {
            function: self.function.settings(base.function.clone(), &self.paper),
            bucket_name: self.bucket_name.clone(),
            prefix: self.prefix.clone(),
            glacier_days: self.glacier_days,
            expire_days: self.expire_days,
            batch_size: self.batch_size,
            has_alarms: !self.paper.has_no_alarms,
            is_exported: self.paper.is_exported,
            ..base
        };
        self.paper.write(&stack.template()?)
    }

    fn source(&self) -> anyhow::Result<StreamSource> {
        if let Some(ttl_attribute) = self.ttl_attribute.clone().filter(|_| self.is_stream) {
            let key = self.settings.key_of_existing()?;
            return Ok(StreamSource::Existing { ttl_attribute, key });
        }
        let layout = match self.kind {
            Some(kind) => kind.layout()?,
            None => self.layout()?,
        };
        let settings = self.settings.settings(self.table_name.as_ref(), &self.paper);
        Ok(StreamSource::Table { layout: Box::new(layout), settings })
    }

    /// The one table of the models, or the one that was named.
    fn layout(&self) -> anyhow::Result<Layout> {
        let tables = models::read(&self.models)?;
        let layouts = tables.layouts();
        let names: Vec<&str> = layouts.iter().map(|layout| layout.create_table().table.as_str()).collect();
        let found = match &self.table {
            Some(name) => layouts.iter().find(|layout| layout.create_table().table == *name),
            None => layouts.first().filter(|_| layouts.len() == 1),
        };
        found.cloned().with_context(|| match &self.table {
            Some(name) => format!("no model lies in the table {name}; there is {}", names.join(", ")),
            None => {
                format!("the models lie in several tables: choose one with --table ({})", names.join(", "))
            }
        })
    }
}
