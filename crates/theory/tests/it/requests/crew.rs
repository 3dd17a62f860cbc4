//! Workers at one endpoint as a test has them: started, killed, stopped and waited for; what they said, and what is in the table.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use idempotent::Idempotency;
use idempotent::record::IdempotencyRecord;
use tabletheory::{Db, Model as _};
use tabletheory_core::store::op::Scan;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, StoreExt as _};
use tempfile::TempDir;
use tokio::time::sleep;

use super::orders::{Ask, ORDERS, Orders};
use super::tally::Tally;
use crate::cache;
use crate::process::{Kind, Process, WrongClock};

const KIND: Kind = Kind { test: "requests::worker::asks_until_every_request_is_answered", orders: ORDERS };
/// How long anything may take that is waited for: machines are busy.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(50);

/// The workers.
pub(super) struct Crew {
    endpoint: String,
    db: Db,
    folder: TempDir,
    lock_seconds: i64,
    workers: BTreeMap<String, Process>,
}

impl Crew {
    /// Nobody yet, at this endpoint, where the tables are made.
    pub(super) async fn at(endpoint: &str, lock_seconds: i64) -> Self {
        let db = cache::connect(endpoint).await;
        Idempotency::new(db.clone()).create_table().await.expect("the table is made");
        db.create_table::<Tally>().await.expect("the table is made");
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { endpoint: endpoint.to_owned(), db, folder, lock_seconds, workers: BTreeMap::new() }
    }

    /// Starts a worker with these requests, all at once.
    pub(super) fn start(&mut self, name: &str, asks: Vec<Ask>) {
        self.start_with(name, vec![asks], true, None);
    }

    /// Starts a worker whose clock is wrong.
    pub(super) fn start_at(&mut self, name: &str, asks: Vec<Ask>, clock: WrongClock<'_>) {
        self.start_with(name, vec![asks], true, Some(clock));
    }

    /// Starts a worker with these rounds of requests.
    pub(super) fn start_with(
        &mut self,
        name: &str,
        rounds: Vec<Vec<Ask>>,
        remembers: bool,
        clock: Option<WrongClock<'_>>,
    ) {
        let orders = Orders {
            endpoint: self.endpoint.clone(),
            folder: self.folder.path().to_owned(),
            name: name.to_owned(),
            lock_seconds: self.lock_seconds,
            remembers,
            rounds,
            skew: clock.map_or(0, |clock| clock.skew),
            now_ms: SystemClock.now().millis(),
        };
        self.workers.insert(name.to_owned(), Process::start(KIND, &orders, clock));
    }

    /// Opens a gate.
    pub(super) fn open(&self, gate: &str) {
        std::fs::write(self.folder.path().join(gate), "").expect("a file is written");
    }

    /// Ends a worker in the middle of what it does.
    pub(super) fn kill(&mut self, name: &str) {
        drop(self.workers.remove(name).expect("it was started"));
    }

    /// Stops a worker for so many seconds.
    pub(super) fn stop_for(&mut self, name: &str, seconds: u32) {
        self.workers.get_mut(name).expect("it was started").stop_for(seconds);
    }

    /// Whether a worker is stopped now.
    pub(super) fn is_stopped(&mut self, name: &str) -> bool {
        self.workers.get_mut(name).expect("it was started").is_stopped()
    }

    /// Waits until a worker has said a line that begins so, so many times.
    pub(super) async fn until_said(&mut self, name: &str, words: &str, times: usize) {
        for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
            if self.said(name).lines().filter(|line| line.starts_with(words)).count() >= times {
                return;
            }
            let is_alive = self.workers.get_mut(name).is_some_and(Process::is_alive);
            assert!(
                is_alive || self.said(name).ends_with("done\n"),
                "{name} has ended:\n{}",
                self.said(name)
            );
            sleep(LOOK).await;
        }
        panic!("{name} never said {words:?}:\n{}", self.said(name));
    }

    /// Waits until this worker has done all it was told.
    pub(super) fn until_done(&mut self, name: &str) {
        let ended = self.workers.get_mut(name).expect("it was started").wait(PATIENCE);
        assert!(
            ended.is_some_and(|status| status.success()),
            "{name} ended with {ended:?}:\n{}",
            self.said(name)
        );
        assert!(self.said(name).ends_with("done\n"), "{name} has done all:\n{}", self.said(name));
    }

    /// Waits until all have.
    pub(super) fn until_all_are_done(&mut self) {
        let names: Vec<String> = self.workers.keys().cloned().collect();
        for name in names {
            self.until_done(&name);
        }
    }

    /// All that a worker has said.
    pub(super) fn said(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(format!("said by {name}"))).unwrap_or_default()
    }

    /// How many lines of a worker begin so.
    pub(super) fn count(&self, name: &str, words: &str) -> usize {
        self.said(name).lines().filter(|line| line.starts_with(words)).count()
    }

    /// How many lines of all workers begin so.
    pub(super) fn count_all(&self, words: &str) -> usize {
        self.files().iter().flat_map(|said| said.lines()).filter(|line| line.starts_with(words)).count()
    }

    /// The one answer that so many have got to a request, each of them the same: the attempt's number and the body.
    pub(super) fn answer(&self, key: &str, callers: usize) -> (u64, String) {
        let begins = format!("answer {key} ");
        let files = self.files();
        let lines = files.iter().flat_map(|said| said.lines());
        let answers: Vec<&str> = lines.filter_map(|line| line.strip_prefix(&begins)).collect();
        assert_eq!(answers.len(), callers, "{key}: everybody gets an answer: {answers:?}");
        let first = *answers.first().expect("somebody asked");
        assert!(
            answers.iter().all(|answer| *answer == first),
            "{key}: all answers are the same: {answers:?}"
        );
        let (attempt, body) = first.split_once(' ').expect("a number and a body");
        (attempt.parse().expect("a number"), body.to_owned())
    }

    fn files(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).expect("the folder is there");
        let paths = files.map(|file| file.expect("a file").path());
        let is_said =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("said"));
        paths.filter(|path| is_said(path)).map(|path| std::fs::read_to_string(path).expect("text")).collect()
    }

    /// What handlers of this request have left.
    pub(super) async fn tally(&self, key: &str) -> Tally {
        let tally = self.db.get(Tally::key(key)).consistent().await.expect("the endpoint answers");
        tally.unwrap_or_else(|| panic!("{key}: the handler has run"))
    }

    /// The record of this request.
    pub(super) async fn record(&self, key: &str) -> IdempotencyRecord {
        let table = self.db.table::<IdempotencyRecord>().name().to_owned();
        let scan = Scan { table, consistent: true, ..Scan::default() };
        let rows = self.db.store().scan(scan).await.expect("the endpoint answers").items.unwrap_or_default();
        let records = rows.into_iter().map(|row| IdempotencyRecord::from_item(row).expect("a record"));
        let mut records = records.filter(|record| record.function_name.as_deref() == Some(key));
        records.next().unwrap_or_else(|| panic!("{key}: there is a record"))
    }
}
