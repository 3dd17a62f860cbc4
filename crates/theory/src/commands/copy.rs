//! `theory copy`: tables from one store to another, and DynamoDB's exports.

mod arguments;
mod bar;
mod between;
mod hint;
mod outward;
mod rate;
mod rename;
mod report;
mod room;
mod store;
mod store_name;
mod tables;

use anyhow::bail;

use crate::runtime;
pub(crate) use arguments::Copy;
use store_name::StoreName;

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

Targets that are missing are made with the keys, indexes and time to live of their sources, paid by request; those that are there
have to be empty. When everything is copied both tables are read and compared; only then does time to live begin, so that nothing
expires on its way. A copy deletes nothing: what the source has no more by then is told as extra, and the command ends with 1.
Streams begin last too, with --with-streams; readers of a stream that is there already see the copy. Where the copy stands is
written into the journal, and is removed at the end.";

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
}
