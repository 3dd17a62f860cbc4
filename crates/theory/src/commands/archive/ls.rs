//! `theory archive ls`.

use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};
use theory_archive::{Archive, Day, Days, Entry, Listed, Shelf};

use super::place::archive_in;
use crate::objects::Objects;
use crate::output::table::{Cell, Side, Table};
use crate::output::tone::Tone;
use crate::output::{amount, paper};

pub(super) const EXAMPLES: &str = "\
Examples:
  theory archive ls --from ./archive                                the first fifty, from the oldest day
  theory archive ls --from s3://my-archive/sessions --days          how many there are of each day
  theory archive ls --from ./archive --since 2026-01-31 --keys      with the key of each item, which reads each object
  theory archive ls --from ./archive --all --json | jq -c .objects[]
  theory archive ls --from ./archive --dead-letters                 records that could not be archived";

/// So many objects are printed at once.
const PIECE: usize = 500;
/// So many objects are read at once.
const CONCURRENCY: usize = 25;

/// Lists what is archived.
#[derive(Debug, Args)]
pub(super) struct Ls {
    /// Where the archive is: a folder, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "PLACE")]
    from: String,
    /// Only what was removed on this day or later, such as 2026-01-31. Days are those of UTC.
    #[arg(long, value_name = "DAY")]
    since: Option<Day>,
    /// Only what was removed on this day or earlier.
    #[arg(long, value_name = "DAY")]
    until: Option<Day>,
    /// How many at most.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// All of them, however many there are; within a day in the order in which the place lists them.
    #[arg(long = "all", conflicts_with_all = ["limit", "cursor"])]
    is_all: bool,
    /// Where an earlier list ended.
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Only how many there are of each day.
    #[arg(long = "days", conflicts_with_all = ["limit", "cursor", "is_all", "with_keys"])]
    by_day: bool,
    /// The key of each item as well, for which each object is read.
    #[arg(long = "keys", conflicts_with = "of_dead")]
    with_keys: bool,
    /// Records that could not be archived, instead of those that were.
    #[arg(long = "dead-letters")]
    of_dead: bool,
}

/// Prints objects in pieces, as a table or as one JSON document.
struct Printer<'a> {
    archive: &'a Archive,
    with_keys: bool,
    is_json: bool,
    table: Table,
    printed: u64,
}

impl Ls {
    pub(super) async fn run(self, is_json: bool) -> anyhow::Result<()> {
        let archive = archive_in(Objects::open(&self.from).await?, CONCURRENCY);
        let days = Days { since: self.since, until: self.until };
        let shelf = if self.of_dead { Shelf::DeadLetters } else { Shelf::Items };
        if self.by_day {
            return by_day(&archive, shelf, &days, is_json).await;
        }
        let mut printer = Printer::new(&archive, self.with_keys, is_json);
        if self.is_all {
            for day in archive.days(shelf, &days).await? {
                let mut pieces = archive.list(shelf, day).try_chunks(PIECE);
                while let Some(piece) = pieces.next().await {
                    printer.print(&piece.map_err(|error| error.1)?).await?;
                }
            }
            return printer.end(None);
        }
        let limit = usize::try_from(self.limit)?;
        let page = archive.page(shelf, &days, self.cursor.as_deref(), limit).await?;
        for piece in page.objects.chunks(PIECE) {
            printer.print(piece).await?;
        }
        printer.end(page.cursor)
    }
}

impl<'a> Printer<'a> {
    fn new(archive: &'a Archive, with_keys: bool, is_json: bool) -> Self {
        let mut columns = vec![
            ("REMOVED", Side::Left),
            ("SIZE", Side::Right),
            ("WRITTEN", Side::Right),
            ("EVENT", Side::Left),
        ];
        if with_keys {
            columns.extend([("TABLE", Side::Left), ("KEY", Side::Left)]);
        }
        Self { archive, with_keys, is_json, table: Table::new(&columns), printed: 0 }
    }

