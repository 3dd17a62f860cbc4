//! Copies: everything arrives, trouble passes, what was stopped goes on, and what differs is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{DescribeTable, DescribeTimeToLive, StreamUpdate, UpdateTable};
use tabletheory_core::{Item, StoreError, StoreExt as _, Value};
use tabletheory_engine::{Engine, Settings};
use theory_copy::pace::Rate;
use theory_copy::plan::Target;
use theory_copy::{Error, Event, Journal, Plan, Side};

use crate::world::{arc, copy, fill, item, items, make, pair, put, request, resume, run, side};

/// An item with every type, and numbers of 38 digits.
fn everything() -> Item {
    let number = |text: &str| Value::N(text.parse().unwrap());
    Item::from([
        ("pk", Value::s("every \u{0} type \u{1f600}")),
        ("n", number("-12345678901234567890123456789012345678")),
        ("large", number("9.9999999999999999999999999999999999999E+125")),
        ("small", number("1E-130")),
        ("bytes", Value::B(vec![0, 255, 10])),
        ("empty", Value::s("")),
        ("truth", Value::from(true)),
        ("none", Value::Null),
        ("list", Value::L(vec![Value::n(1), Value::L(Vec::new()), Value::M(Item::new())])),
        ("map", Value::M(Item::from([("ä.b-c", Value::s("x")), (" ", Value::Null)]))),
        ("texts", Value::Ss(["b".to_owned(), "a".to_owned()].into())),
        ("numbers", Value::Ns([1.into(), 2.into()].into())),
        ("binaries", Value::Bs([vec![1], vec![]].into())),
    ])
}

#[tokio::test]
async fn every_attribute_arrives_and_the_target_is_like_its_source() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", Some("ends")).await;
    fill(&from, "users", 700).await;
    put(&from, "users", everything()).await;
    // As large as an item can be.
    let mut giant = item(9999);
    giant.insert("text", Value::s("x".repeat(400 * 1024 - 100)));
    put(&from, "users", giant).await;

    let journal = folder.path().join("journal");
    let reports =
        run(&copy(side(&from, "a"), side(&to, "b")), &[pair("users", "people")], &journal).await.unwrap();
    let [report] = &reports[..] else { panic!("one table") };
    let comparison = report.comparison.as_ref().unwrap();
    assert_eq!((report.copied.unwrap().written, comparison.to.items), (702, 702));
    assert!(report.is_equal() && comparison.from.checksum() == comparison.to.checksum());
    assert_eq!(items(&from, "users").await, items(&to, "people").await);

    let made = to.describe_table(DescribeTable { table: "people".into() }).await.unwrap().table;
    assert_eq!(made.keys, request("").keys);
    assert_eq!(
        (&made.local_indexes[0].name, &made.global_indexes[0].name),
        (&"local".into(), &"by_city".into())
    );
    let ttl = to.describe_time_to_live(DescribeTimeToLive { table: "people".into() }).await.unwrap();
    assert_eq!(ttl.attribute.as_deref(), Some("ends"));
    assert!(made.stream.is_none(), "nobody asked for a stream");
    assert!(!journal.exists(), "a copy that came to its end needs no journal");
}

#[tokio::test]
async fn ten_tables_go_one_after_the_other_and_an_empty_one_is_made_too() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    let names: Vec<String> = (0..10).map(|number| format!("table-{number}")).collect();
    for (at, name) in names.iter().enumerate() {
        make(&arc(&from), name, None).await;
        fill(&from, name, i64::try_from(at).unwrap() * 30).await;
    }
    let pairs: Vec<_> = names.iter().map(|name| pair(name, name)).collect();
    let copy = copy(side(&from, "a"), side(&to, "b"));
    let reports = run(&copy, &pairs, &folder.path().join("journal")).await.unwrap();
    assert_eq!(reports.len(), 10);
    for (at, (report, name)) in reports.iter().zip(&names).enumerate() {
        assert_eq!(report.copied.unwrap().written, u64::try_from(at).unwrap() * 30);
        assert_eq!(items(&from, name).await, items(&to, name).await);
    }
}

