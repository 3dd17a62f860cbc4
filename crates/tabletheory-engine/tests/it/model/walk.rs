//! A walk: one engine and one model, asked the same things, step by step. Every answer is compared, and every now and
//! then everything there is.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tabletheory_core::error::CancellationCode;
use tabletheory_core::schema::{TableDescription, TableStatus};
use tabletheory_core::store::op::{DescribeTable, DescribeTimeToLive, ListTables, TransactWriteItems};
use tabletheory_core::{
    ManualClock, Operation, Request, Response, Seconds, SeededEntropy, Store, StoreError, Timestamp,
};
use tabletheory_engine::{Durability, Engine, Settings};
use tempfile::TempDir;

use super::definitions::TABLES;
use super::dice::Dice;
use super::reference::{Chores, Model};
use super::requests::Author;

/// What a walk can see happen. Errors are seen by their codes.
pub(crate) mod sight {
    pub(crate) const FULL_PAGE: &str = "a page that ended at 1 MB";
    pub(crate) const REPLAY: &str = "a transaction answered from its token";
    pub(crate) const LATE_REPLAY: &str =
        "a transaction answered from its token after the folder was opened again";
    pub(crate) const FILLED: &str = "an index filled from its table";
    pub(crate) const EXPIRED: &str = "items removed by the time to live";
    pub(crate) const TRIMMED: &str = "stream records removed after a day";
    pub(crate) const SPENT: &str = "tokens removed after ten minutes";
    pub(crate) const YESTERDAY: &str = "a stream record asked for after its day";
    pub(crate) const LATE_ITERATOR: &str = "a shard iterator used too late";
    pub(crate) const FORGOTTEN: &str = "a stream gone a day after its end";
}

/// Where a walk happens.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ground {
    Memory,
    Disk(Durability),
}

/// A walk and everything it needs. If it fails, it tells its seed and its last requests.
#[derive(Debug)]
pub(crate) struct Walk {
    seed: u64,
    ground: Ground,
    folder: TempDir,
    settings: Settings,
    clock: Arc<ManualClock>,
    entropy: Arc<SeededEntropy>,
    engine: Option<Engine>,
    pub(super) dice: Dice,
    pub(super) model: Model,
    /// Whether items are large enough to fill pages.
    pub(super) heavy: bool,
    /// Transactions with tokens, to be sent again, and how often the folder had been opened when they were sent.
    sent: VecDeque<(u64, TransactWriteItems)>,
    opened: u64,
    /// A place in a stream, and when it was given.
    pub(super) iterator: Option<(Timestamp, String)>,
    /// What has happened at least once, so that a test can tell that it tests what it says.
    sights: BTreeSet<&'static str>,
    recent: VecDeque<Request>,
    /// Answers compared so far.
    pub(crate) operations: u64,
    /// Answers that were no errors.
    accepted: u64,
}

impl Walk {
    pub(crate) fn begin(seed: u64, ground: Ground) -> Self {
        let now = Timestamp::from_seconds(1_800_000_000);
        let mut dice = Dice::new(seed);
        let durability = match ground {
            Ground::Memory => Durability::Memory,
            Ground::Disk(durability) => durability,
        };
        // Small caches and buffers, so that rows are evicted and written out during the walk.
        let settings = Settings {
            durability,
            item_cache_bytes: *dice.pick(&[0, 4 * 1024, 1024 * 1024]),
            block_cache_bytes: 1024 * 1024,
            write_buffer_bytes: *dice.pick(&[256 * 1024, 4 * 1024 * 1024]),
            upkeep_every: None,
        };
        let mut walk = Self {
            seed,
            ground,
            folder: tempfile::tempdir().expect("a folder for the walk"),
            settings,
            clock: Arc::new(ManualClock::at(now)),
            entropy: Arc::new(SeededEntropy::new(seed)),
            engine: None,
            heavy: seed % 16 == 4,
            dice,
            model: Model::new(now),
            sent: VecDeque::new(),
            opened: 0,
            iterator: None,
            sights: BTreeSet::new(),
            recent: VecDeque::new(),
            operations: 0,
            accepted: 0,
        };
        walk.engine = Some(walk.open());
        for table in TABLES {
            walk.create_table(table);
        }
        walk
    }