    async fn print(&mut self, objects: &[Listed]) -> anyhow::Result<()> {
        let (archive, with_keys) = (self.archive, self.with_keys);
        let entries = objects.iter().map(|object| async move {
            match with_keys {
                true => archive.read(object).await.map(Some),
                false => Ok(None),
            }
        });
        let entries: Vec<_> = futures_util::stream::iter(entries).buffered(CONCURRENCY).collect().await;
        let mut text = String::new();
        for (object, entry) in objects.iter().zip(entries) {
            // What cannot be read is told in its line, and the others are shown.
            let (entry, problem) = match entry {
                Ok(entry) => (entry, None),
                Err(error) => (None, Some(format!("{:#}", anyhow::Error::new(error)))),
            };
            if self.is_json {
                text.push_str(if self.printed == 0 { "{\"objects\":[\n" } else { ",\n" });
                text.push_str(&as_json(object, entry.as_ref(), problem).to_string());
            } else {
                self.table.row(row(object, entry.as_ref(), problem, with_keys));
            }
            self.printed += 1;
        }
        match self.is_json {
            true => paper::text_of(text),
            false => self.table.print(),
        }
    }

    fn end(self, cursor: Option<String>) -> anyhow::Result<()> {
        if self.is_json {
            let begin = if self.printed == 0 { "{\"objects\":[" } else { "" };
            return paper::line(format_args!("{begin}\n],\"cursor\":{}}}", Value::from(cursor)));
        }
        if self.printed == 0 {
            paper::aside("nothing is archived there");
        }
        if let Some(cursor) = cursor {
            let text = format!("there are more: --all, or go on with --cursor {cursor}");
            paper::aside(Tone::Quiet.paint_aside(&text));
        }
        Ok(())
    }
}

fn as_json(object: &Listed, entry: Option<&Entry>, problem: Option<String>) -> Value {
    let mut told = json!({
        "day": object.day.to_string(), "name": object.name, "place": object.path.as_ref(), "bytes": object.bytes,
        "written_at": object.written_at.seconds(), "cursor": object.cursor(),
    });
    if let Some(entry) = entry {
        told["table"] = entry.table().into();
        told["keys"] = json!(entry.keys);
        told["removed_at"] = entry.removed_at.seconds().into();
    }
    if let Some(problem) = problem {
        told["problem"] = problem.into();
    }
    told
}

fn row(object: &Listed, entry: Option<&Entry>, problem: Option<String>, with_keys: bool) -> Vec<Cell> {
    let mut cells = vec![
        object.day.to_string().into(),
        amount::size(object.bytes).into(),
        amount::moment(object.written_at.millis()).into(),
        (&object.name).into(),
    ];
    if with_keys {
        cells.push(entry.and_then(Entry::table).unwrap_or("-").into());
        cells.push(match (entry, problem) {
            (Some(entry), _) => json!(entry.keys).to_string().into(),
            (None, problem) => Cell::toned(problem.unwrap_or_default(), Tone::Bad),
        });
    }
    cells
}

/// How many objects each day has, and how large they are.
async fn by_day(archive: &Archive, shelf: Shelf, days: &Days, is_json: bool) -> anyhow::Result<()> {
    let mut table = Table::new(&[("REMOVED", Side::Left), ("OBJECTS", Side::Right), ("SIZE", Side::Right)]);
    let mut told = Vec::new();
    for day in archive.days(shelf, days).await? {
        let add = |(count, bytes): (u64, u64), object: Listed| async move {
            Ok((count + 1, bytes.saturating_add(object.bytes)))
        };
        let (count, bytes) = archive.list(shelf, day).try_fold((0, 0), add).await?;
        told.push(json!({ "day": day.to_string(), "objects": count, "bytes": bytes }));
        table.row(vec![day.to_string().into(), count.to_string().into(), amount::size(bytes).into()]);
    }
    match (is_json, told.is_empty()) {
        (true, _) => paper::line(json!({ "days": told })),
        (false, false) => table.print(),
        (false, true) => {
            paper::aside("nothing is archived there");
            Ok(())
        }
    }
}
