//! Trouble looks as it does in life, and leaves behind what it leaves behind in life.

use futures_executor::block_on;
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{
    BatchGetItem, BatchWrite, BatchWriteItem, CreateTable, GetItem, KeysAndProjection, PutItem,
    TransactAction, TransactWrite, TransactWriteItems, UpdateTimeToLive,
};
use tabletheory_core::{Item, Operation, Seconds, StoreError, StoreExt, Value};

use super::{TestStore, Trouble};

const TABLE: &str = "pages";

fn run<O: Operation>(store: &TestStore, operation: O) -> Result<O::Output, StoreError> {
    block_on(store.send(operation))
}

fn store() -> TestStore {
    let store = TestStore::new();
    let table = CreateTable {
        table: TABLE.to_owned(),
        attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("pk")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    run(&store, table).expect("the table is made");
    store.forget_calls();
    store
}

fn put(item: Item) -> PutItem {
    PutItem { table: TABLE.to_owned(), item, ..PutItem::default() }
}

fn page() -> Item {
    Item::from([("pk", "a")])
}

fn is_there(store: &TestStore) -> bool {
    let get = GetItem { table: TABLE.to_owned(), key: page(), ..GetItem::default() };
    run(store, get).expect("it is read").item.is_some()
}

#[test]
fn a_lost_answer_leaves_the_write_and_a_lost_request_does_not() {
    for (trouble, is_written) in [(Trouble::LostAnswer, true), (Trouble::LostRequest, false)] {
        let store = store();
        store.trouble("PutItem", trouble);
        assert!(run(&store, put(page())).expect_err("the answer is lost").is_ambiguous());
        assert_eq!(is_there(&store), is_written);
    }
}

#[test]
fn a_batch_can_be_left_half_done_and_tells_what_is_left() {
    let store = store();
    store.trouble("BatchWriteItem", Trouble::Unprocessed(1));
    let writes = ["a", "b"].map(|pk| BatchWrite::Put(Item::from([("pk", pk)])));
    let tables = [(TABLE.to_owned(), writes.to_vec())].into();
    let output = run(&store, BatchWriteItem { tables, ..BatchWriteItem::default() }).expect("it is answered");
    assert_eq!(output.unprocessed, [(TABLE.to_owned(), writes[1..].to_vec())].into());
    assert!(is_there(&store));
    let keys = KeysAndProjection { keys: vec![page()], ..KeysAndProjection::default() };
    let get = BatchGetItem { tables: [(TABLE.to_owned(), keys)].into(), ..BatchGetItem::default() };
    store.trouble("BatchGetItem", Trouble::Unprocessed(usize::MAX));
    let output = run(&store, get.clone()).expect("it is answered");
    assert_eq!((output.unprocessed, output.items.len()), (get.tables, 0));
}

#[test]
fn refusals_change_nothing_and_say_so() {
    let refused = StoreError::LimitExceeded("too many tables".to_owned());
    for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::Conflict, Trouble::Refused(refused)] {
        let store = store();
        store.trouble("PutItem", trouble.clone());
        let error = run(&store, put(page())).expect_err("there is trouble");
        assert!(!error.is_ambiguous(), "{trouble:?}");
        assert!(!is_there(&store), "{trouble:?}");
        run(&store, put(page())).expect("trouble comes once");
    }
}

#[test]
fn troubles_wait_for_their_operation_in_order() {
    let store = store();
    store.trouble("PutItem", Trouble::Throttled);
    store.trouble("PutItem", Trouble::NotReached);
    assert!(!is_there(&store), "other operations are not meant");
    assert!(matches!(run(&store, put(page())), Err(StoreError::Throttling(_))));
    assert!(matches!(run(&store, put(page())), Err(StoreError::Unavailable(_))));
    assert!(run(&store, put(page())).is_ok());
    assert_eq!((store.count("PutItem"), store.count("GetItem"), store.calls().len()), (3, 1, 4));
}

#[test]
fn a_transaction_in_conflict_is_cancelled_with_reasons() {
    let store = store();
    store.trouble("TransactWriteItems", Trouble::Conflict);
    let write = |name: &str| TransactWrite {
        table: TABLE.to_owned(),
        action: TransactAction::Put { item: Item::from([("pk", name)]) },
        condition: None,
        on_condition_failure: Default::default(),
    };
    let transaction =
        TransactWriteItems { writes: vec![write("a"), write("b")], ..TransactWriteItems::default() };
    let error = run(&store, transaction).expect_err("there is a conflict");
    assert!(error.is_retryable());
    let StoreError::TransactionCanceled { reasons } = error else { panic!("{error}") };
    assert_eq!(
        reasons.iter().map(|reason| reason.code.name()).collect::<Vec<_>>(),
        ["TransactionConflict", "None"]
    );
}

#[test]
fn time_brings_what_it_brings_when_the_clock_moves() {
    let store = store();
    let ttl = UpdateTimeToLive { table: TABLE.to_owned(), attribute: "ttl".to_owned(), enabled: true };
    run(&store, ttl).expect("items expire");
    let mut item = page();
    item.insert("ttl", Value::n(1_704_067_200 + 60));
    run(&store, put(item)).expect("it is written");
    store.advance(Seconds(30));
    assert!(is_there(&store));
    store.advance(Seconds(31));
    assert!(!is_there(&store));
}

#[test]
#[should_panic(expected = "there is no operation PutItems")]
fn trouble_for_nobody_is_a_mistake_in_the_test() {
    TestStore::new().trouble("PutItems", Trouble::Throttled);
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_takes_its_time_and_is_then_performed() {
    let store = TestStore::new();
    store.trouble("ListTables", Trouble::Slow(std::time::Duration::from_secs(3)));
    let begun = tokio::time::Instant::now();
    assert!(store.list_tables(tabletheory_core::store::op::ListTables::default()).await.is_ok());
    assert_eq!(begun.elapsed().as_secs(), 3);
}