#[tokio::test(start_paused = true)]
async fn trouble_that_passes_is_waited_out() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 500).await;
    for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostAnswer, Trouble::LostRequest] {
        from.trouble("Scan", trouble.clone());
        from.trouble("DescribeTable", trouble.clone());
        to.trouble("DescribeTable", trouble.clone());
        to.trouble("CreateTable", trouble.clone());
        to.trouble("BatchWriteItem", trouble);
    }
    for left in [25, 7, 1, 24] {
        to.trouble("BatchWriteItem", Trouble::Unprocessed(left));
    }
    to.trouble("BatchWriteItem", Trouble::Slow(Duration::from_secs(2)));
    let copy = copy(side(&from, "a"), side(&to, "b"));
    let reports = run(&copy, &[pair("users", "users")], &folder.path().join("journal")).await.unwrap();
    assert!(reports[0].is_equal());
    assert_eq!(reports[0].copied.unwrap().written, 500);
}

#[tokio::test]
async fn a_copy_that_was_stopped_goes_on_where_it_was() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", Some("ends")).await;
    fill(&from, "users", 3000).await;
    let (path, copy) = (folder.path().join("journal"), copy(side(&from, "a"), side(&to, "b")));
    let refused = Trouble::Refused(StoreError::AccessDenied("not now".into()));

    // Before the target is there, while items are copied, and while tables are compared.
    to.trouble("CreateTable", refused.clone());
    let stopped = run(&copy, &[pair("users", "users")], &path).await.unwrap_err();
    assert!(matches!(stopped, Error::Table { .. }), "{stopped}");
    for _ in 0..60 {
        to.trouble("BatchWriteItem", Trouble::Slow(Duration::ZERO));
    }
    to.trouble("BatchWriteItem", refused.clone());
    let stopped = resume(&copy, &path).await.unwrap_err();
    assert!(matches!(stopped.store_error(), Some(StoreError::AccessDenied(_))), "{stopped}");
    let copied = items(&to, "users").await.len();
    assert!((1000..3000).contains(&copied), "{copied}");

    to.forget_calls();
    to.trouble("Scan", refused);
    assert!(resume(&copy, &path).await.is_err());
    let batches = to.count("BatchWriteItem");
    assert!(
        batches * 25 < 3000 - 500,
        "what was copied before is not copied again, but for a page: {batches}"
    );

    to.forget_calls();
    let reports = resume(&copy, &path).await.unwrap();
    assert_eq!(to.count("BatchWriteItem"), 0, "everything was copied before");
    assert!(reports[0].is_equal() && reports[0].copied.unwrap().written == 3000);
    let ttl = to.describe_time_to_live(DescribeTimeToLive { table: "users".into() }).await.unwrap();
    assert_eq!(ttl.attribute.as_deref(), Some("ends"), "it is switched on at the end, also of the last run");
}

#[tokio::test]
async fn a_table_that_was_made_anew_is_not_gone_on_with() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 600).await;
    let (path, copy) = (folder.path().join("journal"), copy(side(&from, "a"), side(&to, "b")));
    to.trouble("BatchWriteItem", Trouble::Refused(StoreError::AccessDenied("not now".into())));
    run(&copy, &[pair("users", "users")], &path).await.unwrap_err();
    let delete = tabletheory_core::store::op::DeleteTable { table: "users".into() };
    to.delete_table(delete).await.unwrap();
    let gone = resume(&copy, &path).await.unwrap_err();
    assert!(matches!(gone, Error::Replaced { .. }), "{gone}");
    make(&arc(&to), "users", None).await;
    let other = resume(&copy, &path).await.unwrap_err();
    assert!(matches!(&other, Error::Replaced { store, .. } if store == "b"), "{other}");
}

#[tokio::test(start_paused = true)]
async fn each_side_is_waited_for_as_long_as_it_may_need() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 100).await;
    let (patient, impatient) = (Duration::from_secs(300), Duration::from_millis(200));
    let mut copy = copy(side(&from, "a").with_patience(patient), side(&to, "b").with_patience(impatient));
    copy.segments = 1;
    (0..12).for_each(|_| from.trouble("Scan", Trouble::Throttled));
    let reports = run(&copy, &[pair("users", "users")], &folder.path().join("journal")).await.unwrap();
    assert!(reports[0].is_equal());
}

