//! Parts of a walk that read everything: scans, whole or in segments, and streams to their end.

use std::collections::BTreeSet;

use tabletheory_core::limits::SHARD_ITERATOR_SECONDS;
use tabletheory_core::store::op::{
    DescribeStream, GetRecords, GetShardIterator, IteratorStart, ListStreams, PageOutput, Scan, Segment,
    StreamStatus,
};
use tabletheory_core::{Item, Seconds, StoreError};

use super::dice::Dice;
use super::requests::Author;
use super::table::Key;
use super::walk::{Walk, sight};

impl Walk {
    /// Scans a table or index in a random way, and checks that everything is there once.
    pub(super) fn scan_any(&mut self) {
        let mut author = Author { dice: &mut self.dice, model: &self.model, heavy: false };
        let table = author.table();
        let index = author.index(&table);
        let request = Scan {
            index,
            filter: self.dice.maybe(30, Dice::condition),
            limit: self.dice.maybe(60, |dice| u32::try_from(1 + dice.below(30)).unwrap()),
            consistent: self.dice.chance(10),
            table,
            ..Scan::default()
        };
        let total = self.dice.maybe(50, |dice| u32::try_from(1 + dice.below(7)).unwrap());
        self.scan_all(&request, total);
    }

    /// Scans a table or index without a filter.
    pub(super) fn check_rows(&mut self, table: &str, index: Option<&String>) {
        let request = Scan { table: table.to_owned(), index: index.cloned(), ..Scan::default() };
        self.scan_all(&request, None);
    }

    fn scan_all(&mut self, request: &Scan, total: Option<u32>) {
        let table = self.model.table(&request.table);
        let usable = table
            .and_then(|table| table.read_index(request.index.as_deref(), request.consistent, false, &[]));
        if let Err(expected) = usable.map(|_| ()) {
            let told = self.perform(request.clone()).expect_err("a scan that must be refused");
            assert_eq!(told.code(), expected.code());
            return;
        }
        let mut found = Vec::new();
        let mut scanned = 0;
        let mut partitions: Vec<BTreeSet<Key>> = Vec::new();
        for segment in 0..total.unwrap_or(1) {
            let segment = total.map(|total| Segment { segment, total });
            let (items, visited) = self.scan_segment(&Scan { segment, ..request.clone() });
            partitions.push(self.check_order(request, &items));
            scanned += visited;
            found.extend(items);
        }
        let all: usize = partitions.iter().map(BTreeSet::len).sum();
        let together: BTreeSet<Key> = partitions.into_iter().flatten().collect();
        assert_eq!(together.len(), all, "a partition is in one segment");
        let table = &self.model.tables[&request.table];
        let index = request.index.as_ref().and_then(|name| table.index(name));
        let rows = table.rows(index);
        assert_eq!(scanned, u64::try_from(rows.len()).unwrap(), "how many items a scan visits");
        let holds = |item: &Item| request.filter.as_ref().is_none_or(|filter| filter.holds(item));
        let mut expected: Vec<Item> =
            rows.iter().map(|row| table.projected(index, row.item)).filter(holds).collect();
        let by_text = |item: &Item| format!("{:?}", table.place(None, item));
        expected.sort_by_key(by_text);
        found.sort_by_key(by_text);
        assert_eq!(found, expected, "what a scan of {} ({:?}) finds", request.table, request.index);
    }

    fn scan_segment(&mut self, request: &Scan) -> (Vec<Item>, u64) {
        let mut request = request.clone();
        let (mut items, mut scanned) = (Vec::new(), 0);
        loop {
            let page: PageOutput = self.perform(request.clone()).expect("a scan of a table that is there");
            let found = page.items.expect("items were asked for");
            assert_eq!(page.count, u64::try_from(found.len()).unwrap(), "the count is the number of items");
            if let Some(limit) = request.limit {
                let full = page.scanned_count == u64::from(limit);
                assert!(page.scanned_count <= u64::from(limit), "a page visits no more than its limit");
                assert!(full || self.heavy || page.last_evaluated_key.is_none(), "a short page is the last");
            }
            if request.filter.is_none() && page.last_evaluated_key.is_some() {
                let table = &self.model.tables[&request.table];
                let index = request.index.as_ref().and_then(|name| table.index(name));
                let last = found.last().map(|item| table.place(index, item));
                assert_eq!(page.last_evaluated_key, last, "a page ends at its last item");
            }
            scanned += page.scanned_count;
            items.extend(found);
            match page.last_evaluated_key {
                Some(last) => request.start_key = Some(last),
                None => return (items, scanned),
            }
        }
    }

