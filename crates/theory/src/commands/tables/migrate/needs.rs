//! What a table has to be: as the gateway needs it, or as a document says.

use std::path::Path;

use anyhow::{Context, bail};
use clap::ValueEnum;
use facetheory::record::Meta;
use idempotent::record::IdempotencyRecord;
use limited::RateLimitRecord;
use tabletheory::dms::{Document, ModelDefinition};
use tabletheory::table::Layout;

use super::missing::Missing;
use crate::output::shown::shown;

/// What the gateway keeps in a table.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Kind {
    Cache,
    Limits,
    Requests,
}

/// What the table has to be; none if nobody says.
pub(super) fn of(kind: Option<Kind>, file: Option<&Path>, table: &str) -> anyhow::Result<Option<Layout>> {
    let layout = match (kind, file) {
        (Some(Kind::Cache), _) => Layout::of::<Meta>(),
        (Some(Kind::Limits), _) => Layout::of::<RateLimitRecord>(),
        (Some(Kind::Requests), _) => Layout::of::<IdempotencyRecord>(),
        (None, Some(file)) => {
            let document = read(file)?;
            let models = models(&document, file, table)?;
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
pub(super) fn check(file: Option<&Path>, table: &str, values: &[Missing]) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let document = read(file)?;
    for model in models(&document, file, table)? {
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

fn read(file: &Path) -> anyhow::Result<Document> {
    let name = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let is_json = file.extension().is_some_and(|extension| extension == "json");
    let document = if is_json { Document::from_json(&text) } else { Document::from_yaml(&text) };
    document.with_context(|| format!("{name} is no document about models"))
}

/// The models of this table, or the only one.
fn models<'d>(document: &'d Document, file: &Path, table: &str) -> anyhow::Result<Vec<&'d ModelDefinition>> {
    let own: Vec<&ModelDefinition> = document.models.iter().filter(|model| model.table == table).collect();
    match (&own[..], &document.models[..]) {
        ([], [only]) => Ok(vec![only]),
        ([], others) => {
            let tables: Vec<&str> = others.iter().map(|model| model.table.as_str()).collect();
            bail!(
                "{} has no model of the table {}; it has those of {}",
                file.display(),
                shown(table),
                tables.join(", ")
            )
        }
        _ => Ok(own),
    }
}
