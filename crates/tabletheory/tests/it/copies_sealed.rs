//! Copies from and into models with encrypted attributes.

use std::collections::BTreeSet;
use std::sync::Arc;

use tabletheory::Model;
use tabletheory::encryption::EncryptionError;
use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::table::{CopyFault, Table, Transformed, copy};
use tabletheory::testing::TestStore;
use tabletheory_core::store::op::Scan;
use tabletheory_core::{Item, StoreExt, Value};

use crate::copies::put;

/// The same people with a secret, in the clear before and encrypted after.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "clear")]
struct Clear {
    #[model(pk)]
    id: String,
    secret: Option<String>,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "sealed")]
struct Sealed {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    secret: Option<String>,
}

fn seal(clear: Clear) -> Transformed<Sealed> {
    Transformed::Put(Sealed { id: clear.id, secret: clear.secret })
}

async fn clear_and_sealed(store: &TestStore) -> (Table<Clear>, Table<Sealed>) {
    let keys = Arc::new(DeterministicKeys::new("seed"));
    let from = Table::<Clear>::new(Arc::new(store.clone()));
    let to = Table::<Sealed>::new(Arc::new(store.clone())).with_keys(keys);
    from.ensure().await.unwrap();
    to.ensure().await.unwrap();
    for id in 0..30 {
        let secret = (id != 7).then(|| format!("secret {id}"));
        let clear = Clear { id: id.to_string(), secret };
        put(store, "clear", clear.to_item().unwrap()).await;
    }
    (from, to)
}

#[tokio::test(start_paused = true)]
async fn what_was_in_the_clear_is_encrypted_in_a_target_that_encrypts() {
    let store = TestStore::new();
    let (from, to) = clear_and_sealed(&store).await;
    copy(from.clone(), to.clone()).transform(seal).await.unwrap();
    let scan = Scan { table: "sealed".into(), ..Scan::default() };
    let items = store.scan(scan).await.unwrap().items.unwrap();
    assert_eq!(items.len(), 30);
    assert!(!format!("{items:?}").contains("secret 3"), "nothing is in the clear");
    assert_eq!(items.iter().filter(|item| matches!(item.get("secret"), Some(Value::M(_)))).count(), 29);

    let back = Table::<Clear>::new(Arc::new(store.clone())).named("back");
    back.ensure().await.unwrap();
    let open = |sealed: Sealed| Transformed::Put(Clear { id: sealed.id, secret: sealed.secret });
    copy(to, back.clone()).transform(open).segments(3).await.unwrap();
    let mut found = BTreeSet::new();
    for table in ["clear", "back"] {
        let scan = Scan { table: table.into(), ..Scan::default() };
        let mut items: Vec<Clear> = store
            .scan(scan)
            .await
            .unwrap()
            .items
            .unwrap()
            .into_iter()
            .map(|item| Clear::from_item(item).unwrap())
            .collect();
        items.sort_by(|first, second| first.id.cmp(&second.id));
        found.insert(format!("{items:?}"));
    }
    assert_eq!(found.len(), 1, "what comes back is what went in");
}

#[tokio::test(start_paused = true)]
async fn without_keys_nothing_is_read_or_written() {
    let store = TestStore::new();
    let (from, _) = clear_and_sealed(&store).await;
    let to = Table::<Sealed>::new(Arc::new(store.clone()));
    store.forget_calls();
    let refused = copy(from, to).transform(seal).await.unwrap_err();
    assert!(
        matches!(refused.fault, CopyFault::Encryption(EncryptionError::NotConfigured { .. })),
        "{refused}"
    );
    assert!(store.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_item_that_should_be_encrypted_and_is_not_stops_the_copy_or_is_counted() {
    let store = TestStore::new();
    let (from, to) = clear_and_sealed(&store).await;
    copy(from, to.clone()).transform(seal).await.unwrap();
    put(&store, "sealed", Item::from([("id", "x"), ("secret", "in the clear")])).await;
    let other = to.clone().named("sealed-2");
    other.ensure().await.unwrap();
    let stopped = copy(to.clone(), other.clone()).transform(Transformed::Put).await.unwrap_err();
    assert!(
        matches!(stopped.fault, CopyFault::Encryption(EncryptionError::NotAnEnvelope { .. })),
        "{stopped}"
    );
    let done = copy(to.clone(), other.clone()).transform(Transformed::Put).skip_unreadable().await.unwrap();
    assert_eq!((done.written, done.unreadable), (30, 1));
    // Another key is another matter: those items are ours, and would be lost.
    let stranger = to.with_keys(Arc::new(DeterministicKeys::new("another seed")));
    let stopped = copy(stranger, other).transform(Transformed::Put).skip_unreadable().await.unwrap_err();
    assert!(matches!(stopped.fault, CopyFault::Encryption(_)), "{stopped}");
}
