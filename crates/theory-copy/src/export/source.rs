//! An export as a store that can only be scanned, so that it is copied and compared like any other. Its segments are its files; a page
//! ends at a line of a file, and goes on there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use object_store::ObjectStoreExt as _;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, IndexDescription, KeyElement, TableDescription, TableStatus, Throughput,
};
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{
    DescribeTableOutput, DescribeTimeToLiveOutput, ListTablesOutput, PageOutput, Scan, Segment,
};
use tabletheory_core::{Item, Request, Response, Store, StoreError, Timestamp, Value};

use super::error::ExportError;
use super::lines::Lines;
use super::manifest::{DataFile, FILES, FILES_CHECKSUM, TABLE, TableForm, checksum};
use super::place::{Found, Place};

/// A page has so many items at most if nobody says how many.
const PAGE_ITEMS: u32 = 1000;
/// A page ends after so much.
const PAGE_BYTES: usize = 1 << 20;
/// The names of a position.
const FILE: &str = "file";
const LINE: &str = "line";

/// An export that can be scanned.
#[derive(Debug)]
pub struct ExportStore {
    place: Place,
    found: Found,
    files: Vec<DataFile>,
    form: TableForm,
    /// Files that are open, each where the last page of its segment ended.
    open: Mutex<HashMap<(u32, u32), Open>>,
}

/// A file that is being read.
#[derive(Debug)]
struct Open {
    file: usize,
    lines: Lines,
}

/// Where a page begins: in this file, after so many lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    file: usize,
    line: u64,
}

impl ExportStore {
    /// Opens an export: its manifests are read and held against each other.
    ///
    /// # Errors
    /// If a manifest is missing, damaged, or contradicts another.
    pub async fn open(place: Place, found: Found) -> Result<Self, ExportError> {
        let path = found.folder.clone().join(FILES);
        let file = place.file(&path);
        let missing = || ExportError::Manifest { file: file.clone(), why: "it is missing".to_owned() };
        let text = place.read(&path).await?.ok_or_else(missing)?;
        if let Some(sum) = place.read(&found.folder.clone().join(FILES_CHECKSUM)).await?
            && is_md5(&sum)
            && sum.trim_ascii() != checksum(&text).as_bytes()
        {
            return Err(ExportError::Manifest {
                file,
                why: format!("its checksum is not that in {FILES_CHECKSUM}"),
            });
        }
        let files = DataFile::read_all(&file, &text)?;
        // Hostile counts may be larger than any number; then the sum is that of no export.
        let sum = files.iter().try_fold(0_u64, |all, data| all.checked_add(data.item_count));
        if sum != Some(found.items) {
            let sum = sum.map_or_else(|| "too many".to_owned(), |sum| sum.to_string());
            let why = format!("its files have {sum} items, and the export has {}", found.items);
            return Err(ExportError::Manifest { file, why });
        }
        let form = Self::form(&place, &found).await?;
        Ok(Self { place, found, files, form, open: Mutex::default() })
    }

