//! What a table has to be: as the gateway needs it, or as a document says.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tabletheory::dms::{Document, ModelDefinition};
use tabletheory::table::Layout;
use theory_synth::Kind;

use super::missing::Missing;
use crate::commands::synth::models::document;
use crate::output::shown::shown;

/// A document about models, and the file that it was read from.
pub(super) struct Read {
    file: PathBuf,
    document: Document,
}

/// What the table has to be; none if nobody says.
pub(super) fn of(kind: Option<Kind>, read: Option<&Read>, table: &str) -> anyhow::Result<Option<Layout>> {
    let layout = match (kind, read) {
        (Some(kind), _) => kind.layout()?,
        (None, Some(read)) => {
            let models = read.models(table)?;
            let (first, others) =
                models.split_first().context("a document without models is refused before")?;
            let layout = Layout::of_definition(first).named(table);
            others.iter().try_fold(layout, |layout, model| layout.and_definition(model))?
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(layout))
}

/// Refuses values that the models of a document could not read.
pub(super) fn check(read: Option<&Read>, table: &str, values: &[Missing]) -> anyhow::Result<()> {
    let Some(read) = read else { return Ok(()) };
    for model in read.models(table)? {
        for value in values {
            let Some(attribute) = model.attributes.iter().find(|one| one.attribute == value.name()) else {
                continue;
            };
            if attribute.encrypted {
                bail!(
                    "{} of {} is encrypted, and a value cannot be given here",
                    shown(value.name()),
                    shown(&model.name)
                );
            }
            if attribute.kind != value.kind() {
                let (found, wanted) = (value.kind().name(), attribute.kind.name());
                bail!(
                    "--set-missing {} is {found}, and in {} it is {wanted}",
                    shown(value.name()),
                    shown(&model.name)
                );
            }
        }
    }
    Ok(())
}

impl Read {
    pub(super) fn open(file: &Path) -> anyhow::Result<Self> {
        Ok(Self { file: file.to_owned(), document: document(file)? })
    }

    /// The models of this table, or the only one.
    fn models(&self, table: &str) -> anyhow::Result<Vec<&ModelDefinition>> {
        let all = &self.document.models[..];
        let own: Vec<&ModelDefinition> = all.iter().filter(|model| model.table == table).collect();
        match (&own[..], all) {
            ([], [only]) => Ok(vec![only]),
            ([], others) => {
                let tables: Vec<&str> = others.iter().map(|model| model.table.as_str()).collect();
                bail!(
                    "{} has no model of the table {}; it has those of {}",
                    self.file.display(),
                    shown(table),
                    tables.join(", ")
                )
            }
            _ => Ok(own),
        }
    }
}
