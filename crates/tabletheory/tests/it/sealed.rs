//! Encrypted fields: what the table keeps, what is refused, and that nothing works without keys.

use std::collections::BTreeMap;

use futures_executor::block_on;
use tabletheory::Model;
use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::encryption::{EncryptionError, KeyProvider, LocalKeys, Sealer, SecretKey};
use tabletheory::field::Change;
use tabletheory::testing::TestStore;
use tabletheory_core::expr::{Action, Path, SetOperand, SetValue, Update};
use tabletheory_core::store::op::{GetItem, PutItem, UpdateItem};
use tabletheory_core::{Item, StoreExt, Value};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", rename_all = "camelCase")]
#[model(index(name = "by_city", pk = city, project = "include(diagnosis)"))]
struct Patient {
    #[model(pk)]
    id: String,
    city: String,
    #[model(encrypted)]
    diagnosis: String,
    #[model(encrypted)]
    age: Option<u8>,
    #[model(encrypted, json)]
    lab_values: BTreeMap<String, f64>,
    #[model(encrypted, omit_empty)]
    notes: Vec<String>,
}

impl Patient {
    fn sample() -> Self {
        Self {
            id: "7".into(),
            city: "Rome".into(),
            diagnosis: "influenza".into(),
            age: Some(42),
            lab_values: BTreeMap::from([("crp".into(), 12.5)]),
            notes: Vec::new(),
        }
    }
}

fn keys() -> DeterministicKeys {
    DeterministicKeys::new("seed")
}

fn sealer(keys: &dyn KeyProvider) -> Sealer<'_> {
    Sealer::new(<Patient as Model>::NAME, Patient::SCHEMA.encrypted, Some(keys)).unwrap()
}

fn sealed_item(keys: &dyn KeyProvider) -> Item {
    let mut item = Patient::sample().to_item().unwrap();
    block_on(sealer(keys).seal_item(&mut item)).unwrap();
    item
}

#[test]
fn the_schema_names_what_is_encrypted() {
    assert_eq!(Patient::SCHEMA.encrypted, ["diagnosis", "age", "labValues", "notes"]);
    assert!(crate::models::Page::SCHEMA.encrypted.is_empty());
}

#[test]
fn an_item_goes_through_a_table_sealed() {
    let keys = keys();
    let item = sealed_item(&keys);
    block_on(async {
        let store = TestStore::new();
        let (table, patient) = ("app".to_owned(), Patient::sample());
        store.create_table(Patient::SCHEMA.create_table(&table)).await.unwrap();
        store.put_item(PutItem { table: table.clone(), item, ..PutItem::default() }).await.unwrap();
        let key = patient.key_of().into_item().unwrap();
        let got = store.get_item(GetItem { table, key, ..GetItem::default() }).await.unwrap();
        let mut item = got.item.unwrap();
        let shown = format!("{item:?}");
        assert!(!shown.contains("influenza") && !shown.contains("crp"), "{shown}");
        assert!(item.get("city") == Some(&Value::s("Rome")) && !item.contains("notes"));
        sealer(&keys).open_item(&mut item).await.unwrap();
        assert_eq!(Patient::from_item(item).unwrap(), patient);
    });
}

#[test]
fn what_was_left_out_stays_out() {
    let patient = Patient { age: None, ..Patient::sample() };
    let mut item = patient.to_item().unwrap();
    block_on(sealer(&keys()).seal_item(&mut item)).unwrap();
    assert!(!item.contains("age") && !item.contains("notes"));
    block_on(sealer(&keys()).open_item(&mut item)).unwrap();
    assert_eq!(Patient::from_item(item).unwrap(), patient);
}

#[test]
fn each_attribute_has_a_data_key_of_its_own() {
    let item = sealed_item(&keys());
    let member = |attribute: &str, name: &str| match item.get(attribute) {
        Some(Value::M(envelope)) => envelope.get(name).cloned(),
        other => panic!("an envelope is a map: {other:?}"),
    };
    assert_ne!(member("diagnosis", "edk"), member("age", "edk"));
    assert_ne!(member("age", "edk"), member("labValues", "edk"));
}

/// The answer to an item that somebody changed in the table; the item has to be as it was then.
fn refused(change: impl FnOnce(&mut Item)) -> EncryptionError {
    let keys = keys();
    let mut item = sealed_item(&keys);
    change(&mut item);
    let before = item.clone();
    let error = block_on(sealer(&keys).open_item(&mut item)).unwrap_err();
    assert_eq!(item, before);
    assert!(!format!("{error:?} {error}").contains("canary"));
    error
}

#[test]
fn values_in_the_clear_are_refused() {
    for plain in [Value::s("canary"), Value::Null, Value::n(1), Value::M(Item::from([("canary", 1)]))] {
        let error = refused(|item| drop(item.insert("age", plain)));
        assert!(matches!(error, EncryptionError::NotAnEnvelope { .. }), "{error}");
    }
}

