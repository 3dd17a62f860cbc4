//! What can be chosen for a table and for a function, on the command line.

use clap::Args;
use theory_synth::{Billing, Capacity, Encryption, FunctionSettings, Kind, TableSettings};

use super::paper_flags::{PaperFlags, pair};

/// What can be chosen for a table.
#[derive(Debug, Args)]
#[command(next_help_heading = "Table")]
pub(super) struct TableFlags {
    /// Bound the reads per second of a table that is paid by request.
    #[arg(long, value_name = "UNITS", conflicts_with = "read")]
    read_max: Option<u64>,
    /// Bound the writes per second of a table that is paid by request.
    #[arg(long, value_name = "UNITS", conflicts_with = "read")]
    write_max: Option<u64>,
    /// Provision reads per second between two bounds, which follow the traffic: 5..500.
    #[arg(long, value_name = "MIN..MAX", requires = "write", value_parser = capacity)]
    read: Option<Capacity>,
    /// Provision writes per second between two bounds: 5..100.
    #[arg(long, value_name = "MIN..MAX", requires = "read", value_parser = capacity)]
    write: Option<Capacity>,
    /// How much of what is provisioned shall be used, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 70)]
    target: u32,
    /// Whose key encrypts it: aws-owned, aws-managed, new-key, or the ARN of a key.
    #[arg(long, value_name = "KEY", default_value = "aws-owned", value_parser = encryption)]
    encryption: Encryption,
    /// Do without recovery to any second of the last 35 days.
    #[arg(long = "no-recovery")]
    is_not_recoverable: bool,
    /// Let the table be deleted by whoever may delete tables.
    #[arg(long = "no-protection")]
    is_not_protected: bool,
    /// Delete the table with its stack.
    #[arg(long = "no-retain")]
    is_not_kept: bool,
    /// The class of tables that are read seldom.
    #[arg(long = "infrequent-access")]
    is_infrequent: bool,
}

impl TableFlags {
    /// What cannot be chosen for a table that is there already.
    pub(super) const ONLY_WHEN_MADE: [&'static str; 9] = [
        "read_max",
        "write_max",
        "read",
        "write",
        "target",
        "is_not_recoverable",
        "is_not_protected",
        "is_not_kept",
        "is_infrequent",
    ];

    /// The customer's key of a table that is there already, if it has one.
    pub(super) fn key_of_existing(&self) -> anyhow::Result<Option<String>> {
        match &self.encryption {
            // Keys of AWS need no permission.
            Encryption::AwsOwned | Encryption::AwsManaged => Ok(None),
            Encryption::Key(arn) => Ok(Some(arn.clone())),
            Encryption::NewKey => {
                anyhow::bail!(
                    "--encryption new-key makes a key for a table that is made, and --stream is about one that is there: give the \
                     ARN of its key"
                )
            }
        }
    }

    pub(super) fn settings(&self, name: Option<&String>, paper: &PaperFlags) -> TableSettings {
        let billing = match (self.read, self.write) {
            (Some(read), Some(write)) => Billing::Provisioned { read, write, target_percent: self.target },
            _ => Billing::OnDemand { read_max: self.read_max, write_max: self.write_max },
        };
        TableSettings {
            name: name.cloned(),
            billing,
            is_recoverable: !self.is_not_recoverable,
            encryption: self.encryption.clone(),
            is_protected: !self.is_not_protected,
            is_kept: !self.is_not_kept,
            is_infrequent: self.is_infrequent,
            tags: paper.tags.clone(),
        }
    }
}

/// What can be chosen for a function.
#[derive(Debug, Args)]
#[command(next_help_heading = "Function")]
pub(super) struct FunctionFlags {
    /// The name of the function. Without one CloudFormation makes it up.
    #[arg(long, value_name = "NAME")]
    function_name: Option<String>,
    /// Its memory, 128 to 10240.
    #[arg(long, value_name = "MB")]
    memory: Option<u32>,
    /// How long an invocation may take, 1 to 900.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
    /// How many invocations may run at once.
    #[arg(long, value_name = "COUNT")]
    concurrency: Option<u32>,
    /// How long its log is kept.
    #[arg(long, value_name = "DAYS")]
    log_days: Option<u32>,
    /// Have X-Ray trace it.
    #[arg(long = "trace")]
    is_traced: bool,
    /// A further environment variable; more than one may be given.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = pair)]
    environment: Vec<(String, String)>,
}

impl FunctionFlags {
    /// The settings; what is not said is as in `base`.
    pub(super) fn settings(&self, base: FunctionSettings, paper: &PaperFlags) -> FunctionSettings {
        FunctionSettings {
            name: self.function_name.clone(),
            memory_mb: self.memory.unwrap_or(base.memory_mb),
            timeout_seconds: self.timeout.unwrap_or(base.timeout_seconds),
            concurrency_max: self.concurrency,
            log_days: self.log_days.unwrap_or(base.log_days),
            is_traced: self.is_traced,
            environment: self.environment.clone(),
            tags: paper.tags.clone(),
        }
    }
}

/// Which further tables a function works with.
#[derive(Debug, Args)]
pub(super) struct FurtherFlags {
    /// A further table of the product that the function works with: limits or requests; more than one may be given.
    #[arg(long = "with", value_name = "KIND", value_parser = super::models::kind)]
    pub(super) with: Vec<Kind>,
}

fn capacity(text: &str) -> Result<Capacity, String> {
    let read = || {
        let (min, max) = text.split_once("..")?;
        Some(Capacity { min: min.parse().ok()?, max: max.parse().ok()? })
    };
    read().ok_or_else(|| format!("`{text}` is not such as 5..500"))
}

/// What is neither of the words is the name of a key, which is checked with the template.
fn encryption(text: &str) -> Result<Encryption, String> {
    Ok(match text {
        "aws-owned" => Encryption::AwsOwned,
        "aws-managed" => Encryption::AwsManaged,
        "new-key" => Encryption::NewKey,
        arn if arn.starts_with("arn:") => Encryption::Key(arn.to_owned()),
        other => {
            return Err(format!("`{other}` is neither aws-owned, aws-managed, new-key nor the ARN of a key"));
        }
    })
}
