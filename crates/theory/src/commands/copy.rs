//! `theory copy`: tables from one store to another, and DynamoDB's exports.

mod bar;
mod between;
mod hint;
mod outward;
mod rate;
mod report;
mod room;
mod store;
mod tables;

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyRole, KeyType};

use crate::runtime;
use store::StoreName;
use tables::Rename;

pub(crate) const EXAMPLES: &str = "\
STORE is one of
  ./theory-data              a folder of this machine: a gateway's, or that of `theory dynamodb`
  dynamodb, dynamodb:REGION  DynamoDB itself, with the credentials that every AWS SDK finds
  http://127.0.0.1:8000      an endpoint that speaks DynamoDB's protocol
  export:PLACE               an export of DynamoDB to S3, in a folder or in s3://BUCKET/PREFIX

Examples:
  theory copy --from ./theory-data --to dynamodb:eu-west-1 --all --dry-run       what would be done
  theory copy --from ./theory-data --to dynamodb:eu-west-1 --all --rate 500/s
  theory copy --from ./theory-data --to dynamodb:eu-west-1 --resume              after it was stopped
  theory copy --from dynamodb --to ./local orders --rename orders=orders-copy
  theory copy --from dynamodb --to ./local orders --verify-only                  compares, and changes nothing
  theory copy --from ./theory-data --to export:s3://bucket/backup orders         writes an export
  theory copy --from export:s3://bucket/backup --to dynamodb orders --key id:S   reads one

Targets that are missing are made with the keys, indexes and time to live of their sources, paid by request; those that are there have
to be empty. When everything is copied both tables are read and compared; only then does time to live begin, so that nothing expires
on its way. Streams begin last too, with --with-streams; readers of a stream that is there already see the copy. Where the copy stands
is written into the journal, and is removed at the end.";

/// Copies tables.
#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// From where.
    #[arg(long, value_name = "STORE")]
    from: StoreName,
    /// To where.
    #[arg(long, value_name = "STORE")]
    to: StoreName,
    /// Which tables.
    #[arg(value_name = "TABLE", conflicts_with = "is_all")]
    tables: Vec<String>,
    /// All tables of the source.
    #[arg(long = "all")]
    is_all: bool,
    /// What a table is called in the target, if not as in the source.
    #[arg(long, value_name = "OLD=NEW")]
    rename: Vec<Rename>,
    /// The key of a table that an export does not describe, such as pk:S,sk:S.
    #[arg(long, value_name = "NAME:TYPE", value_delimiter = ',', value_parser = read_key)]
    key: Vec<(String, KeyType)>,
    /// So many items are written in each second at most, such as 500/s.
    #[arg(long, value_name = "N/s", value_parser = rate::read)]
    rate: Option<u32>,
    /// So many write units are used in each second at most, such as 100/s. What indexes need comes on top.
    #[arg(long, value_name = "N/s", value_parser = rate::read)]
    write_units: Option<u32>,
    /// So many parts of a table are copied at once.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=128))]
    segments: u32,
    /// The file that remembers where the copy stands. It holds keys of items.
    #[arg(long, value_name = "FILE", default_value = "./theory-copy.journal")]
    journal: PathBuf,
    /// Go on with a copy that was stopped, or that found its source changed.
    #[arg(long = "resume", conflicts_with_all = ["is_dry", "is_verify"])]
    is_resume: bool,
    /// Copy into tables that have items; those with the same key are replaced, and the others stay.
    #[arg(long)]
    into_existing: bool,
    /// Give tables that are made the streams of their sources.
    #[arg(long)]
    with_streams: bool,
    /// Only say what would be done.
    #[arg(long = "dry-run", conflicts_with = "is_verify")]
    is_dry: bool,
    /// Only compare.
    #[arg(long = "verify-only")]
    is_verify: bool,
    /// Print JSON.
    #[arg(long = "json")]
    is_json: bool,
}

impl Copy {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        runtime::run(async move {
            match (&self.from, &self.to) {
                (StoreName::Export(_), StoreName::Export(_)) => {
                    bail!("an export is not copied into another; copy its files as they are")
                }
                (from, to) if from == to && self.rename.is_empty() => {
                    bail!("--from and --to are both {from}; give another store, or other names with --rename")
                }
                // A folder has one owner, and would meet itself.
                (StoreName::Folder(from), StoreName::Folder(to)) if from == to => {
                    bail!(
                        "--from and --to are both {}; serve it with `theory dynamodb`, and copy between its address",
                        from.display()
                    )
                }
                (_, StoreName::Export(place)) if !self.is_verify => outward::run(&self, place).await,
                // An export is read and never asked for one item, whichever side it is on.
                (_, StoreName::Export(_)) => between::run(&self, &self.to, &self.from).await,
                (from, to) => between::run(&self, from, to).await,
            }
        })
    }

    /// The key that was given: the first attribute is the partition's, the second one sorts.
    fn keys(&self) -> anyhow::Result<(Vec<KeyElement>, Vec<AttributeDefinition>)> {
        if self.key.len() > 2 {
            bail!("--key has {} attributes; a key has one or two, such as pk:S,sk:S", self.key.len());
        }
        let roles = [KeyRole::Hash, KeyRole::Range];
        let element =
            |((name, _), role): (&(String, KeyType), KeyRole)| KeyElement { name: name.clone(), role };
        let keys = self.key.iter().zip(roles).map(element).collect();
        let attribute =
            |(name, kind): &(String, KeyType)| AttributeDefinition { name: name.clone(), kind: *kind };
        Ok((keys, self.key.iter().map(attribute).collect()))
    }
}

fn read_key(text: &str) -> Result<(String, KeyType), String> {
    let (name, kind) = text.rsplit_once(':').unwrap_or((text, ""));
    let kind = [KeyType::S, KeyType::N, KeyType::B].into_iter().find(|known| known.name() == kind);
    match kind {
        Some(kind) if !name.is_empty() => Ok((name.to_owned(), kind)),
        _ => Err("it is a name and a type, S, N or B, such as pk:S".to_owned()),
    }
}
