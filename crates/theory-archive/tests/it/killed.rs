//! An archiver as a process of its own, on an engine and an archive in folders of this machine, killed while it works.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use object_store::local::LocalFileSystem;
use tabletheory_core::schema::StreamView;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, Entropy as _, SeededEntropy};
use tabletheory_engine::{Engine, Settings};
use theory_archive::{Archive, Follower};

use crate::faulty::{Fault, Faulty};
use crate::items::{self, TABLE};
use crate::world::{archive_in, check_all_archived_once, drain, originals};

const ITEMS: usize = 10_000;
const KILLS: usize = 6;
/// So many writes of a worker that is to be killed are answered. All of them together cannot archive everything, however late they are
/// killed on a machine that stands still for a while.
const WRITES_MAX: usize = 1_600;
const _: () = assert!(KILLS * WRITES_MAX < ITEMS);
/// The variable with the folder that a worker works in. Without it there is nothing to do.
const ORDERS: &str = "THEORY_ARCHIVE_TEST_FOLDER";
/// The variable with how many of its writes are answered.
const WRITES: &str = "THEORY_ARCHIVE_TEST_WRITES";

fn archive(folder: &Path, writes_max: usize) -> Archive {
    let place = folder.join("archive");
    std::fs::create_dir_all(&place).unwrap();
    let files = LocalFileSystem::new_with_prefix(place).unwrap().with_fsync(true);
    archive_in(Faulty::over(Arc::new(files), move |write, _| match write {
        write if write < writes_max => Fault::None,
        _ => Fault::Hang,
    }))
}

/// The worker: removes what has expired, archives it, and ends when there is nothing left.
#[test]
fn worker() {
    let Some(folder) = std::env::var_os(ORDERS).map(PathBuf::from) else { return };
    let writes_max = std::env::var(WRITES).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let settings = Settings { upkeep_every: None, ..Settings::default() };
        let engine = Engine::open(folder.join("data"), settings).unwrap();
        let archive = archive(&folder, writes_max);
        let mut follower = Follower::open(archive, Arc::new(engine.clone()), TABLE).await.unwrap();
        loop {
            // Items are removed while others are archived, as upkeep does it.
            let more = engine.upkeep().unwrap().more;
            drain(&mut follower).await.unwrap();
            if !more {
                break;
            }
        }
        drop(follower);
        engine.close().unwrap();
    });
    std::fs::write(folder.join("done"), b"").unwrap();
}

struct Worker(Child);

impl Worker {
    fn start(folder: &Path, writes_max: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "killed::worker", "--nocapture", "--test-threads=1"]).env(ORDERS, folder);
        command.env(WRITES, writes_max.to_string());
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SIGKILL, if it has not ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn archivers_that_are_killed_lose_and_duplicate_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ends = SystemClock.now().seconds() - 3600;
    let settings = Settings {
        upkeep_every: None,
        durability: tabletheory_engine::Durability::Memory,
        ..Settings::default()
    };
    let engine = Engine::open(folder.path().join("data"), settings).unwrap();
    items::make(&engine, StreamView::OldImage).await;
    for number in 0..ITEMS {
        items::put(&engine, items::item(number, ends)).await;
    }
    engine.close().unwrap();

    let entropy = SeededEntropy::new(17);
    let done = folder.path().join("done");
    for _ in 0..KILLS {
        let worker = Worker::start(folder.path(), WRITES_MAX);
        let span = Duration::from_millis(150 + u64::try_from(entropy.bits() % 900).unwrap());
        tokio::time::sleep(span).await;
        drop(worker);
        assert!(!done.exists(), "they are killed in the middle");
    }
    let mut worker = Worker::start(folder.path(), usize::MAX);
    let ended = tokio::task::spawn_blocking(move || worker.0.wait().unwrap()).await.unwrap();
    assert!(ended.success() && done.exists());
    check_all_archived_once(&archive(folder.path(), usize::MAX), &originals(0..ITEMS, ends)).await;
}
