//! Images of models with encrypted attributes: opened with the keys, refused without them.

use std::sync::Arc;

use futures_executor::block_on;
use tabletheory::Model;
use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::encryption::{
    DataKey, EncryptionError, KeyContext, KeyError, KeyFuture, KeyProvider, Sealer, SecretKey,
};
use tabletheory::stream::{Change, DecodeFault, Decoder, Image, Reader, Removal};
use tabletheory::testing::TestStore;
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{CreateTable, DeleteItem, PutItem, StreamRecord};
use tabletheory_core::{Item, StoreExt, Value};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app")]
struct Patient {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    diagnosis: String,
    #[model(encrypted)]
    notes: Option<String>,
}

fn patient(diagnosis: &str) -> Patient {
    Patient { id: "7".to_owned(), diagnosis: diagnosis.to_owned(), notes: None }
}

fn keys() -> Arc<DeterministicKeys> {
    Arc::new(DeterministicKeys::new("seed"))
}

async fn sealed(patient: &Patient) -> Item {
    let (keys, mut item) = (keys(), patient.to_item().unwrap());
    let sealer = Sealer::new("Patient", Patient::SCHEMA.encrypted, Some(&*keys)).unwrap();
    sealer.seal_item(&mut item).await.unwrap();
    item
}

/// What the stream tells when these items are put one after the other, and the last is deleted.
async fn told(view: StreamView, items: impl IntoIterator<Item = Item>) -> Vec<StreamRecord> {
    let store = Arc::new(TestStore::new());
    let table = CreateTable { stream: Some(view), ..Patient::SCHEMA.create_table("app") };
    store.create_table(table).await.unwrap();
    for item in items {
        store.put_item(PutItem { table: "app".to_owned(), item, ..PutItem::default() }).await.unwrap();
    }
    let (table, key) = ("app".to_owned(), Item::from([("id", "7")]));
    store.delete_item(DeleteItem { table, key, ..DeleteItem::default() }).await.unwrap();
    let mut reader = Reader::of_table(store, "app").await.unwrap();
    reader.try_next().await.unwrap().unwrap().records
}

#[test]
fn both_images_are_opened() {
    block_on(async {
        let (ill, well) = (patient("influenza"), patient("none"));
        let told = told(StreamView::NewAndOldImages, [sealed(&ill).await, sealed(&well).await]).await;
        let decoder = Decoder::<Patient>::new().with_keys(keys());
        let decoded = decoder.decode_all(&told).await;
        let changes: Vec<_> = decoded.into_iter().map(|record| record.unwrap().change).collect();
        let expected = [
            Change::Inserted { new: Some(ill.clone()) },
            Change::Modified { old: Some(ill), new: Some(well.clone()) },
            Change::Removed { old: Some(well), cause: Removal::Requested },
        ];
        assert_eq!(changes, expected);
    });
}

#[test]
fn without_keys_an_image_is_refused_and_a_key_is_not() {
    block_on(async {
        let item = sealed(&patient("influenza")).await;
        let images = told(StreamView::NewImage, [item.clone()]).await;
        let error = Decoder::<Patient>::new().decode(&images[0]).await.unwrap_err();
        assert!(matches!(error.source, DecodeFault::Encryption(EncryptionError::NotConfigured { .. })));
        let keys_only = told(StreamView::KeysOnly, [item]).await;
        let record = Decoder::<Patient>::new().decode(&keys_only[0]).await.unwrap();
        assert_eq!(record.change, Change::Inserted { new: None });
    });
}

#[test]
fn a_value_in_the_clear_is_refused_with_its_record() {
    block_on(async {
        let planted = patient("secret").to_item().unwrap();
        let told = told(StreamView::NewAndOldImages, [planted, sealed(&patient("none")).await]).await;
        let decoder = Decoder::<Patient>::new().with_keys(keys());
        let error = decoder.decode(&told[1]).await.unwrap_err();
        assert_eq!((&error.sequence, error.image), (&told[1].sequence, Image::Old));
        assert!(matches!(error.source, DecodeFault::Encryption(EncryptionError::NotAnEnvelope { .. })));
        assert!(!format!("{error:?} {error} {}", error.source).contains("secret"));
    });
}

#[test]
fn an_envelope_that_was_moved_is_refused() {
    block_on(async {
        let mut item = sealed(&patient("influenza")).await;
        let moved = item.get("diagnosis").cloned().unwrap();
        assert!(matches!(moved, Value::M(_)));
        item.insert("notes", moved);
        let told = told(StreamView::NewImage, [item]).await;
        let error = Decoder::<Patient>::new().with_keys(keys()).decode(&told[0]).await.unwrap_err();
        assert!(matches!(error.source, DecodeFault::Encryption(EncryptionError::NotAuthentic { .. })));
    });
}

/// A key service that is down.
#[derive(Debug)]
struct Down;

impl KeyProvider for Down {
    fn generate<'a>(&'a self, _: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        Box::pin(async { Err(KeyError::Unavailable { reason: "no answer".to_owned() }) })
    }

    fn decrypt<'a>(&'a self, _: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(async { Err(KeyError::Unavailable { reason: "no answer".to_owned() }) })
    }
}

#[test]
fn keys_that_are_away_do_not_lose_the_record() {
    block_on(async {
        let ill = patient("influenza");
        let told = told(StreamView::NewImage, [sealed(&ill).await]).await;
        let error = Decoder::<Patient>::new().with_keys(Arc::new(Down)).decode(&told[0]).await.unwrap_err();
        let DecodeFault::Encryption(EncryptionError::Key { source, .. }) = error.source else {
            panic!("{error:?}");
        };
        assert!(matches!(source, KeyError::Unavailable { .. }));
        let later = Decoder::<Patient>::new().with_keys(keys()).decode(&told[0]).await.unwrap();
        assert_eq!(later.new_image(), Some(&ill));
    });
}
