//! What can be said to `theory copy`.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyRole, KeyType};

use super::rate;
use super::rename::Rename;
use super::store_name::StoreName;

/// Copies tables.
#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// From where.
    #[arg(long, value_name = "STORE")]
    pub(super) from: StoreName,
    /// To where.
    #[arg(long, value_name = "STORE")]
    pub(super) to: StoreName,
    /// Which tables.
    #[arg(value_name = "TABLE", conflicts_with = "is_all")]
    pub(super) tables: Vec<String>,
    /// All tables of the source.
    #[arg(long = "all")]
    pub(super) is_all: bool,
    /// What a table is called in the target, if not as in the source.
    #[arg(long, value_name = "OLD=NEW")]
    pub(super) rename: Vec<Rename>,
    /// The key of a table that an export does not describe, such as pk:S,sk:S.
    #[arg(long, value_name = "NAME:TYPE", value_delimiter = ',', value_parser = read_key)]
    pub(super) key: Vec<(String, KeyType)>,
    /// So many items are written in each second at most, such as 500/s.
    #[arg(long, value_name = "N/s", value_parser = rate::read)]
    pub(super) rate: Option<u32>,
    /// So many write units are used in each second at most, such as 100/s. What indexes need comes on top.
    #[arg(long, value_name = "N/s", value_parser = rate::read)]
    pub(super) write_units: Option<u32>,
    /// So many parts of a table are copied at once.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(super) segments: u32,
    /// The file that remembers where the copy stands. It holds keys of items.
    #[arg(long, value_name = "FILE", default_value = "./theory-copy.journal")]
    pub(super) journal: PathBuf,
    /// Go on with a copy that was stopped, or that found its source changed.
    #[arg(long = "resume", conflicts_with_all = ["is_dry", "is_verify"])]
    pub(super) is_resume: bool,
    /// Copy into tables that have items; those with the same key are replaced, and the others stay and are no difference.
    #[arg(long)]
    pub(super) into_existing: bool,
    /// Give tables that are made the streams of their sources.
    #[arg(long)]
    pub(super) with_streams: bool,
    /// Only say what would be done.
    #[arg(long = "dry-run", conflicts_with = "is_verify")]
    pub(super) is_dry: bool,
    /// Only compare.
    #[arg(long = "verify-only")]
    pub(super) is_verify: bool,
    /// Print JSON.
    #[arg(long = "json")]
    pub(super) is_json: bool,
}

impl Copy {
    /// The key that was given: the first attribute is the partition's, the second one sorts.
    pub(super) fn keys(&self) -> anyhow::Result<(Vec<KeyElement>, Vec<AttributeDefinition>)> {
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
    match KeyType::from_name(kind) {
        Some(kind) if !name.is_empty() => Ok((name.to_owned(), kind)),
        _ => Err("it is a name and a type, S, N or B, such as pk:S".to_owned()),
    }
}