#[tokio::test]
async fn a_stream_begins_when_everything_is_there() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    let stream = Some(StreamUpdate::Enable(StreamView::NewAndOldImages));
    from.update_table(UpdateTable { table: "users".into(), stream, ..UpdateTable::default() }).await.unwrap();
    fill(&from, "users", 60).await;
    let mut copy = copy(side(&from, "a"), side(&to, "b"));
    copy.with_streams = true;
    run(&copy, &[pair("users", "users")], &folder.path().join("journal")).await.unwrap();
    let made = to.describe_table(DescribeTable { table: "users".into() }).await.unwrap().table;
    assert!(made.stream.is_some_and(|stream| stream.enabled && stream.view == StreamView::NewAndOldImages));
}

#[tokio::test(start_paused = true)]
async fn a_rate_is_kept() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 500).await;
    let mut copy = copy(side(&from, "a"), side(&to, "b"));
    copy.rate = Rate { items: Some(100), units: None };
    let began = tokio::time::Instant::now();
    run(&copy, &[pair("users", "users")], &folder.path().join("journal")).await.unwrap();
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(4700) && took < Duration::from_secs(7), "{took:?}");
}

#[tokio::test]
async fn a_copy_between_folders_is_told_as_it_goes_and_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| Engine::open(folder.path().join(name), Settings::default()).unwrap();
    let (from, to) = (open("from"), open("to"));
    let store: Arc<dyn tabletheory_core::Store> = Arc::new(from.clone());
    make(&store, "users", None).await;
    fill(&from, "users", 1000).await;
    let path = folder.path().join("journal");
    let copy = copy(Side::new(store, "from"), Side::new(Arc::new(to.clone()), "to"));
    let mut journal = Journal::begin(&path, "from", "to").unwrap();
    let pairs = [pair("users", "users")];
    let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), false).await.unwrap();
    assert_eq!((plan.items(), plan.tables[0].target), (1000, Target::Missing));
    let (copied, read) = (AtomicU64::new(0), AtomicU64::new(0));
    let tell = |event: Event<'_>| match event {
        Event::Copied(progress) => copied.store(progress.written, Ordering::Relaxed),
        Event::Read(items) => drop(read.fetch_add(items, Ordering::Relaxed)),
        _ => {}
    };
    copy.run(plan, &mut journal, &tell).await.unwrap();
    assert_eq!((copied.into_inner(), read.into_inner()), (1000, 2000));
    journal.finish().unwrap();
    drop(copy);
    to.close().unwrap();
    assert_eq!(items(&open("to"), "users").await.len(), 1000);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        "[ -~é\u{0}]{0,12}".prop_map(Value::s),
        any::<i64>().prop_map(Value::n),
        any::<Vec<u8>>().prop_map(Value::B),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        proptest::collection::btree_set("[a-z]{1,4}", 1..4).prop_map(Value::Ss),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::L),
            proptest::collection::vec(("[a-z]{1,3}", inner), 0..3)
                .prop_map(|members| Value::M(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_is_copied_is_found_equal(
        attributes in proptest::collection::vec(proptest::collection::vec(("[a-z]{3,5}", values()), 0..4), 0..60),
        segments in 1..9_u32,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
            make(&arc(&from), "users", None).await;
            for (number, attributes) in attributes.into_iter().enumerate() {
                let mut item: Item = attributes.into_iter().collect();
                item.insert("pk", Value::s(format!("p{}", number % 5)));
                item.insert("n", Value::n(i64::try_from(number).unwrap()));
                put(&from, "users", item).await;
            }
            let mut copy = copy(side(&from, "a"), side(&to, "b"));
            copy.segments = segments;
            let reports = run(&copy, &[pair("users", "users")], &folder.path().join("journal")).await.unwrap();
            assert!(reports[0].is_equal());
            assert_eq!(items(&from, "users").await, items(&to, "users").await);
        });
    }
}
