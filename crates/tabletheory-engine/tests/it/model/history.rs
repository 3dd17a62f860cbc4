//! What the streams must tell: every change in order, for a day.

use tabletheory_core::limits::STREAM_RETENTION_SECONDS;
use tabletheory_core::schema::StreamView;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{EventName, StreamRecord, UserIdentity};
use tabletheory_core::{Item, Seconds, Timestamp};

/// One change.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    at: Timestamp,
    keys: Item,
    old: Option<Item>,
    new: Option<Item>,
    /// The sweep of expired items that it belongs to. A sweep goes through a table in an order of its own.
    sweep: Option<u64>,
    /// How the engine named it when it was first read: sequence number and event. It must do so ever after.
    names: Option<(String, String)>,
}

/// The changes of one table, from when its stream was enabled.
#[derive(Debug)]
pub(crate) struct Stream {
    pub arn: String,
    pub table: String,
    pub view: StreamView,
    pub ended: Option<Timestamp>,
    /// It is gone, a day after its end.
    pub forgotten: bool,
    /// A record that was known and is gone.
    pub trimmed: Option<String>,
    records: Vec<Record>,
    sweeps: u64,
}

/// All streams there ever were.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub streams: Vec<Stream>,
}

impl History {
    /// Begins a stream and gives its place.
    pub(crate) fn begin(&mut self, table: &str, view: StreamView, arn: String) -> usize {
        assert!(
            self.streams.iter().all(|stream| stream.forgotten || stream.arn != arn),
            "two streams are called {arn}"
        );
        let (table, records) = (table.to_owned(), Vec::new());
        self.streams.push(Stream {
            arn,
            table,
            view,
            ended: None,
            forgotten: false,
            trimmed: None,
            records,
            sweeps: 0,
        });
        self.streams.len() - 1
    }

    /// Drops what is older than a day, and tells how many records that were.
    pub(crate) fn trim(&mut self, now: Timestamp) -> u64 {
        let mut trimmed = 0;
        for stream in &mut self.streams {
            let before = stream.records.len();
            let gone = stream.records.iter().take_while(|record| !is_kept(record.at, now));
            stream.trimmed = gone
                .filter_map(|record| Some(record.names.as_ref()?.0.clone()))
                .last()
                .or(stream.trimmed.take());
            stream.records.retain(|record| is_kept(record.at, now));
            trimmed += before - stream.records.len();
            stream.forgotten |= stream.ended.is_some_and(|at| !is_kept(at, now));
        }
        u64::try_from(trimmed).unwrap()
    }

    /// The places of streams that can be read.
    pub(crate) fn readable(&self) -> Vec<usize> {
        (0..self.streams.len()).filter(|at| !self.streams[*at].forgotten).collect()
    }
}

fn is_kept(at: Timestamp, now: Timestamp) -> bool {
    now < at + Seconds(STREAM_RETENTION_SECONDS)
}

impl Stream {
    pub(crate) fn record(&mut self, at: Timestamp, keys: Item, old: Option<Item>, new: Option<Item>) {
        self.records.push(Record { at, keys, old, new, sweep: None, names: None });
    }

    /// Records the removal of expired items, each with its key.
    pub(crate) fn record_sweep(&mut self, at: Timestamp, expired: Vec<(Item, Item)>) {
        self.sweeps += 1;
        let sweep = Some(self.sweeps);
        let record = |(keys, old)| Record { at, keys, old: Some(old), new: None, sweep, names: None };
        self.records.extend(expired.into_iter().map(record));
    }

    /// Sequence numbers of records that can be read and have been, with how many records come from there on.
    pub(crate) fn known(&self, now: Timestamp) -> Vec<(String, usize)> {
        let visible: Vec<&Record> = self.records.iter().filter(|record| is_kept(record.at, now)).collect();
        let named = visible.iter().enumerate();
        named
            .filter_map(|(at, record)| Some((record.names.as_ref()?.0.clone(), visible.len() - at)))
            .collect()
    }

    /// How many records can be read.
    pub(crate) fn visible(&self, now: Timestamp) -> usize {
        self.records.iter().filter(|record| is_kept(record.at, now)).count()
    }

    /// Checks that `told` is the end of the history, from its `told.len()`th last record on.
    pub(crate) fn check(&mut self, told: &[StreamRecord]) {
        let from = self.records.len().checked_sub(told.len()).expect("no more is told than has happened");
        let records = &mut self.records[from..];
        for (at, record) in told.iter().enumerate() {
            // A sweep may come in any order. The first reading tells which, and it stays.
            if let Some(found) = records[at..].iter().position(|known| {
                known.sweep.is_some() && known.sweep == records[at].sweep && known.keys == record.keys
            }) && records[at].names.is_none()
            {
                records.swap(at, at + found);
            }
            records[at].check(record, self.view);
        }
        let ascending = told.is_sorted_by(|left, right| left.sequence < right.sequence);
        assert!(ascending, "sequence numbers ascend");
    }
}

impl Record {
    fn check(&mut self, told: &StreamRecord, view: StreamView) {
        let event = match (&self.old, &self.new) {
            (None, _) => EventName::Insert,
            (Some(_), Some(_)) => EventName::Modify,
            (Some(_), None) => EventName::Remove,
        };
        let shows = |views: [StreamView; 2]| views.contains(&view);
        let old_image =
            self.old.clone().filter(|_| shows([StreamView::OldImage, StreamView::NewAndOldImages]));
        let new_image =
            self.new.clone().filter(|_| shows([StreamView::NewImage, StreamView::NewAndOldImages]));
        let images = [Some(&self.keys), old_image.as_ref(), new_image.as_ref()];
        let size = images.into_iter().flatten().map(item_bytes).sum::<usize>();
        let names = self.names.get_or_insert_with(|| (told.sequence.clone(), told.event_id.clone()));
        let expected = StreamRecord {
            event_id: names.1.clone(),
            event,
            sequence: names.0.clone(),
            at: self.at,
            keys: self.keys.clone(),
            size_bytes: u64::try_from(size).unwrap(),
            new_image,
            old_image,
            view,
            identity: self.sweep.map(|_| UserIdentity::time_to_live()),
        };
        assert_eq!(*told, expected, "a stream record");
    }
}