    /// What an export of ours says about the table; of others only its name is known.
    async fn form(place: &Place, found: &Found) -> Result<TableForm, ExportError> {
        let path = found.folder.clone().join(TABLE);
        let Some(text) = place.read(&path).await? else {
            let mut form = TableForm::of(tabletheory_core::store::op::CreateTable::default(), None);
            form.table.clone_from(&found.table);
            return Ok(form);
        };
        let wrong = |why: String| ExportError::Manifest { file: place.file(&path), why };
        serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))
    }

    /// The same with a key, where the export does not say what it is.
    #[must_use]
    pub fn with_keys(mut self, keys: Vec<KeyElement>, attributes: Vec<AttributeDefinition>) -> Self {
        if self.form.keys.is_empty() {
            (self.form.keys, self.form.attributes) = (keys, attributes);
        }
        self
    }

    /// The table that was exported.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.form.table
    }

    /// How many items it has.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.found.items
    }

    /// Reads every file to its end: whether each is whole, is the one of its manifest, and has as many items as that says.
    /// `tell` is called with how many more items were read.
    ///
    /// # Errors
    /// With the file and the line that is wrong.
    pub async fn check(&self, tell: &(dyn Fn(u64) + Sync)) -> Result<(), ExportError> {
        for at in 0..self.files.len() {
            let mut lines = self.lines(at).await?;
            let mut told = 0;
            while lines.item().await?.is_some() {
                if lines.number() - told == u64::from(PAGE_ITEMS) {
                    tell(lines.number() - told);
                    told = lines.number();
                }
            }
            tell(lines.number() - told);
            self.is_whole(at, &lines)?;
        }
        Ok(())
    }

    /// Whether a file that was read to its end is the one of its manifest.
    fn is_whole(&self, at: usize, lines: &Lines) -> Result<(), ExportError> {
        let (data, name) = (&self.files[at], self.name(at));
        // It is that of the compressed file: in the service's own example the entity tag, of an upload in one part, is the MD5 of it.
        if data.md5().is_some_and(|md5| md5 != lines.md5()) {
            let why = "its MD5 is not that of the manifest; it was changed after the export".to_owned();
            return Err(ExportError::data(&name, None, why));
        }
        if lines.number() != data.item_count {
            let why = format!("it has {} items, and {} in the manifest", lines.number(), data.item_count);
            return Err(ExportError::data(&name, None, why));
        }
        Ok(())
    }

    fn path(&self, at: usize) -> object_store::path::Path {
        let name = self.files[at].name().expect("names were checked when they were read");
        self.found.folder.clone().join("data").join(name)
    }

    fn name(&self, at: usize) -> String {
        self.place.file(&self.path(at))
    }

    async fn lines(&self, at: usize) -> Result<Lines, ExportError> {
        let (path, name) = (self.path(at), self.name(at));
        let found = self.place.store.get(&path).await.map_err(ExportError::object(&name, "read"))?;
        Ok(Lines::new(name, found.into_stream()))
    }

    async fn scan(&self, scan: Scan) -> Result<PageOutput, StoreError> {
        let Segment { segment, total } = scan.segment.unwrap_or(Segment { segment: 0, total: 1 });
        let start = match &scan.start_key {
            None => Position { file: index(segment), line: 0 },
            Some(key) => position(key)?,
        };
        let limit = scan.limit.unwrap_or(PAGE_ITEMS);
        let (items, next) = self.page(start, (segment, total), limit).await.map_err(refusal)?;
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let last_evaluated_key = next.map(key);
        Ok(PageOutput { items: Some(items), count, scanned_count: count, last_evaluated_key, capacity: None })
    }

    /// A page, and where the next one begins.
    async fn page(
        &self,
        start: Position,
        segment: (u32, u32),
        limit: u32,
    ) -> Result<(Vec<Item>, Option<Position>), ExportError> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        if start.file >= self.files.len() {
            return Ok((items, None));
        }
        let mut open = self.opened(start, segment).await?;
        while items.len() < index(limit) && bytes < PAGE_BYTES {
            match open.lines.item().await? {
                Some(item) => {
                    bytes += item_bytes(&item);
                    items.push(item);
                }
                None => {
                    self.is_whole(open.file, &open.lines)?;
                    let file = open.file + index(segment.1);
                    return Ok((items, (file < self.files.len()).then_some(Position { file, line: 0 })));
                }
            }
        }
        let next = Position { file: open.file, line: open.lines.number() };
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(segment, open);
        Ok((items, Some(next)))
    }

    /// The file at this position: it may still be open there.
    async fn opened(&self, start: Position, segment: (u32, u32)) -> Result<Open, ExportError> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&segment);
        if let Some(open) = open.filter(|open| open.file == start.file && open.lines.number() == start.line) {
            return Ok(open);
        }
        let mut lines = self.lines(start.file).await?;
        lines.skip(start.line).await?;
        Ok(Open { file: start.file, lines })
    }

    fn description(&self) -> TableDescription {
        let index =
            |name: &String, keys: &Vec<KeyElement>, projection: &tabletheory_core::schema::Projection| {
                IndexDescription {
                    name: name.clone(),
                    keys: keys.clone(),
                    projection: projection.clone(),
                    status: None,
                    backfilling: None,
                    throughput: None,
                    size_bytes: 0,
                    item_count: 0,
                    arn: String::new(),
                }
            };
        let TableForm { table, attributes, keys, local_indexes, global_indexes, .. } = &self.form;
        let local = local_indexes.iter().map(|own| index(&own.name, &own.keys, &own.projection));
        let global = global_indexes.iter().map(|own| index(&own.name, &own.keys, &own.projection));
        TableDescription {
            name: table.clone(),
            id: self.found.id.clone(),
            arn: self.found.summary.table_arn.clone(),
            status: TableStatus::Active,
            created_at: Timestamp::from_seconds(0),
            attributes: attributes.clone(),
            keys: keys.clone(),
            local_indexes: local.collect(),
            global_indexes: global.collect(),
            billing: BillingMode::PayPerRequest,
            throughput: Throughput::default(),
            stream: None,
            deletion_protection: false,
            table_class: None,
            size_bytes: self.found.summary.billed_size_bytes,
            item_count: self.found.items,
        }
    }
}

