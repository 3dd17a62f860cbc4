//! How much is kept, and where. To count costs calls and reads of folders, so it is done once in a while, whoever asks.

use std::path::{Path, PathBuf};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tabletheory_core::StoreExt;
use tabletheory_core::store::op::DescribeTable;
use tokio::sync::Mutex;
use tokio::time::{Duration, Instant, timeout};

use super::components::Components;

/// What was counted is told for so long.
const KEPT: Duration = Duration::from_secs(10);
/// A store that takes longer is not waited for.
const STORE_WAIT: Duration = Duration::from_secs(2);
/// A folder with more files than this is not counted to its end.
const FILES_MAX: usize = 200_000;

/// How much is kept, as it was counted last.
#[derive(Debug, Default)]
pub(super) struct Figures {
    last: Mutex<Option<(Instant, Value)>>,
}

impl Figures {
    /// `store` and `bodies` of the overview.
    pub(super) async fn read(&self, parts: &Components) -> Value {
        let mut last = self.last.lock().await;
        if let Some((_, figures)) = last.as_ref().filter(|(at, _)| at.elapsed() < KEPT) {
            return figures.clone();
        }
        let figures = count(parts).await;
        *last = Some((Instant::now(), figures.clone()));
        figures
    }
}

async fn count(parts: &Components) -> Value {
    let store = parts.isr.meta().db().store();
    let describe = |name: &String| {
        let described = timeout(STORE_WAIT, store.describe_table(DescribeTable { table: name.clone() }));
        async { described.await.ok()?.ok() }
    };
    let described = join_all(parts.tables.iter().map(describe)).await;
    let (mut items, mut bytes) = (0, 0);
    let mut tables = Vec::new();
    for (name, described) in parts.tables.iter().zip(described) {
        let (table_items, table_bytes) =
            described.map(|described| (described.table.item_count, described.table.size_bytes)).unzip();
        items += table_items.unwrap_or(0);
        bytes += table_bytes.unwrap_or(0);
        tables.push(json!({ "name": name, "items": table_items, "bytes": table_bytes }));
    }
    let usage = parts.isr.bodies().usage();
    json!({
        "store": {
            "place": parts.store.place,
            "items": items,
            "bytes": bytes,
            "tables": tables,
            "disk_bytes": folder_bytes(parts.store.folder.clone()).await,
        },
        "bodies": {
            "place": parts.bodies.place,
            "bytes": folder_bytes(parts.bodies.folder.clone()).await,
            "hot_bytes": usage.hot_bytes,
            "hot_bodies": usage.hot_bodies,
            "puts": usage.puts,
            "gets": usage.gets,
            "hot_hits": usage.hot_hits,
        },
    })
}

async fn folder_bytes(folder: Option<PathBuf>) -> Option<u64> {
    let folder = folder?;
    tokio::task::spawn_blocking(move || sum(&folder)).await.ok()?
}

/// The size of all files below a folder. Links are not followed.
fn sum(folder: &Path) -> Option<u64> {
    let (mut folders, mut bytes, mut files) = (vec![folder.to_path_buf()], 0, 0);
    while let Some(folder) = folders.pop() {
        // Files come and go while this reads.
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            files += 1;
            if files > FILES_MAX {
                return None;
            }
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_as_large_as_its_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        std::fs::write(folder.path().join("a"), [0; 10]).unwrap();
        std::fs::write(folder.path().join("below/b"), [0; 5]).unwrap();
        assert_eq!(sum(folder.path()), Some(15));
        assert_eq!(sum(&folder.path().join("nowhere")), Some(0));
    }
}
