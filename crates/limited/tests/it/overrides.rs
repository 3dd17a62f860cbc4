//! Limits of somebody's own: found in one call, remembered for a minute, and never mistaken for another's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_executor::block_on;
use limited::{Error, Limit, Overrides, Policy, RateLimitRecord, Subject, Whose};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::PutItem;
use tabletheory_core::{Item, Request, Seconds, Store, StoreError, StoreExt, Value};

const OWN: Limit = Limit::per_second(7).burst(9);
const TENANT: Limit = Limit::per_minute(500).sliding_window();

async fn world() -> (TestStore, Overrides, Policy) {
    let store = TestStore::new();
    RateLimitRecord::ensure_table(&store.db()).await.unwrap();
    store.forget_calls();
    let policy = Policy::new("api", [Limit::per_second(1)]).unwrap().with_overrides();
    (store.clone(), Overrides::new(store.db()), policy)
}

fn ada() -> Subject<'static> {
    Subject::new("user:ada").tenant("acme")
}

async fn effective(overrides: &Overrides, policy: &Policy, subject: Subject<'_>) -> Option<Vec<Limit>> {
    overrides.effective(policy, &subject).await.unwrap().map(|limits| limits.to_vec())
}

#[test]
fn their_own_limits_come_before_their_tenants_and_those_before_none() {
    block_on(async {
        let (_, overrides, policy) = world().await;
        assert_eq!(effective(&overrides, &policy, ada()).await, None);
        overrides.set(&policy, Whose::Tenant("acme"), &[TENANT]).await.unwrap();
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![TENANT]));
        overrides.set(&policy, Whose::Identifier("user:ada"), &[OWN, TENANT]).await.unwrap();
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![OWN, TENANT]));
        assert_eq!(
            effective(&overrides, &policy, Subject::new("user:bob").tenant("acme")).await,
            Some(vec![TENANT])
        );
        assert_eq!(effective(&overrides, &policy, Subject::new("user:bob")).await, None);
        overrides.remove(&policy, Whose::Identifier("user:ada")).await.unwrap();
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![TENANT]));
    });
}

#[test]
fn both_are_read_in_one_call_and_remembered_for_a_minute_also_that_there_are_none() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        let theirs = Overrides::new(store.db());
        for _ in 0..10 {
            assert_eq!(effective(&overrides, &policy, ada()).await, None);
        }
        assert_eq!((store.count("BatchGetItem"), store.calls().len()), (1, 1));
        theirs.set(&policy, Whose::Identifier("user:ada"), &[OWN]).await.unwrap();
        store.advance(Seconds(59));
        assert_eq!(effective(&overrides, &policy, ada()).await, None);
        assert_eq!(store.count("BatchGetItem"), 1);
        store.advance(Seconds(1));
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![OWN]));
        assert_eq!(store.count("BatchGetItem"), 2);
    });
}

#[test]
fn a_tenant_that_is_known_is_not_read_again_for_each_of_its_users() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        for user in 0..5 {
            let identifier = format!("user:{user}");
            assert_eq!(effective(&overrides, &policy, Subject::new(&identifier).tenant("acme")).await, None);
        }
        let keys = store.calls().into_iter().map(|call| match call {
            Request::BatchGetItem(batch) => batch.tables["rate-limits"].keys.len(),
            other => panic!("{other:?}"),
        });
        assert_eq!(keys.collect::<Vec<_>>(), [2, 1, 1, 1, 1]);
    });
}

#[test]
fn a_clock_that_is_set_back_does_not_keep_what_is_old() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        assert_eq!(effective(&overrides, &policy, ada()).await, None);
        Overrides::new(store.db()).set(&policy, Whose::Identifier("user:ada"), &[OWN]).await.unwrap();
        store.advance(Seconds(-3_600));
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![OWN]));
    });
}

#[test]
fn a_tenant_cannot_pass_for_an_identifier_nor_one_policy_for_another() {
    block_on(async {
        let (_, overrides, policy) = world().await;
        let other = Policy::new("web", [Limit::per_second(1)]).unwrap();
        overrides.set(&policy, Whose::Tenant("acme"), &[TENANT]).await.unwrap();
        assert_eq!(effective(&overrides, &policy, Subject::new("acme")).await, None);
        assert_eq!(effective(&overrides, &other, ada()).await, None);
        overrides.set(&policy, Whose::Identifier("acme"), &[OWN]).await.unwrap();
        assert_eq!(
            overrides.get(&policy, Whose::Tenant("acme")).await.unwrap().as_deref(),
            Some(&[TENANT][..])
        );
        let both = Subject::new("acme").tenant("acme");
        assert_eq!(effective(&overrides, &policy, both).await, Some(vec![OWN]));
    });
}

#[test]
fn an_override_stands_in_the_table_as_it_is_written_in_settings() {
    block_on(async {
        let (_, overrides, policy) = world().await;
        overrides.set(&policy, Whose::Identifier("user:ada"), &[OWN, TENANT]).await.unwrap();
        let got = overrides.get(&policy, Whose::Identifier("user:ada")).await.unwrap();
        assert_eq!(got.as_deref(), Some(&[OWN, TENANT][..]));
        assert_eq!(overrides.get(&policy, Whose::Identifier("user:bob")).await.unwrap(), None);
    });
}

