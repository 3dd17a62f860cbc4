//! Documents with models, and templates, from files of any origin.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tabletheory::dms::Document;
use theory_synth::Kind;
use theory_synth::stack::Tables;

/// No document and no template is larger.
const BYTES_MAX: u64 = 1 << 20;

/// The models of documents, joined table by table.
pub(super) fn read(files: &[PathBuf]) -> anyhow::Result<Tables> {
    let mut tables = Tables::default();
    for file in files {
        tables = tables.with_document(&document(file)?).with_context(|| file.display().to_string())?;
    }
    Ok(tables)
}

/// The document in a file, as YAML or JSON.
pub(crate) fn document(file: &Path) -> anyhow::Result<Document> {
    let text = text(file)?;
    let is_json = text.trim_start().starts_with('{');
    let document = if is_json { Document::from_json(&text) } else { Document::from_yaml(&text) };
    document.with_context(|| format!("{} is no document about models", file.display()))
}

/// The text of a file, or of the standard input if its name is `-`.
pub(super) fn text(file: &Path) -> anyhow::Result<String> {
    let cannot = || format!("cannot read {}", file.display());
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().lock().take(BYTES_MAX + 1).read_to_end(&mut bytes).with_context(cannot)?;
    } else {
        let opened = std::fs::File::open(file).with_context(cannot)?;
        opened.take(BYTES_MAX + 1).read_to_end(&mut bytes).with_context(cannot)?;
    }
    anyhow::ensure!(bytes.len() as u64 <= BYTES_MAX, "{} has more than {BYTES_MAX} bytes", file.display());
    String::from_utf8(bytes).with_context(|| format!("{} is no text", file.display()))
}

/// `cache`, `limits` or `requests`.
pub(crate) fn kind(text: &str) -> Result<Kind, String> {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == text);
    found.ok_or_else(|| format!("`{text}` is neither cache, limits nor requests"))
}