#[test]
fn an_envelope_that_was_changed_or_moved_is_refused() {
    let not_authentic = |name: &str| EncryptionError::NotAuthentic { attribute: name.to_owned() };
    for member in ["ct", "nonce", "edk"] {
        let error = refused(|item| {
            let Some(Value::M(envelope)) = item.get_mut("diagnosis") else { panic!("an envelope is a map") };
            let Some(Value::B(bytes)) = envelope.get_mut(member) else { panic!("{member} is binary") };
            bytes[0] ^= 1;
        });
        assert_eq!(error, not_authentic("diagnosis"), "{member}");
    }
    let error = refused(|item| {
        let moved = item.get("diagnosis").cloned().unwrap();
        item.insert("age", moved);
    });
    assert_eq!(error, not_authentic("age"));
    let theirs = LocalKeys::new(1, SecretKey::new([9; 32]));
    let mut item = sealed_item(&LocalKeys::new(1, SecretKey::new([8; 32])));
    let error = block_on(sealer(&theirs).open_item(&mut item)).unwrap_err();
    assert!(matches!(error, EncryptionError::Key { .. }), "{error}");
}

#[test]
fn without_keys_a_model_with_encrypted_attributes_cannot_be_used() {
    let error = Sealer::new(<Patient as Model>::NAME, Patient::SCHEMA.encrypted, None).unwrap_err();
    let (model, attribute) = ("Patient".to_owned(), "diagnosis".to_owned());
    assert_eq!(error, EncryptionError::NotConfigured { model, attribute });
    let open = Sealer::new("Page", &[], None).unwrap();
    let mut item = Item::from([("a", 1)]);
    block_on(open.seal_item(&mut item)).unwrap();
    assert_eq!(item, Item::from([("a", 1)]));
}

fn actions(changes: Vec<Change<Patient>>) -> Vec<Action> {
    changes.into_iter().map(|change| change.into_action().unwrap()).collect()
}

#[test]
fn an_update_seals_what_it_sets() {
    let keys = keys();
    let item = sealed_item(&keys);
    block_on(async {
        let store = TestStore::new();
        let table = "app".to_owned();
        store.create_table(Patient::SCHEMA.create_table(&table)).await.unwrap();
        store.put_item(PutItem { table: table.clone(), item, ..PutItem::default() }).await.unwrap();
        let mut actions = actions(vec![
            Patient::DIAGNOSIS.set("measles"),
            Patient::NOTES.set_if_not_exists(vec!["rash".to_owned()]),
            Patient::LAB_VALUES.set(BTreeMap::from([("crp".to_owned(), 90.0)])),
            Patient::AGE.set(None),
            Patient::CITY.set("Oslo"),
        ]);
        sealer(&keys).seal_actions(&mut actions).await.unwrap();
        let shown = format!("{actions:?}");
        assert!(!shown.contains("measles") && !shown.contains("rash") && shown.contains("Oslo"), "{shown}");
        let key = Patient::key("7").into_item().unwrap();
        let request = UpdateItem {
            table: table.clone(),
            key: key.clone(),
            update: Some(Update { actions }),
            condition: Some((Patient::AGE.exists() & Patient::NOTES.not_exists()).into_condition().unwrap()),
            ..UpdateItem::default()
        };
        store.update_item(request).await.unwrap();
        let got = store.get_item(GetItem { table, key, ..GetItem::default() }).await.unwrap();
        let mut item = got.item.unwrap();
        sealer(&keys).open_item(&mut item).await.unwrap();
        let expected = Patient {
            city: "Oslo".into(),
            diagnosis: "measles".into(),
            age: None,
            lab_values: BTreeMap::from([("crp".into(), 90.0)]),
            notes: vec!["rash".into()],
            ..Patient::sample()
        };
        assert_eq!(Patient::from_item(item).unwrap(), expected);
    });
}

#[test]
fn an_update_that_needs_to_read_an_encrypted_attribute_is_refused_and_left_alone() {
    let diagnosis = || Path::attribute("diagnosis");
    let set = |path: Path, operand: SetOperand| Action::Set(path, SetValue::Operand(operand));
    let value = || SetOperand::Value(Value::s("canary"));
    let refused = [
        Action::Add(Path::attribute("age"), Value::n(1)),
        Action::Delete(Path::attribute("notes"), Value::s("canary")),
        Action::Remove(diagnosis().field("ct")),
        set(diagnosis().field("ct"), value()),
        set(diagnosis(), SetOperand::Path(Path::attribute("city"))),
        set(diagnosis(), SetOperand::IfNotExists(Path::attribute("city"), Box::new(value()))),
        set(diagnosis(), SetOperand::IfNotExists(diagnosis(), Box::new(SetOperand::Path("city".into())))),
        set(diagnosis(), SetOperand::ListAppend(Box::new(value()), Box::new(value()))),
        Action::Set(diagnosis(), SetValue::Plus(value(), value())),
    ];
    for action in refused {
        let mut update = actions(vec![Patient::DIAGNOSIS.set("canary")]);
        update.push(action);
        let before = update.clone();
        let error = block_on(sealer(&keys()).seal_actions(&mut update)).unwrap_err();
        assert!(matches!(error, EncryptionError::NotReplaced { .. }), "{error}");
        assert!(!format!("{error:?} {error}").contains("canary"));
        assert_eq!(update, before);
    }
}

#[test]
fn a_change_does_not_show_its_value() {
    let changes =
        [Patient::DIAGNOSIS.set("canary"), Patient::DIAGNOSIS.remove(), Patient::CITY.set("canary")];
    assert_eq!(format!("{changes:?}"), "[Change(SET diagnosis), Change(REMOVE diagnosis), Change(SET city)]");
    assert_eq!(format!("{:?}", Patient::DIAGNOSIS), "Field(diagnosis)");
}