#[test]
fn limits_that_cannot_be_and_nobody_are_refused_before_the_store_is_asked() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        let whose = Whose::Identifier("user:ada");
        let refused = overrides.set(&policy, whose, &[Limit::per_second(0)]).await;
        assert!(matches!(refused, Err(Error::Limit { .. })));
        assert!(matches!(overrides.set(&policy, whose, &[]).await, Err(Error::Policy { .. })));
        let nobody = overrides.set(&policy, Whose::Tenant(""), &[OWN]).await;
        assert!(matches!(nobody, Err(Error::NoIdentifier)));
        assert!(matches!(overrides.effective(&policy, &"".into()).await, Err(Error::NoIdentifier)));
        assert!(store.calls().is_empty());
        assert_eq!(effective(&overrides, &policy, Subject::new("user:ada").tenant("")).await, None);
    });
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_the_row_and_is_remembered_too() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        let item = Item::from([
            ("Identifier", Value::s("api#user:ada")),
            ("WindowTime", Value::s("OVERRIDE")),
            ("Limits", Value::L(vec![Value::s("plenty")])),
        ]);
        store.put_item(PutItem { table: "rate-limits".into(), item, ..PutItem::default() }).await.unwrap();
        store.forget_calls();
        for _ in 0..3 {
            let error = overrides.effective(&policy, &ada()).await.expect_err("it is no limit");
            let said = error.to_string();
            assert!(
                matches!(error, Error::Row(_)) && said.contains("`OVERRIDE` of the policy `api`"),
                "{said}"
            );
            assert!(!said.contains("ada"), "{said}");
        }
        assert_eq!(store.calls().len(), 1);
        assert!(matches!(overrides.get(&policy, Whose::Identifier("user:ada")).await, Err(Error::Row(_))));
        overrides.set(&policy, Whose::Identifier("user:ada"), &[OWN]).await.unwrap();
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![OWN]));
    });
}

#[test]
fn a_store_that_fails_or_leaves_a_part_is_an_error_and_nothing_is_remembered() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        for trouble in [Trouble::NotReached, Trouble::Unprocessed(1), Trouble::LostAnswer] {
            store.trouble("BatchGetItem", trouble);
            assert!(matches!(overrides.effective(&policy, &ada()).await, Err(Error::Store(_))));
        }
        assert_eq!(effective(&overrides, &policy, ada()).await, None);
        assert_eq!(store.count("BatchGetItem"), 4);
    });
}

#[test]
fn an_override_whose_answer_was_lost_is_not_hidden_by_what_is_remembered() {
    block_on(async {
        let (store, overrides, policy) = world().await;
        assert_eq!(effective(&overrides, &policy, ada()).await, None);
        store.trouble("PutItem", Trouble::LostAnswer);
        store.trouble("PutItem", Trouble::NotReached);
        assert!(overrides.set(&policy, Whose::Identifier("user:ada"), &[OWN]).await.is_err());
        assert_eq!(effective(&overrides, &policy, ada()).await, Some(vec![OWN]));
    });
}

#[tokio::test(start_paused = true)]
async fn requests_that_miss_it_together_wait_for_one_call() {
    let (store, overrides, policy) = world().await;
    overrides.set(&policy, Whose::Tenant("acme"), &[TENANT]).await.unwrap();
    store.trouble("BatchGetItem", Trouble::Slow(Duration::from_millis(50)));
    let asked = (0..100).map(|_| {
        let (overrides, policy) = (overrides.clone(), policy.clone());
        tokio::spawn(async move { effective(&overrides, &policy, ada()).await })
    });
    for answer in asked.collect::<Vec<_>>() {
        assert_eq!(answer.await.unwrap(), Some(vec![TENANT]));
    }
    assert_eq!(store.count("BatchGetItem"), 1);
}

/// A store that takes its time to say that it is down.
#[derive(Debug, Clone, Default)]
struct SlowlyDown(Arc<AtomicUsize>);

impl Store for SlowlyDown {
    fn call(&self, _: Request) -> StoreFuture<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Err(StoreError::Unavailable("connection refused".into()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_waited_for_a_call_that_failed_do_not_wait_for_each_other() {
    let store = SlowlyDown::default();
    let overrides = Overrides::new(Db::new(store.clone()));
    let policy = Policy::new("api", [OWN]).unwrap();
    let began = tokio::time::Instant::now();
    let asked = (0..100).map(|_| {
        let (overrides, policy) = (overrides.clone(), policy.clone());
        tokio::spawn(async move { overrides.effective(&policy, &ada()).await.is_err() })
    });
    for answer in asked.collect::<Vec<_>>() {
        assert!(answer.await.unwrap());
    }
    assert_eq!((store.0.load(Ordering::SeqCst), began.elapsed()), (1, Duration::from_secs(1)));
}

#[test]
fn nothing_that_is_shown_says_who_somebody_is() {
    block_on(async {
        let (_, overrides, policy) = world().await;
        let _ = effective(&overrides, &policy, ada()).await;
        let shown = format!("{overrides:?} {:?}", Whose::Tenant("acme"));
        assert!(!shown.contains("ada") && !shown.contains("acme"), "{shown}");
    });
}
