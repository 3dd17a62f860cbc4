//! Writing an export: every segment of the table fills files of its own, and the manifests come last, so that what has no manifest is no
//! export.

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::try_join_all;
use object_store::ObjectStoreExt as _;
use object_store::path::Path;
use tabletheory_core::schema::TableDescription;
use tabletheory_core::{Clock, Entropy, Item, Timestamp};

use super::line;
use super::manifest::{
    DataFile, FILES, FILES_CHECKSUM, FOLDER, STARTED, SUMMARY, SUMMARY_CHECKSUM, Summary, TABLE, TableForm,
    checksum,
};
use super::place::{Found, Place};
use crate::error::Error;
use crate::plan::request;
use crate::scan::Reading;
use crate::side::Side;

/// A file is closed when it is so large, compressed. Each segment has one in memory.
const FILE_BYTES: usize = 8 << 20;

/// An export that was written.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The export.
    pub found: Found,
    /// Where it lies.
    pub folder: String,
    /// How many files it has.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
}

/// An export that is being written.
struct Writing<'a> {
    place: &'a Place,
    folder: Path,
    number: AtomicU32,
    files: Mutex<Vec<(DataFile, u64)>>,
}

/// Exports a table. `tell` is called with how many more items were written.
///
/// # Errors
/// If the table is missing, or something cannot be read or written. Then there is no manifest, and what was written is removed as far
/// as that is possible.
pub async fn export(
    from: &Side,
    table: &str,
    place: &Place,
    segments: u32,
    (clock, entropy): (&dyn Clock, &dyn Entropy),
    tell: &(dyn Fn(u64) + Sync),
) -> Result<Exported, Error> {
    let no_table = || Error::NoTable { table: table.to_owned(), store: from.name.clone() };
    let described = from.describe(table).await?.ok_or_else(no_table)?;
    let ttl = from.time_to_live(table).await?;
    let began = clock.now();
    let id = format!("{:014}-{:08x}", began.millis(), entropy.bits() & u128::from(u32::MAX));
    let folder = place.prefix.clone().join(FOLDER).join(id.as_str());
    let writing = Writing { place, folder, number: AtomicU32::new(0), files: Mutex::default() };
    let written = async {
        place.write(&writing.folder.clone().join(STARTED), Vec::new()).await?;
        let reading = Reading::all(table, segments);
        let writing = &writing;
        let reading = &reading;
        let all = (0..segments.max(1))
            .map(|segment| async move { writing.segment(from, reading, segment, tell).await });
        try_join_all(all).await?;
        writing.finish(&described, ttl, &id, [began, clock.now()]).await
    };
    let written = written.await;
    if written.is_err() {
        writing.give_up().await;
    }
    written
}

impl Writing<'_> {
    async fn segment(
        &self,
        from: &Side,
        reading: &Reading,
        segment: u32,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Result<(), Error> {
        let (mut file, mut next) = (File::new(), None);
        loop {
            let (items, after) = reading.page(from, segment, next).await?;
            for item in &items {
                file.add(item);
                if file.encoder.get_ref().len() >= FILE_BYTES {
                    self.put(std::mem::replace(&mut file, File::new())).await?;
                }
            }
            tell(u64::try_from(items.len()).unwrap_or(u64::MAX));
            if after.is_none() {
                break;
            }
            next = after;
        }
        if file.items > 0 { self.put(file).await } else { Ok(()) }
    }

    async fn put(&self, file: File) -> Result<(), Error> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.clone().join("data").join(format!("{number:06}.json.gz"));
        let bytes = file.encoder.finish().expect("a vector takes every byte");
        let (md5_checksum, size) = (checksum(&bytes), u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let put = self.place.write(&path, bytes).await?;
        let etag = put.e_tag.map(|etag| etag.trim_matches('"').to_owned());
        let data = DataFile { item_count: file.items, md5_checksum, etag, key: path.to_string() };
        self.files.lock().expect("nothing panics while it is held").push((data, size));
        Ok(())
    }

    /// Writes the manifests, the summary last.
    async fn finish(
        &self,
        table: &TableDescription,
        ttl: Option<String>,
        id: &str,
        times: [Timestamp; 2],
    ) -> Result<Exported, Error> {
        if self.files.lock().expect("nothing panics while it is held").is_empty() {
            // An export of nothing has an empty file, as DynamoDB's has.
            self.put(File::new()).await?;
        }
        let mut files = self.files.lock().expect("nothing panics while it is held").clone();
        files.sort_by(|(first, _), (second, _)| first.key.cmp(&second.key));
        let mut list = Vec::new();
        for (data, _) in &files {
            serde_json::to_writer(&mut list, data).expect("a manifest is plain data");
            list.push(b'\n');
        }
        let bytes: u64 = files.iter().map(|(_, size)| size).sum();
        let mut summary = Summary::new(table.arn.clone(), table.id.clone(), id, times.map(moment));
        summary.manifest_files_s3_key = self.folder.clone().join(FILES).to_string();
        summary.s3_prefix = Some(self.place.prefix.to_string()).filter(|prefix| !prefix.is_empty());
        summary.billed_size_bytes = table.size_bytes;
        summary.item_count = files.iter().map(|(data, _)| data.item_count).sum();
        let form = TableForm::of(request(table, &table.name), ttl);
        let text = |value: serde_json::Result<Vec<u8>>| value.expect("a manifest is plain data");
        let summary_text = text(serde_json::to_vec(&summary));
        for (name, bytes) in [
            (TABLE, text(serde_json::to_vec(&form))),
            (FILES_CHECKSUM, checksum(&list).into_bytes()),
            (FILES, list),
            (SUMMARY_CHECKSUM, checksum(&summary_text).into_bytes()),
            (SUMMARY, summary_text),
        ] {
            self.place.write(&self.folder.clone().join(name), bytes).await?;
        }
        let found = Found {
            table: table.name.clone(),
            id: id.to_owned(),
            items: summary.item_count,
            time: summary.export_time.clone(),
            folder: self.folder.clone(),
            summary,
        };
        Ok(Exported { found, folder: self.place.file(&self.folder), files: files.len(), bytes })
    }

    /// Removes what was written, the summary first: it may be there though its answer was lost. What cannot be removed after it is no
    /// export.
    async fn give_up(&self) {
        let _ = self.place.store.delete(&self.folder.clone().join(SUMMARY)).await;
        for number in 0..self.number.load(Ordering::Relaxed) {
            let path = self.folder.clone().join("data").join(format!("{number:06}.json.gz"));
            let _ = self.place.store.delete(&path).await;
        }
        for name in [TABLE, FILES_CHECKSUM, FILES, SUMMARY_CHECKSUM, STARTED] {
            let _ = self.place.store.delete(&self.folder.clone().join(name)).await;
        }
    }
}

/// A file that is being filled.
struct File {
    encoder: GzEncoder<Vec<u8>>,
    text: Vec<u8>,
    items: u64,
}

impl File {
    fn new() -> Self {
        Self { encoder: GzEncoder::new(Vec::new(), Compression::default()), text: Vec::new(), items: 0 }
    }

    fn add(&mut self, item: &Item) {
        self.text.clear();
        line::write(item, &mut self.text);
        self.encoder.write_all(&self.text).expect("a vector takes every byte");
        self.items += 1;
    }
}

/// A moment as manifests write it.
fn moment(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default();
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
