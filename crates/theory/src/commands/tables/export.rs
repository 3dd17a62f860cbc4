//! `theory tables export`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tabletheory_core::StoreExt as _;
use tabletheory_core::store::op::Scan;
use tempfile::NamedTempFile;
use theory_copy::export::line;

use super::describe::described;
use crate::output::{amount, paper};
use crate::store::Opened;

pub(super) const EXAMPLES: &str = "\
Examples:
  theory tables export facetheory-cache > pages.jsonl
  theory tables export facetheory-cache --out pages.jsonl         the file appears when it is whole
  theory tables export rate-limits --endpoint http://127.0.0.1:8000 | jq .Item.Count";

/// Writes the items of a table.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The table.
    #[arg(value_name = "TABLE")]
    name: String,
    /// A file in place of stdout.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Where lines go.
enum Target {
    Stdout,
    /// A file beside the one that is wanted, which takes its place at the end.
    File(NamedTempFile, PathBuf),
}

impl Export {
    pub(super) async fn run(self, opened: &Opened, is_json: bool) -> anyhow::Result<()> {
        let table = described(opened, &self.name).await?;
        let mut target = Target::new(self.out)?;
        let bar = target.bar(table.item_count);
        let (mut start_key, mut count) = (None, 0_u64);
        loop {
            let scan = Scan { table: self.name.clone(), start_key, consistent: true, ..Scan::default() };
            let page = opened.store.scan(scan).await;
            let page = page.with_context(|| format!("cannot read {} in {}", self.name, opened.name))?;
            let mut text = Vec::new();
            let items = page.items.unwrap_or_default();
            items.iter().for_each(|item| line::write(item, &mut text));
            target.write(&text)?;
            count += u64::try_from(items.len())?;
            bar.set_position(count);
            start_key = page.last_evaluated_key;
            if start_key.is_none() {
                break;
            }
        }
        bar.finish_and_clear();
        let Some(file) = target.finish()? else { return Ok(()) };
        match is_json {
            true => paper::line(json!({ "table": self.name, "items": count, "file": file })),
            false => paper::line(format_args!(
                "{} of {} in {}",
                amount::count(count, "item"),
                self.name,
                file.display()
            )),
        }
    }
}

impl Target {
    fn new(out: Option<PathBuf>) -> anyhow::Result<Self> {
        let Some(file) = out else { return Ok(Self::Stdout) };
        if file.is_dir() {
            bail!("{} is a folder; --out is a file", file.display());
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let part = NamedTempFile::new_in(folder).with_context(|| {
            format!("cannot write into {}, where {} would be", folder.display(), file.display())
        })?;
        Ok(Self::File(part, file))
    }

    fn bar(&self, items: u64) -> ProgressBar {
        let Self::File(..) = self else { return ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} items  {per_sec}  {eta}");
        ProgressBar::new(items).with_style(style.expect("the template is written by hand"))
    }

    fn write(&mut self, text: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Stdout => paper::text_of(text),
            Self::File(part, file) => {
                part.write_all(text).with_context(|| format!("cannot write {}", file.display()))
            }
        }
    }

    /// Puts the file into its place, and gives its name.
    fn finish(self) -> anyhow::Result<Option<PathBuf>> {
        let Self::File(part, file) = self else { return Ok(None) };
        part.as_file().sync_all().with_context(|| format!("cannot write {}", file.display()))?;
        part.persist(&file).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Some(file))
    }
}
