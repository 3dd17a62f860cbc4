//! A stream of many shards, which the embedded engine does not have: shards that split, close, and are dropped.

use std::sync::Mutex;

use tabletheory_core::schema::StreamView;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{
    DescribeStream, DescribeStreamOutput, EventName, GetRecords, GetRecordsOutput, GetShardIterator,
    GetShardIteratorOutput, IteratorStart, Shard, StreamRecord, StreamStatus,
};
use tabletheory_core::{Item, Request, Response, Store, StoreError, Timestamp, Value};

pub(super) const STREAM: &str = "arn:of:many";

/// The stream.
#[derive(Debug)]
pub(super) struct Sharded(pub(super) Mutex<State>);

#[derive(Debug)]
pub(super) struct State {
    pub(super) shards: Vec<Part>,
    pub(super) status: StreamStatus,
    /// How many shards a page of the description has.
    pub(super) page: usize,
    /// The operations that were asked for, in order.
    pub(super) calls: Vec<&'static str>,
}

/// One shard.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    pub(super) id: &'static str,
    pub(super) parent: Option<&'static str>,
    pub(super) closed: bool,
    /// The sequence numbers of its records.
    pub(super) records: Vec<u32>,
    /// How many pages without records come before the first.
    pub(super) blanks: usize,
}

pub(super) fn part(id: &'static str, parent: Option<&'static str>, records: &[u32]) -> Part {
    Part { id, parent, records: records.to_vec(), ..Part::default() }
}

pub(super) fn closed(id: &'static str, parent: Option<&'static str>, records: &[u32]) -> Part {
    Part { closed: true, ..part(id, parent, records) }
}

impl Sharded {
    pub(super) fn new(shards: impl Into<Vec<Part>>) -> Self {
        let (shards, calls) = (shards.into(), Vec::new());
        Self(Mutex::new(State { shards, status: StreamStatus::Enabled, page: 100, calls }))
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap());
    }

    pub(super) fn count(&self, operation: &str) -> usize {
        self.0.lock().unwrap().calls.iter().filter(|call| **call == operation).count()
    }
}

impl Store for Sharded {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        let mut state = self.0.lock().unwrap();
        state.calls.push(request.name());
        let answer = match request {
            Request::DescribeStream(asked) => {
                state.describe(&asked).map(|told| Response::DescribeStream(Box::new(told)))
            }
            Request::GetShardIterator(asked) => {
                state.iterator(&asked).map(|told| Response::GetShardIterator(Box::new(told)))
            }
            Request::GetRecords(asked) => {
                state.records(&asked).map(|told| Response::GetRecords(Box::new(told)))
            }
            other => Err(StoreError::UnknownOperation(other.name().to_owned())),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl State {
    fn describe(&self, asked: &DescribeStream) -> Result<DescribeStreamOutput, StoreError> {
        let after = asked.start_after_shard.as_ref();
        let behind =
            after.map_or(0, |after| self.shards.iter().position(|part| part.id == after).unwrap() + 1);
        let page = &self.shards[behind..self.shards.len().min(behind + self.page)];
        let more = behind + page.len() < self.shards.len();
        Ok(DescribeStreamOutput {
            arn: STREAM.to_owned(),
            table: "app".to_owned(),
            label: "many".to_owned(),
            status: self.status,
            view: StreamView::KeysOnly,
            created_at: Timestamp::from_seconds(0),
            keys: Vec::new(),
            shards: page.iter().map(Part::describe).collect(),
            last_evaluated_shard: page.last().filter(|_| more).map(|part| part.id.to_owned()),
        })
    }

    fn part(&self, id: &str) -> Result<&Part, StoreError> {
        let found = self.shards.iter().find(|part| part.id == id);
        found.ok_or_else(|| StoreError::ResourceNotFound(format!("no shard {id}")))
    }

    fn iterator(&self, asked: &GetShardIterator) -> Result<GetShardIteratorOutput, StoreError> {
        let part = self.part(&asked.shard)?;
        let next = match &asked.start {
            IteratorStart::TrimHorizon => 0,
            IteratorStart::Latest => part.records.last().map_or(0, |last| last + 1),
            IteratorStart::At(sequence) => sequence.parse().unwrap(),
            IteratorStart::After(sequence) => sequence.parse::<u32>().unwrap() + 1,
        };
        Ok(GetShardIteratorOutput { iterator: format!("{}|{next}|{}", part.id, part.blanks) })
    }

    fn records(&self, asked: &GetRecords) -> Result<GetRecordsOutput, StoreError> {
        let words: Vec<&str> = asked.iterator.split('|').collect();
        let [id, next, blanks] = words[..] else { panic!("{}", asked.iterator) };
        let (part, next, blanks) =
            (self.part(id)?, next.parse::<u32>().unwrap(), blanks.parse::<u32>().unwrap());
        if blanks > 0 {
            let next_iterator = Some(format!("{id}|{next}|{}", blanks - 1));
            return Ok(GetRecordsOutput { records: Vec::new(), next_iterator });
        }
        let most = usize::try_from(asked.limit.unwrap()).unwrap();
        let left: Vec<u32> = part.records.iter().copied().filter(|sequence| *sequence >= next).collect();
        let page = &left[..left.len().min(most)];
        let next = page.last().map_or(next, |last| last + 1);
        let ended = part.closed && page.len() == left.len();
        let next_iterator = (!ended).then(|| format!("{id}|{next}|0"));
        Ok(GetRecordsOutput {
            records: page.iter().map(|sequence| record(*sequence)).collect(),
            next_iterator,
        })
    }
}

impl Part {
    fn describe(&self) -> Shard {
        Shard {
            id: self.id.to_owned(),
            first_sequence: "0".to_owned(),
            last_sequence: self.closed.then(|| "999".to_owned()),
            parent: self.parent.map(str::to_owned),
        }
    }
}

fn record(sequence: u32) -> StreamRecord {
    StreamRecord {
        event_id: format!("event {sequence}"),
        event: EventName::Insert,
        sequence: sequence.to_string(),
        at: Timestamp::from_seconds(i64::from(sequence)),
        keys: Item::from([("id", Value::n(i64::from(sequence)))]),
        new_image: None,
        old_image: None,
        size_bytes: 1,
        view: StreamView::KeysOnly,
        identity: None,
    }
}
