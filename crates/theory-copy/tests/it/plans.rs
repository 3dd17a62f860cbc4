//! What is refused before anything changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyType, TableStatus};
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::CreateTable;
use tabletheory_core::{Request, Response, Store, StoreError, StoreExt as _};
use theory_copy::plan::Target;
use theory_copy::{Error, Plan, Side};

use crate::world::{arc, copy, fill, make, pair, run, side};

async fn plan(from: &TestStore, to: &TestStore, into_existing: bool) -> Result<Plan, Error> {
    Plan::make(&side(from, "a"), &side(to, "b"), &[pair("users", "users")], None, into_existing).await
}

#[tokio::test]
async fn a_target_with_items_is_refused_with_its_name_and_count() {
    let (from, to) = (TestStore::new(), TestStore::new());
    make(&arc(&from), "users", None).await;
    make(&arc(&to), "users", None).await;
    assert_eq!(plan(&from, &to, false).await.unwrap().tables[0].target, Target::Empty);
    fill(&to, "users", 3).await;
    let refused = plan(&from, &to, false).await.unwrap_err();
    assert_eq!(refused.to_string(), "the table \"users\" in b is not empty: it holds about 3 items");
    assert_eq!(plan(&from, &to, true).await.unwrap().tables[0].target, Target::HasItems);
    assert_eq!(to.count("BatchWriteItem") + to.count("CreateTable"), 2, "only what the test did itself");
}

/// A store whose tables are being made for so many more descriptions, and cannot be read before.
#[derive(Debug)]
struct StillMaking(TestStore, AtomicU32);

impl Store for StillMaking {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            let left = self.1.load(Ordering::SeqCst);
            if matches!(request, Request::Scan(_)) && left > 0 {
                return Err(StoreError::ResourceNotFound("Requested resource not found".to_owned()));
            }
            let mut response = self.0.call(request).await?;
            if let Response::DescribeTable(described) = &mut response
                && left > 0
            {
                self.1.store(left - 1, Ordering::SeqCst);
                described.table.status = TableStatus::Creating;
            }
            Ok(response)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_target_that_is_being_made_is_waited_for() {
    let (from, to) = (TestStore::new(), TestStore::new());
    make(&arc(&from), "users", None).await;
    make(&arc(&to), "users", None).await;
    let slow = |left| {
        let store = StillMaking(to.clone(), AtomicU32::new(left));
        Side::new(Arc::new(store), "b").with_patience(Duration::from_secs(60))
    };
    let pairs = [pair("users", "users")];
    let plan = Plan::make(&side(&from, "a"), &slow(5), &pairs, None, false).await.unwrap();
    assert_eq!(plan.tables[0].target, Target::Empty);
    let never = Plan::make(&side(&from, "a"), &slow(u32::MAX), &pairs, None, false).await.unwrap_err();
    let source = std::error::Error::source(&never).unwrap().to_string();
    assert_eq!(source, "the table `users` was still being made after 60 seconds");
}

#[tokio::test]
async fn a_target_with_another_key_is_refused() {
    let (from, to) = (TestStore::new(), TestStore::new());
    make(&arc(&from), "users", None).await;
    let other = CreateTable {
        table: "users".into(),
        attributes: vec![AttributeDefinition { name: "id".into(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("id")],
        billing: tabletheory_core::schema::BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    to.create_table(other).await.unwrap();
    let refused = plan(&from, &to, true).await.unwrap_err().to_string();
    assert_eq!(refused, "the table \"users\" in b cannot take these items: its key is (id), not (pk, n)");
}

#[tokio::test]
async fn what_differs_and_does_no_harm_is_told() {
    let (from, to) = (TestStore::new(), TestStore::new());
    make(&arc(&from), "users", Some("ends")).await;
    let mut bare = crate::world::request("users");
    bare.global_indexes.clear();
    bare.billing = tabletheory_core::schema::BillingMode::PayPerRequest;
    to.create_table(bare).await.unwrap();
    let plan = plan(&from, &to, false).await.unwrap();
    let told: Vec<String> = plan.tables[0].differences.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["the global index `by_city` is missing", "items do not expire by `ends`"]);
}

#[tokio::test]
async fn a_table_that_is_missing_or_would_meet_itself_is_refused() {
    let (from, to) = (TestStore::new(), TestStore::new());
    let missing = plan(&from, &to, false).await.unwrap_err().to_string();
    assert_eq!(missing, "there is no table \"users\" in a");
    make(&arc(&from), "users", None).await;
    make(&arc(&from), "more", None).await;
    let itself = plan(&from, &from, true).await.unwrap_err();
    assert!(matches!(itself, Error::Itself { .. }), "{itself}");
    let (a, b) = (side(&from, "a"), side(&to, "b"));
    let twice =
        Plan::make(&a, &b, &[pair("users", "same"), pair("more", "same")], None, false).await.unwrap_err();
    assert!(matches!(twice, Error::SameTarget { .. }), "{twice}");
    let none = Plan::make(&a, &b, &[], None, false).await.unwrap_err();
    assert!(matches!(none, Error::NoTables { .. }), "{none}");
}

#[tokio::test]
async fn who_may_not_enter_changes_nothing() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 30).await;
    let denied = StoreError::AccessDenied("The security token included in the request is invalid.".into());
    to.trouble("DescribeTable", Trouble::Refused(denied));
    let copy = copy(side(&from, "a"), side(&to, "b"));
    let refused = run(&copy, &[pair("users", "users")], &folder.path().join("journal")).await.unwrap_err();
    assert!(matches!(refused.store_error(), Some(StoreError::AccessDenied(_))), "{refused}");
    assert!(refused.to_string().contains("\"users\" in b"), "{refused}");
    assert_eq!(to.calls().len(), to.count("DescribeTable"), "nothing else was asked");
}
