//! A table of several models: its records as an enum, or as some fields of one of them.

use std::sync::Arc;

use futures_executor::block_on;
use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::encryption::{EncryptionError, Sealer};
use tabletheory::stream::{Change, DecodeFault, Decoder, Reader};
use tabletheory::testing::TestStore;
use tabletheory::{Entities, Model, Projection};
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{CreateTable, PutItem, StreamRecord};
use tabletheory_core::{Item, StoreExt};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{user}", sk = "PROFILE")]
struct Profile {
    user: String,
    #[model(encrypted)]
    mail: String,
    city: String,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{user}", sk = "ORDER#{number:06}")]
struct Order {
    user: String,
    number: u32,
}

#[derive(Entities, Debug, PartialEq)]
enum Row {
    Profile(Profile),
    Order(Order),
}

#[derive(Entities, Debug, PartialEq)]
enum Any {
    Order(Order),
    #[entities(other)]
    Other(Item),
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Profile)]
struct Home {
    city: String,
}

fn profile() -> Profile {
    Profile { user: "7".to_owned(), mail: "a@example.com".to_owned(), city: "Ulm".to_owned() }
}

fn order() -> Order {
    Order { user: "7".to_owned(), number: 12 }
}

fn keys() -> Arc<DeterministicKeys> {
    Arc::new(DeterministicKeys::new("seed"))
}

/// A profile, an order, and what is neither.
async fn told() -> Vec<StreamRecord> {
    let store = Arc::new(TestStore::new());
    let table = CreateTable { stream: Some(StreamView::NewImage), ..Order::SCHEMA.create_table("app") };
    store.create_table(table).await.unwrap();
    let (keys, mut sealed) = (keys(), profile().to_item().unwrap());
    let sealer = Sealer::new("Profile", Profile::SCHEMA.encrypted, Some(&*keys)).unwrap();
    sealer.seal_item(&mut sealed).await.unwrap();
    let stranger = Item::from([("pk", "SETTINGS"), ("sk", "SETTINGS")]);
    for item in [sealed, order().to_item().unwrap(), stranger] {
        store.put_item(PutItem { table: "app".to_owned(), item, ..PutItem::default() }).await.unwrap();
    }
    let mut reader = Reader::of_table(store, "app").await.unwrap();
    reader.try_next().await.unwrap().unwrap().records
}

#[test]
fn records_of_several_models_are_an_enum_of_them_and_a_stranger_is_an_error() {
    block_on(async {
        let told = told().await;
        let decoded = Decoder::<Row>::new().with_keys(keys()).decode_all(&told).await;
        let new = |at: usize| &decoded[at].as_ref().unwrap().change;
        assert_eq!(*new(0), Change::Inserted { new: Some(Row::Profile(profile())) });
        assert_eq!(*new(1), Change::Inserted { new: Some(Row::Order(order())) });
        let error = decoded[2].as_ref().unwrap_err();
        assert_eq!(error.sequence, told[2].sequence);
        assert!(matches!(error.source, DecodeFault::Model(_)));
    });
}

#[test]
fn without_keys_only_the_models_that_need_them_are_refused() {
    block_on(async {
        let decoded = Decoder::<Row>::new().decode_all(&told().await).await;
        let refused = decoded[0].as_ref().unwrap_err();
        assert!(matches!(refused.source, DecodeFault::Encryption(EncryptionError::NotConfigured { .. })));
        assert_eq!(decoded[1].as_ref().unwrap().new_image(), Some(&Row::Order(order())));
    });
}

#[test]
fn what_is_none_of_the_models_can_be_an_item_as_it_is_stored() {
    block_on(async {
        let told = told().await;
        let decoded = Decoder::<Any>::new().decode_all(&told).await;
        let other = |at: usize| Any::Other(told[at].new_image.clone().unwrap());
        assert_eq!(decoded[0].as_ref().unwrap().new_image(), Some(&other(0)));
        assert_eq!(decoded[1].as_ref().unwrap().new_image(), Some(&Any::Order(order())));
        assert_eq!(decoded[2].as_ref().unwrap().new_image(), Some(&other(2)));
    });
}

#[test]
fn some_fields_are_read_without_opening_the_others() {
    block_on(async {
        let mut told = told().await;
        // The mail cannot be opened, and nobody asks for it.
        told[0].new_image.as_mut().unwrap().insert("mail", "in the clear");
        let decoder = Decoder::<Home>::new().with_keys(keys());
        let record = decoder.decode(&told[0]).await.unwrap();
        assert_eq!(record.new_image(), Some(&Home { city: "Ulm".to_owned() }));
        let whole = Decoder::<Profile>::new().with_keys(keys()).decode(&told[0]).await.unwrap_err();
        assert!(matches!(whole.source, DecodeFault::Encryption(EncryptionError::NotAnEnvelope { .. })));
    });
}
