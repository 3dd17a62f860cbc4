//! Transactions through `Db`: together or not at all, once, and told operation by operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tabletheory::db::Backoff;
use tabletheory::error::BulkFault;
use tabletheory::lease::LeaseSettings;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Db, Error, Model};
use tabletheory_core::error::CancellationCode;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{OnConditionFailure, TransactAction, TransactWrite};
use tabletheory_core::{Request, Seconds, Store, StoreError};

#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "app", pk = "PAGE#{path}", sk = "META")]
struct Page {
    path: String,
    body: String,
    hits: u64,
    #[model(version)]
    rev: u64,
    #[model(updated_at)]
    changed: jiff::Timestamp,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "PAGE#{path}", sk = "LOCK")]
struct Lock {
    path: String,
    token: String,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "accounts")]
struct Account {
    #[model(pk)]
    owner: u64,
    balance: i64,
    #[model(version)]
    rev: u64,
}

fn page(path: &str) -> Page {
    Page { path: path.into(), body: "first".into(), ..Page::default() }
}

fn lock(token: &str) -> Lock {
    Lock { path: "news".into(), token: token.into() }
}

fn account(owner: u64) -> Account {
    Account { owner, balance: 100, rev: 0 }
}

async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Page>().await.unwrap();
    db.create_table::<Account>().await.unwrap();
    (store, db)
}

/// The tokens of the transactions that the store got.
fn tokens(store: &TestStore) -> Vec<String> {
    let token = |call: Request| match call {
        Request::TransactWriteItems(request) => request.client_request_token,
        _ => None,
    };
    store.calls().into_iter().filter_map(token).collect()
}

#[tokio::test]
async fn writes_of_different_models_happen_together() {
    let (_, db) = world().await;
    let (old, gone) = (db.create(&page("old")).await.unwrap(), db.create(&page("gone")).await.unwrap());
    db.create(&lock("ours")).await.unwrap();
    let transaction = db.transact().with(db.create(&page("new"))).with(db.put(&account(1)));
    let transaction =
        transaction.with(db.update(Page::key("old")).change(Page::HITS.add(3))).with(db.delete(&gone));
    transaction.check(Lock::key("news"), Lock::TOKEN.eq("ours")).await.unwrap();
    let read = (Page::key("new"), Account::key(1), Page::key("old"), Page::key("gone"));
    let (new, first, changed, gone) = db.transact_get(read).await.unwrap();
    assert_eq!((new.unwrap().body.as_str(), first, gone), ("first", Some(account(1)), None));
    let changed = changed.unwrap();
    assert_eq!((changed.hits, changed.rev), (3, old.rev + 1));
}

#[tokio::test]
async fn a_page_is_published_and_its_lease_given_back_in_one_transaction_or_neither() {
    let (store, db) = world().await;
    let leases = db.leases("app");
    assert_eq!(LeaseSettings::default().lock_sk, "LOCK");
    let lease = leases.try_acquire("PAGE#news", Seconds(30)).await.unwrap().granted().unwrap();
    let publish = |body: &str| {
        let release = TransactWrite {
            table: "app".into(),
            action: TransactAction::Delete { key: lease.key() },
            condition: Some(lease.still_held()),
            on_condition_failure: OnConditionFailure::AllOld,
        };
        db.transact().with(db.put(&Page { body: body.into(), ..page("news") })).with(release)
    };
    publish("second").await.unwrap();
    assert_eq!(db.get(Page::key("news")).required().await.unwrap().body, "second");
    // The lease is gone, and with it the right to publish.
    let error = publish("third").await.unwrap_err();
    let Error::TransactionFailed(failure) = &error else { panic!("{error:?}") };
    assert_eq!(failure.first().map(|(place, refusal)| (place, refusal.model)), Some((1, "item")));
    assert!(error.is_condition_failed());
    assert_eq!(db.get(Page::key("news")).required().await.unwrap().body, "second");
    assert_eq!(tokens(&store).len(), 2);
}