    fn open(&self) -> Engine {
        let (clock, entropy) = (Arc::clone(&self.clock), Arc::clone(&self.entropy));
        match self.ground {
            Ground::Memory => Engine::memory_with(self.settings.clone(), clock, entropy),
            Ground::Disk(_) => Engine::open_with(self.folder.path(), self.settings.clone(), clock, entropy)
                .expect("the folder opens"),
        }
    }

    pub(super) fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the engine is closed only while it is opened again")
    }

    pub(super) fn see(&mut self, sight: &'static str, happened: bool) {
        if happened {
            self.sights.insert(sight);
        }
    }

    /// Walks until so many answers have been compared, and tells what it saw.
    pub(crate) fn run(mut self, operations: u64) -> BTreeSet<&'static str> {
        let mut next_check = 300;
        while self.operations < operations {
            self.step();
            if self.operations >= next_check {
                self.check_everything();
                if self.dice.chance(60) {
                    self.reopen();
                }
                next_check = self.operations + 250;
            }
        }
        self.check_everything();
        self.reopen();
        self.check_everything();
        assert!(self.accepted * 2 > self.operations, "most requests of a walk are sensible");
        println!("counted: engine-model walks=1 operations={}", self.operations);
        std::mem::take(&mut self.sights)
    }

    pub(super) fn author(&mut self) -> Author<'_> {
        Author { dice: &mut self.dice, model: &self.model, heavy: self.heavy }
    }

    fn step(&mut self) {
        match self.dice.below(100) {
            0..20 => drop(self.ask(|author| author.put())),
            20..40 => drop(self.ask(|author| author.update())),
            40..45 => drop(self.ask(|author| author.delete())),
            45..53 => drop(self.ask(|author| author.get())),
            53..65 => self.query_all(),
            65..67 => self.scan_any(),
            67..70 => drop(self.ask(|author| author.batch_get())),
            70..76 => drop(self.ask(|author| author.batch_write())),
            76..84 => self.transact(),
            84..88 => self.transact_again(),
            88..91 => drop(self.ask(|author| author.transact_get())),
            91..94 => self.let_time_pass(),
            94..96 => self.read_any_stream(),
            96..98 => self.describe_any(),
            _ => self.change_tables(),
        }
    }

    /// Sends a random request.
    pub(super) fn ask<O: Operation>(
        &mut self,
        write: impl FnOnce(&mut Author<'_>) -> O,
    ) -> Result<O::Output, StoreError> {
        let request = write(&mut self.author());
        self.send(request)
    }

    /// Sends a request to the engine and to the model, and compares what they say.
    pub(super) fn send<O: Operation>(&mut self, request: O) -> Result<O::Output, StoreError> {
        let request = request.into_request();
        self.note(&request);
        let expected = self.model.call(&request).map(canonical);
        if matches!(request, Request::Query(_)) {
            // Where there is a cache, what is asked a third time may be answered from it.
            for _ in 0..2 {
                let told = self.engine().apply(request.clone()).map(canonical).map_err(wordless);
                assert_eq!(told, expected, "the engine's answer (left) is not the model's (right)");
            }
        }
        // Both doors lead to the same place.
        let answer = if self.operations.is_multiple_of(2) {
            self.engine().apply(request)
        } else {
            futures_executor::block_on(self.engine().call(request))
        };
        let actual = answer.map(canonical);
        self.operations += 1;
        self.accepted += u64::from(actual.is_ok());
        self.sights.extend(actual.as_ref().err().map(StoreError::code));
        let told = actual.clone().map_err(wordless);
        assert_eq!(told, expected, "the engine's answer (left) is not the model's (right)");
        actual.map(O::from_response)
    }

    fn note(&mut self, request: &Request) {
        self.recent.truncate(11);
        self.recent.push_front(request.clone());
    }

    /// Sends a request that the model does not foretell; the caller checks the answer.
    pub(super) fn perform<O: Operation>(&mut self, request: O) -> Result<O::Output, StoreError> {
        let request = request.into_request();
        self.note(&request);
        self.operations += 1;
        let answer = self.engine().apply(request);
        self.accepted += u64::from(answer.is_ok());
        answer.map(O::from_response)
    }

    /// Reads a query to its end, sometimes writing between its pages.
    fn query_all(&mut self) {
        let mut query = self.author().query();
        for _ in 0..40 {
            let Ok(page) = self.send(query.clone()) else { return };
            let Some(last) = page.last_evaluated_key else { return };
            self.see(sight::FULL_PAGE, query.limit.is_none_or(|limit| page.scanned_count < u64::from(limit)));
            query.start_key = Some(last);
            if self.dice.chance(15) {
                let _ = self.ask(|author| author.update());
            }
        }
    }

    fn transact(&mut self) {
        let request = self.author().transact_write();
        if request.client_request_token.is_some() {
            self.sent.truncate(15);
            self.sent.push_front((self.opened, request.clone()));
        }
        let _ = self.send(request);
    }

    fn transact_again(&mut self) {
        if self.sent.is_empty() {
            return;
        }
        let at = self.dice.index(self.sent.len());
        let (opened, request) = self.sent[at].clone();
        let before = self.model.replays;
        let _ = self.send(request);
        let replayed = self.model.replays > before;
        self.see(sight::REPLAY, replayed);
        self.see(sight::LATE_REPLAY, replayed && opened < self.opened);
    }

    fn let_time_pass(&mut self) {
        let span = match self.dice.below(20) {
            0 => self.dice.between(20, 30) * 3600,
            1..4 => self.dice.between(500, 700),
            _ => self.dice.between(0, 60),
        };
        self.advance(span);
        if self.dice.chance(60) {
            self.upkeep();
        }
    }

    pub(super) fn advance(&mut self, seconds: i64) {
        self.clock.advance(Seconds(seconds));
        self.model.now = self.model.now + Seconds(seconds);
    }

    /// Has upkeep done until nothing is left to do, and checks that it was what there was to do.
    pub(super) fn upkeep(&mut self) {
        let mut chores = Chores::default();
        loop {
            let done = self.engine().upkeep().expect("upkeep does not fail");
            chores.expired_items += done.expired_items;
            chores.trimmed_records += done.trimmed_records;
            chores.spent_tokens += done.spent_tokens;
            if !done.more {
                break;
            }
        }
        let mut indexes = self.model.tables.values().flat_map(|table| &table.indexes);
        let filled = indexes.any(|index| index.filling);
        assert_eq!(chores, self.model.upkeep(), "what upkeep did");
        self.see(sight::FILLED, filled);
        self.see(sight::EXPIRED, chores.expired_items > 0);
        self.see(sight::TRIMMED, chores.trimmed_records > 0);
        self.see(sight::SPENT, chores.spent_tokens > 0);
        self.check_forgotten();
    }

    /// Closes the folder and opens it again. Nothing may be different. Memory has no folder and stays.
    pub(super) fn reopen(&mut self) {
        if matches!(self.ground, Ground::Memory) {
            return;
        }
        let before: Vec<_> = self.model.tables.keys().map(|name| self.describe(name)).collect();
        self.engine = None;
        self.engine = Some(self.open());
        self.opened += 1;
        let after: Vec<_> = self.model.tables.keys().map(|name| self.describe(name)).collect();
        assert_eq!(after, before, "tables after the folder was opened again");
    }

    fn describe(&self, name: &str) -> TableDescription {
        self.engine().run(DescribeTable { table: name.to_owned() }).expect("the table is there").table
    }

    fn describe_any(&mut self) {
        let name = self.author().table();
        match self.model.tables.contains_key(&name) {
            true => self.check_description(&name),
            false => {
                let answer = self.perform(DescribeTable { table: name });
                assert_eq!(answer.expect_err("the table is gone").code(), "ResourceNotFoundException");
            }
        }
    }

    /// Counts are exact, indexes and streams are as they were made.
    fn check_description(&mut self, name: &str) {
        let told = self.perform(DescribeTable { table: name.to_owned() }).expect("the table is there").table;
        let ttl = self.perform(DescribeTimeToLive { table: name.to_owned() }).expect("the table is there");
        let table = &self.model.tables[name];
        let count = |count: usize| u64::try_from(count).expect("a length");
        assert_eq!(told.item_count, count(table.items.len()), "how many items {name} has");
        assert_eq!(told.size_bytes == 0, table.items.is_empty(), "no items take no bytes");
        assert_eq!(ttl.attribute, table.ttl, "the time to live of {name}");
        let filling = table.indexes.iter().any(|index| index.filling);
        assert_eq!(told.status, if filling { TableStatus::Updating } else { TableStatus::Active });
        let streaming = told.stream.as_ref().filter(|stream| stream.enabled).map(|stream| &stream.arn);
        assert_eq!(
            streaming,
            table.stream.map(|at| &self.model.history.streams[at].arn),
            "the stream of {name}"
        );
        let indexes: Vec<_> = told.local_indexes.iter().chain(&told.global_indexes).collect();
        assert_eq!(indexes.len(), table.indexes.len(), "the indexes of {name}");
        for (told, index) in indexes.into_iter().zip(&table.indexes) {
            assert_eq!(told.name, index.name);
            assert_eq!(
                told.backfilling,
                index.filling.then_some(true),
                "whether {} is being filled",
                index.name
            );
            if !index.filling {
                let rows = table.rows(Some(index)).len();
                assert_eq!(told.item_count, count(rows), "how many items {name} has in {}", index.name);
                assert_eq!(told.size_bytes == 0, rows == 0, "no items take no bytes in {}", index.name);
            }
        }
    }

    pub(super) fn check_everything(&mut self) {
        let told = self.perform(ListTables::default()).expect("tables can be listed");
        let names: Vec<String> = self.model.tables.keys().cloned().collect();
        assert_eq!(told.tables, names, "the tables there are");
        for name in names {
            self.check_description(&name);
            let indexes = self.model.tables[&name].indexes.iter().filter(|index| !index.filling);
            let indexes: Vec<String> = indexes.map(|index| index.name.clone()).collect();
            self.check_rows(&name, None);
            indexes.iter().for_each(|index| self.check_rows(&name, Some(index)));
        }
        self.check_streams();
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the walk with THEORY_SEED={} on {:?} failed", self.seed, self.ground);
            eprintln!("after {} operations, the last of them, newest first:", self.operations);
            for request in &self.recent {
                let text = format!("{request:?}");
                eprintln!("  {}", text.chars().take(3000).collect::<String>());
            }
        }
    }
}

/// An answer without what the service leaves open: the order of a batch.
fn canonical(response: Response) -> Response {
    match response {
        Response::BatchGetItem(mut output) => {
            output.items.values_mut().for_each(|items| items.sort_by_key(|item| format!("{item:?}")));
            Response::BatchGetItem(output)
        }
        other => other,
    }
}

/// An error without the words that are not the model's business.
fn wordless(error: StoreError) -> StoreError {
    match error {
        StoreError::Validation(_) => StoreError::Validation(String::new()),
        StoreError::ResourceNotFound(_) => StoreError::ResourceNotFound(String::new()),
        StoreError::IdempotentParameterMismatch(_) => StoreError::IdempotentParameterMismatch(String::new()),
        StoreError::TransactionCanceled { mut reasons } => {
            for reason in reasons.iter_mut().filter(|reason| reason.code == CancellationCode::ValidationError)
            {
                reason.message = Some(String::new());
            }
            StoreError::TransactionCanceled { reasons }
        }
        other => other,
    }
}
