//! The table whose stream is read, and its model.

use std::sync::Arc;

use tabletheory::Model;
use tabletheory::stream::{DecodeError, Decoder, ReadError, Reader, Record};
use tabletheory::testing::TestStore;
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{
    CreateTable, DeleteItem, PutItem, StreamRecord, StreamUpdate, UpdateTable, UpdateTimeToLive,
};
use tabletheory_core::{Item, Store, StoreExt};

pub(super) const TABLE: &str = "app";

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{user}", sk = "VISIT#{page}")]
pub(super) struct Visit {
    pub(super) user: String,
    pub(super) page: String,
    pub(super) count: u64,
    #[model(ttl)]
    pub(super) ends: Option<u64>,
}

pub(super) fn visit(user: &str, count: u64) -> Visit {
    Visit { user: user.to_owned(), page: "home".to_owned(), count, ends: None }
}

/// A store with the table and its stream.
pub(super) async fn world(view: StreamView) -> Arc<TestStore> {
    let store = Arc::new(TestStore::new());
    create(&*store, view).await;
    store
}

pub(super) async fn create(store: &dyn Store, view: StreamView) {
    let table = CreateTable { stream: Some(view), ..Visit::SCHEMA.create_table(TABLE) };
    store.create_table(table).await.unwrap();
    let ttl = UpdateTimeToLive { table: TABLE.to_owned(), attribute: "ends".to_owned(), enabled: true };
    store.update_time_to_live(ttl).await.unwrap();
}

pub(super) async fn put(store: &dyn Store, visit: &Visit) {
    put_item(store, visit.to_item().unwrap()).await;
}

pub(super) async fn put_item(store: &dyn Store, item: Item) {
    let put = PutItem { table: TABLE.to_owned(), item, ..PutItem::default() };
    store.put_item(put).await.unwrap();
}

pub(super) async fn delete(store: &dyn Store, visit: &Visit) {
    let key = visit.key_of().into_item().unwrap();
    store.delete_item(DeleteItem { table: TABLE.to_owned(), key, ..DeleteItem::default() }).await.unwrap();
}

pub(super) async fn set_stream(store: &dyn Store, stream: StreamUpdate) {
    let update = UpdateTable { table: TABLE.to_owned(), stream: Some(stream), ..UpdateTable::default() };
    store.update_table(update).await.unwrap();
}

pub(super) async fn reader(store: &Arc<TestStore>) -> Reader {
    let clock = store.clock();
    Reader::of_table(Arc::clone(store) as _, TABLE).await.unwrap().with_clock(clock)
}

/// Everything that can be read now.
pub(super) async fn drain(reader: &mut Reader) -> Result<Vec<StreamRecord>, ReadError> {
    let mut records = Vec::new();
    while let Some(batch) = reader.try_next().await? {
        records.extend(batch.records);
    }
    Ok(records)
}

/// Everything that can be read now, as visits.
pub(super) async fn visits(store: &Arc<TestStore>) -> Vec<Result<Record<Visit>, DecodeError>> {
    let records = drain(&mut reader(store).await).await.unwrap();
    Decoder::new().decode_all(&records).await
}

/// The visits' counts as they were written, in order.
pub(super) fn counts(records: &[StreamRecord]) -> Vec<u64> {
    let count = |record: &StreamRecord| Visit::from_item(record.new_image.clone().unwrap()).unwrap().count;
    records.iter().map(count).collect()
}