#[tokio::test]
async fn a_refused_transaction_gives_the_current_item_of_each_refused_operation_typed() {
    let (store, db) = world().await;
    db.create(&lock("theirs")).await.unwrap();
    let read = db.create(&page("news")).await.unwrap();
    let current = db.update(&read).change(Page::HITS.add(1)).await.unwrap();
    store.forget_calls();
    let late = db.transact().with(db.put(&account(1))).with(db.save(&read));
    let late = late.with(db.delete(Lock::key("news")).when(Lock::TOKEN.eq("ours")));
    let error = late.check(Page::key("other"), Page::HITS.gt(0)).await.unwrap_err();
    let Error::TransactionFailed(failure) = &error else { panic!("{error:?}") };
    let told: Vec<_> =
        failure.refusals().iter().map(|refusal| (refusal.model, refusal.version_conflict)).collect();
    assert_eq!(told, [("Account", false), ("Page", true), ("Lock", false), ("Page", false)]);
    let codes: Vec<_> = failure.refusals().iter().map(|refusal| refusal.code).collect();
    let refused = CancellationCode::ConditionalCheckFailed;
    assert_eq!(codes, [CancellationCode::None, refused, refused, refused]);
    assert_eq!(failure.current::<Page>(1), Some(current));
    assert_eq!(failure.current::<Lock>(2), Some(lock("theirs")));
    assert_eq!(failure.current::<Page>(3), None);
    assert!(error.is_version_conflict() && error.is_condition_failed() && !error.is_conflict());
    assert!(!format!("{error:?} {error}").contains("theirs"));
    assert_eq!(store.calls().len(), 1);
    assert_eq!(db.get(Account::key(1)).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_transaction_whose_answer_is_lost_is_done_once() {
    let (store, db) = world().await;
    db.create(&page("news")).await.unwrap();
    store.trouble("TransactWriteItems", Trouble::LostAnswer);
    store.trouble("TransactWriteItems", Trouble::LostAnswer);
    let create = db.create(&account(1));
    db.transact().with(db.update(Page::key("news")).change(Page::HITS.add(1))).with(create).await.unwrap();
    assert_eq!(db.get(Page::key("news")).required().await.unwrap().hits, 1);
    let tokens = tokens(&store);
    assert_eq!(tokens.len(), 3);
    assert!(tokens.iter().all(|token| *token == tokens[0] && token.len() == 36), "{tokens:?}");
}

#[tokio::test(start_paused = true)]
async fn conflicts_and_throttles_are_waited_out_with_the_same_token_and_the_same_writes() {
    let (store, db) = world().await;
    let busy = StoreError::TransactionInProgress("it has not ended".into());
    for trouble in [Trouble::Conflict, Trouble::Throttled, Trouble::Refused(busy), Trouble::NotReached] {
        store.trouble("TransactWriteItems", trouble);
    }
    store.forget_calls();
    db.transact().with(db.put(&page("news"))).with(db.put(&account(1))).await.unwrap();
    let calls = store.calls();
    assert_eq!(calls.len(), 5);
    assert!(calls.iter().all(|call| *call == calls[0]));
    db.transact().with(db.put(&page("news"))).await.unwrap();
    let tokens = tokens(&store);
    assert_ne!(tokens[4], tokens[5]);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_that_does_not_pass_is_told_as_one_after_so_many_attempts() {
    let (store, db) = world().await;
    let db = db.with_backoff(Backoff { attempts: 3, ..Backoff::default() });
    for _ in 0..3 {
        store.trouble("TransactWriteItems", Trouble::Conflict);
    }
    let error = db.transact().with(db.put(&page("news"))).await.unwrap_err();
    assert!(error.is_conflict() && !error.is_condition_failed(), "{error:?}");
    assert_eq!(store.count("TransactWriteItems"), 3);
    for _ in 0..3 {
        store.trouble("TransactGetItems", Trouble::Conflict);
    }
    let error = db.transact_get((Page::key("news"), Account::key(1))).await.unwrap_err();
    assert!(error.is_conflict(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_transaction_that_was_lost_before_the_store_got_busy_or_closed_may_have_happened() {
    let (store, db) = world().await;
    let db = db.with_backoff(Backoff { attempts: 2, ..Backoff::default() });
    store.trouble("TransactWriteItems", Trouble::LostAnswer);
    store.trouble("TransactWriteItems", Trouble::Throttled);
    let error = db.transact().with(db.put(&page("news"))).await.unwrap_err();
    assert!(error.is_ambiguous() && !error.is_throttled(), "{error:?}");
    store.trouble("TransactWriteItems", Trouble::LostAnswer);
    store.trouble("TransactWriteItems", Trouble::Refused(StoreError::AccessDenied("not any more".into())));
    let error = db.transact().with(db.put(&page("news"))).await.unwrap_err();
    assert!(error.is_ambiguous(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_transaction_whose_request_was_lost_and_that_is_then_refused_was_not_done() {
    let (store, db) = world().await;
    store.trouble("TransactWriteItems", Trouble::LostRequest);
    let check = db.transact().with(db.put(&page("news"))).check(Page::key("other"), Page::HITS.gt(0));
    assert!(check.await.unwrap_err().is_condition_failed());
    assert_eq!(db.get(Page::key("news")).await.unwrap(), None);
}

/// A store that takes its time with transactions, and then loses them.
#[derive(Debug, Default)]
struct Swamp {
    calls: AtomicUsize,
}

impl Store for Swamp {
    fn call(&self, _: Request) -> StoreFuture<'_> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(290)).await;
            Err(StoreError::Internal("the answer was lost".into()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_transaction_is_not_sent_again_when_its_token_could_be_forgotten() {
    let swamp = Arc::new(Swamp::default());
    let db = Db::new(Arc::clone(&swamp));
    let error = db.transact().with(db.put(&page("news"))).await.unwrap_err();
    assert!(error.is_ambiguous());
    // The second was sent after 290 seconds and ended before the ten minutes were over; a third could be done again.
    assert_eq!(swamp.calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn what_cannot_be_a_transaction_is_refused_before_it_is_sent() {
    let (store, db) = world().await;
    store.forget_calls();
    let fault = async |transaction: tabletheory::db::Transact| match transaction.await {
        Err(Error::Bulk(fault)) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(db.transact()).await, BulkFault::Empty);
    let many = (0..101).fold(db.transact(), |all, owner| all.with(db.put(&account(owner))));
    assert_eq!(fault(many).await, BulkFault::TooMany { given: 101 });
    let twice = db.transact().with(db.put(&account(1))).with(db.put(&page("news")));
    let twice = twice.check(Account::key(1), Account::BALANCE.gt(0));
    let same = BulkFault::SameItem { model: "Account", table: "accounts".into(), first: 0, second: 2 };
    assert_eq!(fault(twice).await, same);
    for length in [0, 37] {
        let with_token = db.transact().with(db.put(&account(1))).token("t".repeat(length));
        assert_eq!(fault(with_token).await, BulkFault::Token { length });
    }
    let unfit = db.transact().with(db.put(&page("a#b"))).await.unwrap_err();
    assert!(matches!(unfit, Error::Model { .. }));
    let nothing = db.transact().with(db.update(Page::key("news"))).await.unwrap_err();
    assert!(matches!(nothing, Error::Validation(_)));
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn a_hundred_operations_are_one_transaction() {
    let (store, db) = world().await;
    let many = (0..100).fold(db.transact(), |all, owner| all.with(db.create(&account(owner))));
    many.await.unwrap();
    let found = db.transact_get((0..100).map(Account::key).collect::<Vec<_>>()).await.unwrap();
    assert!(found.into_iter().eq((0..100).map(|owner| Some(account(owner)))));
    assert_eq!((store.count("TransactWriteItems"), store.count("TransactGetItems")), (1, 1));
}

#[tokio::test]
async fn a_token_of_ones_own_makes_a_transaction_happen_once_and_belongs_to_it() {
    let (store, db) = world().await;
    db.create(&account(1)).await.unwrap();
    let pay = |amount: i64| {
        let change = db.update(Account::key(1)).change(Account::BALANCE.add(amount));
        db.transact().with(change).token("payment-1")
    };
    pay(5).await.unwrap();
    store.advance(Seconds(300));
    pay(5).await.unwrap();
    assert_eq!(db.get(Account::key(1)).required().await.unwrap().balance, 105);
    assert!(matches!(pay(6).await.unwrap_err(), Error::TokenReused(_)));
    store.advance(Seconds(301));
    pay(5).await.unwrap();
    assert_eq!(db.get(Account::key(1)).required().await.unwrap().balance, 110);
}

#[tokio::test]
async fn reads_that_cannot_be_a_transaction_are_refused_before_they_are_sent() {
    let (store, db) = world().await;
    store.forget_calls();
    let error = db.transact_get(Vec::<tabletheory::key::Key<Page>>::new()).await.unwrap_err();
    assert!(matches!(error, Error::Bulk(BulkFault::Empty)));
    let error = db.transact_get((0..101).map(Account::key).collect::<Vec<_>>()).await.unwrap_err();
    assert!(matches!(error, Error::Bulk(BulkFault::TooMany { given: 101 })));
    let error = db.transact_get((Page::key("a"), Account::key(1), Page::key("a"))).await.unwrap_err();
    assert!(matches!(error, Error::Bulk(BulkFault::SameItem { first: 0, second: 2, .. })));
    let error = db.transact_get((Page::key("a"), Page::key("a#b"))).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }));
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn an_explained_transaction_is_not_sent() {
    let (store, db) = world().await;
    store.forget_calls();
    let plan =
        db.transact().with(db.put(&page("news"))).with(db.delete(Account::key(1))).explain().await.unwrap();
    assert_eq!((plan.operation, plan.write_units), ("TransactWriteItems", 4.0));
    let plan = db.transact_get((Page::key("news"), Account::key(1))).explain().await.unwrap();
    assert_eq!((plan.operation, plan.read_units), ("TransactGetItems", 4.0));
    assert!(store.calls().is_empty());
}

/// Moves money until it succeeds: reads both accounts, and writes them if nobody else did meanwhile.
async fn transfer(db: &Db, from: u64, to: u64, amount: i64) -> usize {
    let mut lost = 0;
    loop {
        let (payer, payee) = db.transact_get((Account::key(from), Account::key(to))).await.unwrap();
        let (mut payer, mut payee) = (payer.unwrap(), payee.unwrap());
        payer.balance -= amount;
        payee.balance += amount;
        tokio::task::yield_now().await;
        match db.transact().with(db.save(&payer)).with(db.save(&payee)).await {
            Ok(()) => return lost,
            Err(error) => assert!(error.is_version_conflict(), "{error:?}"),
        }
        lost += 1;
    }
}

#[tokio::test(start_paused = true)]
async fn money_that_many_move_at_once_through_trouble_is_neither_made_nor_lost() {
    let (store, db) = world().await;
    let accounts: Vec<Account> = (0..5).map(account).collect();
    db.save_all(&accounts).await.unwrap();
    // There is less trouble than patience, whoever meets it.
    let db = db.with_backoff(Backoff { attempts: 50, ..Backoff::default() });
    for _ in 0..10 {
        for trouble in [Trouble::Conflict, Trouble::LostAnswer, Trouble::LostRequest, Trouble::Throttled] {
            store.trouble("TransactWriteItems", trouble);
        }
        store.trouble("TransactGetItems", Trouble::Conflict);
    }
    let movers: Vec<_> = (0..8_u64)
        .map(|mover| {
            let db = db.clone();
            tokio::spawn(async move {
                let mut lost = 0;
                for turn in 0..10 {
                    let from = (mover + turn) % 5;
                    lost += transfer(&db, from, (from + 1 + turn % 4) % 5, 1 + i64::try_from(mover).unwrap())
                        .await;
                }
                lost
            })
        })
        .collect();
    let mut lost = 0;
    for mover in movers {
        lost += mover.await.unwrap();
    }
    assert!(lost > 0, "nobody was ever in another's way");
    let accounts = db.batch_get((0..5).map(Account::key)).consistent().await.unwrap();
    let accounts: Vec<Account> = accounts.into_iter().flatten().collect();
    assert_eq!(accounts.iter().map(|account| account.balance).sum::<i64>(), 500);
    // Each transfer counts two versions up, once: 80 of them, after the five first saves.
    assert_eq!(accounts.iter().map(|account| account.rev).sum::<u64>(), 5 + 2 * 80);
}
