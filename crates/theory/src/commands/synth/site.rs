//! `theory synth isr-site`.

use clap::Args;
use theory_synth::FunctionSettings;
use theory_synth::stack::{self, Access, RegenerationQueue};

use super::choice::{FunctionFlags, FurtherFlags, TableFlags};
use super::paper_flags::PaperFlags;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory synth isr-site --out site.yaml                   signed requests only, as CloudFront sends them
  theory synth isr-site --public --queue                  everybody may ask; regenerations go to a queue
  theory synth isr-site --sweep --with limits             bodies that nothing names go; readers are limited
  theory synth isr-site --tenant-isolation                the function may touch the rows of one tenant only";

/// A site that is rendered and kept.
#[derive(Debug, Args)]
pub(super) struct IsrSite {
    /// The name of the table. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME")]
    table_name: Option<String>,
    /// The name of the bucket. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME")]
    bucket_name: Option<String>,
    /// What the keys of bodies begin with.
    #[arg(long, value_name = "PREFIX", default_value = "isr")]
    prefix: String,
    /// Let everybody ask the function's address, rather than those who sign their requests.
    #[arg(long = "public")]
    is_public: bool,
    /// Hand regenerations to a queue, with a function that works through it, rather than await them.
    #[arg(long = "queue")]
    has_queue: bool,
    /// How many messages of the queue are handed over at once, 1 to 10.
    #[arg(long, value_name = "COUNT", default_value_t = 10, requires = "has_queue")]
    batch_size: u32,
    /// Remove bodies that no row names once a day, with a function of its own. Without it, let a gateway do that.
    #[arg(long = "sweep")]
    has_sweep: bool,
    #[command(flatten)]
    further: FurtherFlags,
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

impl IsrSite {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let function = self.function.settings(FunctionSettings::default(), &self.paper);
        // The name is the site's, and there cannot be two functions of one name.
        let consumer = FunctionSettings { name: None, ..function.clone() };
        let sweeper = FunctionSettings { timeout_seconds: 900, concurrency_max: None, ..consumer.clone() };
        let sweeper = self.has_sweep.then_some(sweeper);
        let stack = stack::IsrSite {
            table: self.table.settings(self.table_name.as_ref(), &self.paper),
            function,
            bucket_name: self.bucket_name.clone(),
            prefix: self.prefix.clone(),
            access: if self.is_public { Access::Public } else { Access::Signed },
            queue: self.has_queue.then_some(RegenerationQueue { consumer, batch_size: self.batch_size }),
            also: self.further.with,
            sweeper,
            is_isolated: self.is_isolated,
            has_alarms: !self.paper.has_no_alarms,
            is_exported: self.paper.is_exported,
        };
        self.paper.write(&stack.template()?)
    }
}
