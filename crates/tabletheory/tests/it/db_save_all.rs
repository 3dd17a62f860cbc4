//! Many values saved against their versions.

use tabletheory::db::SaveOutcome;
use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::encryption::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, SecretKey};
use tabletheory::error::BulkFault;
use tabletheory::testing::TestStore;
use tabletheory::{Db, Error, Model};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "accounts")]
struct Account {
    #[model(pk)]
    owner: u64,
    note: String,
    #[model(version)]
    rev: u64,
}

fn account(owner: u64) -> Account {
    Account { owner, note: String::new(), rev: 0 }
}

async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Account>().await.unwrap();
    (store, db)
}

#[tokio::test]
async fn many_values_are_saved_against_their_versions_in_as_few_transactions_as_possible() {
    let (store, db) = world().await;
    let accounts: Vec<Account> = (0..150).map(account).collect();
    let saved = db.save_all(&accounts).await.unwrap();
    assert!(saved.iter().zip(0..).all(|(saved, owner)| saved.owner == owner && saved.rev == 1));
    assert_eq!(store.count("TransactWriteItems"), 2);
    // One that was changed since holds back its own transaction, and no other.
    let changed = db.save(&saved[120]).await.unwrap();
    let outcomes = db.save_all(&saved).each().await.unwrap();
    for (at, outcome) in outcomes.iter().enumerate() {
        match outcome {
            SaveOutcome::Saved(saved) => assert!(at < 100 && saved.rev == 2, "{at}"),
            SaveOutcome::HeldBack => assert!(at >= 100 && at != 120, "{at}"),
            SaveOutcome::Failed(error) => assert!(at == 120 && error.is_version_conflict(), "{at}"),
        }
    }
    let error = db.save_all(&saved[120..121]).await.unwrap_err();
    assert_eq!(error.into_current(), Some(changed));
}

#[tokio::test]
async fn large_values_are_saved_in_transactions_that_the_store_takes() {
    let (store, db) = world().await;
    let note = "x".repeat(300_000);
    let accounts: Vec<Account> =
        (0..30).map(|owner| Account { note: note.clone(), ..account(owner) }).collect();
    assert_eq!(db.save_all(&accounts).await.unwrap().len(), 30);
    assert_eq!(store.count("TransactWriteItems"), 3);
}

#[tokio::test]
async fn the_same_value_twice_is_not_saved() {
    let (store, db) = world().await;
    store.forget_calls();
    let error = db.save_all(&[account(1), account(2), account(1)]).await.unwrap_err();
    assert!(matches!(error, Error::Bulk(BulkFault::SameItem { first: 0, second: 2, .. })));
    assert!(store.calls().is_empty());
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "patients")]
struct Patient {
    #[model(pk)]
    id: u64,
    #[model(encrypted)]
    diagnosis: String,
    #[model(version)]
    rev: u64,
}

/// Keys of somebody who may write and not read.
#[derive(Debug)]
struct WriteOnly(DeterministicKeys);

impl KeyProvider for WriteOnly {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        self.0.generate(context)
    }

    fn decrypt<'a>(&'a self, _: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(std::future::ready(Err(KeyError::Unavailable { reason: "not allowed".to_owned() })))
    }
}

#[tokio::test]
async fn values_that_were_saved_are_told_without_opening_them() {
    let db = TestStore::new().db().with_keys(WriteOnly(DeterministicKeys::new("seed")));
    db.create_table::<Patient>().await.unwrap();
    let patient = Patient { id: 1, diagnosis: "influenza".into(), rev: 0 };
    let saved = db.save_all([&patient]).await.unwrap();
    assert_eq!(saved, [Patient { rev: 1, ..patient }]);
    assert!(matches!(db.get(Patient::key(1)).await.unwrap_err(), Error::Encryption { .. }));
}