    /// Checks that partitions come one after the other, each in order, and gives them.
    fn check_order(&self, request: &Scan, items: &[Item]) -> BTreeSet<Key> {
        let table = &self.model.tables[&request.table];
        let index = request.index.as_ref().and_then(|name| table.index(name));
        let orders: Vec<(Key, Key)> =
            items.iter().map(|item| table.partition_and_order(index, item)).collect();
        for pair in orders.windows(2) {
            assert!(pair[0].0 != pair[1].0 || pair[0].1 < pair[1].1, "a partition is in order: {pair:?}");
        }
        let mut partitions: Vec<Key> = orders.into_iter().map(|(partition, _)| partition).collect();
        partitions.dedup();
        let count = partitions.len();
        let partitions: BTreeSet<Key> = partitions.into_iter().collect();
        assert_eq!(partitions.len(), count, "a partition comes in one piece");
        partitions
    }

    pub(super) fn read_any_stream(&mut self) {
        if let Some((issued_at, iterator)) = self.iterator.take() {
            let answer = self.perform(GetRecords { iterator, limit: None });
            let expired = issued_at + Seconds(SHARD_ITERATOR_SECONDS) <= self.model.now;
            let refused = matches!(answer, Err(StoreError::ExpiredIterator(_)));
            assert_eq!(refused, expired, "an iterator is good for a quarter of an hour");
            self.see(sight::LATE_ITERATOR, expired);
        }
        let readable = self.model.history.readable();
        if !readable.is_empty() {
            let at = *self.dice.pick(&readable);
            self.read_stream(at);
        }
    }

    /// Reads all streams, and looks for those that must be gone.
    pub(super) fn check_streams(&mut self) {
        let readable = self.model.history.readable();
        let listed = self.perform(ListStreams::default()).expect("streams can be listed").streams;
        let expected: Vec<_> =
            readable.iter().map(|at| self.model.history.streams[*at].arn.clone()).collect();
        if expected.len() <= 100 {
            assert_eq!(listed.into_iter().map(|stream| stream.arn).collect::<Vec<_>>(), expected);
        }
        readable.into_iter().for_each(|at| self.read_stream(at));
    }

    /// Reads a stream from its beginning or from a record known from before.
    fn read_stream(&mut self, at: usize) {
        let stream = &self.model.history.streams[at];
        let (arn, ended, now) = (stream.arn.clone(), stream.ended, self.model.now);
        let known = stream.known(now);
        let (start, count) = match self.dice.below(6) {
            0 => (IteratorStart::Latest, 0),
            1 if !known.is_empty() => {
                let (sequence, count) = self.dice.pick(&known).clone();
                (IteratorStart::At(sequence), count)
            }
            2 if !known.is_empty() => {
                let (sequence, count) = self.dice.pick(&known).clone();
                (IteratorStart::After(sequence), count - 1)
            }
            _ => (IteratorStart::TrimHorizon, stream.visible(now)),
        };
        let (table, view) = (stream.table.clone(), stream.view);
        let described = self.perform(DescribeStream { arn: arn.clone(), ..DescribeStream::default() });
        let described = described.expect("the stream is there");
        assert_eq!((described.table, described.view), (table, view), "what a stream is");
        assert_eq!(
            described.status == StreamStatus::Disabled,
            ended.is_some(),
            "whether the stream has ended"
        );
        let shard = described.shards[0].id.clone();
        if let Some(trimmed) = self.model.history.streams[at].trimmed.clone() {
            let (arn, shard, start) = (arn.clone(), shard.clone(), IteratorStart::After(trimmed));
            let answer = self.perform(GetShardIterator { arn, shard, start });
            assert!(
                matches!(answer, Err(StoreError::TrimmedDataAccess(_))),
                "a record of yesterday: {answer:?}"
            );
            self.see(sight::YESTERDAY, true);
        }
        let iterator = self.perform(GetShardIterator { arn, shard, start }).expect("the record is there");
        let mut next = Some(iterator.iterator);
        let mut told = Vec::new();
        while let Some(iterator) = next {
            let limit = self.dice.maybe(50, |dice| u32::try_from(1 + dice.below(200)).unwrap());
            let page = self.perform(GetRecords { iterator, limit }).expect("records can be read");
            let done = page.records.is_empty();
            told.extend(page.records);
            next = page.next_iterator;
            assert!(next.is_some() || ended.is_some(), "a stream that records has no end");
            if done {
                break;
            }
        }
        self.iterator = next.map(|iterator| (now, iterator));
        assert_eq!(told.len(), count, "how many records the stream has from there on");
        self.model.history.streams[at].check(&told);
    }

    /// A stream that ended a day ago is gone after upkeep.
    pub(super) fn check_forgotten(&mut self) {
        let forgotten = self.model.history.streams.iter().find(|stream| stream.forgotten);
        if let Some(arn) = forgotten.map(|stream| stream.arn.clone()) {
            let answer = self.perform(DescribeStream { arn, ..DescribeStream::default() });
            assert!(matches!(answer, Err(StoreError::ResourceNotFound(_))), "the stream is gone");
            self.see(sight::FORGOTTEN, true);
        }
    }
}