impl Store for ExportStore {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            let is_ours = |table: &str| match table == self.form.table {
                true => Ok(()),
                false => Err(StoreError::ResourceNotFound(format!("the export is of {}", self.form.table))),
            };
            match request {
                Request::ListTables(_) => {
                    let output =
                        ListTablesOutput { tables: vec![self.form.table.clone()], last_evaluated: None };
                    Ok(Response::ListTables(Box::new(output)))
                }
                Request::DescribeTable(describe) => {
                    is_ours(&describe.table)?;
                    Ok(Response::DescribeTable(Box::new(DescribeTableOutput { table: self.description() })))
                }
                Request::DescribeTimeToLive(describe) => {
                    is_ours(&describe.table)?;
                    let attribute = self.form.time_to_live.clone();
                    Ok(Response::DescribeTimeToLive(Box::new(DescribeTimeToLiveOutput { attribute })))
                }
                Request::Scan(scan) => {
                    is_ours(&scan.table)?;
                    self.scan(*scan).await.map(|page| Response::Scan(Box::new(page)))
                }
                other => Err(StoreError::Validation(format!(
                    "an export can only be read; {} is refused",
                    other.name()
                ))),
            }
        })
    }
}

/// What is wrong with the export does not pass; that it cannot be reached may.
fn refusal(error: ExportError) -> StoreError {
    match error {
        ExportError::Object { .. } => StoreError::Unavailable(error.to_string()),
        _ => StoreError::Validation(error.to_string()),
    }
}

fn key(position: Position) -> Item {
    let file = u64::try_from(position.file).unwrap_or(u64::MAX);
    Item::from([(FILE, Value::n(file)), (LINE, Value::n(position.line))])
}

fn position(key: &Item) -> Result<Position, StoreError> {
    let number = |name: &str| key.get(name).and_then(Value::as_n).and_then(tabletheory_core::Number::to_u64);
    let file = number(FILE).and_then(|file| usize::try_from(file).ok());
    match (file, number(LINE)) {
        (Some(file), Some(line)) => Ok(Position { file, line }),
        _ => Err(StoreError::Validation("a page of an export begins in a file, after a line".to_owned())),
    }
}

fn index(number: u32) -> usize {
    usize::try_from(number).expect("a number of 32 bits is an index")
}

/// Whether this is a checksum in the form of manifests.
fn is_md5(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.len() == 24 && text.ends_with(b"==")
}
