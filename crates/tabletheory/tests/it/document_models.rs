//! Documents made from models, and compared.

use std::collections::{BTreeMap, BTreeSet};

use tabletheory::attribute::Binary;
use tabletheory::dms::{Document, ModelDefinition, Naming, WriteMode, equivalent};
use tabletheory::{Attribute, Model};
use tabletheory_core::schema::Projection;
use tabletheory_core::{Value, ValueType};

#[derive(Attribute)]
struct Address {
    city: String,
}

#[derive(Attribute)]
enum Color {
    Red,
}

#[derive(Attribute)]
#[attribute(key)]
struct Mail(String);

#[derive(Model)]
#[model(table = "members", rename_all = "camelCase", pk = "MEMBER#{id}", sk = "PROFILE")]
#[model(pk_attr = "PK", sk_attr = "SK")]
#[model(index(name = "by-mail", pk = mail, sk = created_at, project = "include(color, marks)"))]
struct Member {
    id: String,
    mail: Mail,
    color: Color,
    address: Option<Address>,
    photo: Option<Binary>,
    #[model(omit_empty)]
    marks: BTreeSet<u32>,
    notes: Vec<String>,
    is_new: bool,
    #[model(created_at)]
    created_at: jiff::Timestamp,
    #[model(updated_at)]
    updated_at: jiff::Timestamp,
    #[model(version)]
    version: u64,
    #[model(ttl)]
    ttl: Option<u64>,
}

const MEMBER: &str = r#"
dms_version: "0.2"
models:
  - name: Member
    table: {name: members}
    naming: {convention: camelCase}
    keys:
      sort: {attribute: SK, type: S}
      partition: {attribute: PK, type: S}
    indexes:
      - name: by-mail
        type: GSI
        sort: {attribute: createdAt, type: S}
        partition: {attribute: mail, type: S}
        projection: {type: INCLUDE, fields: [marks, color]}
    attributes:
      - {attribute: SK, type: S, required: true, roles: [sk]}
      - {attribute: PK, type: S, required: true, roles: [pk]}
      - {attribute: ttl, type: N, optional: true, roles: [ttl]}
      - {attribute: version, type: N, roles: [version]}
      - {attribute: createdAt, type: S, roles: [created_at, "index_sk:by-mail"]}
      - {attribute: updatedAt, type: S, roles: [updated_at]}
      - {attribute: isNew, type: BOOL}
      - {attribute: notes, type: L}
      - {attribute: marks, type: NS, optional: true, omit_empty: true}
      - {attribute: photo, type: B, optional: true}
      - {attribute: address, type: M, optional: true}
      - {attribute: color, type: S}
      - {attribute: mail, type: S}
      - {attribute: id, type: S}
"#;

#[test]
fn a_model_and_its_document_say_the_same() {
    let ours = Document::of::<Member>().unwrap();
    let shared = Document::from_yaml(MEMBER).unwrap();
    assert_eq!(equivalent(&ours, &shared), []);
    assert_eq!(equivalent(&shared, &ours), []);
    assert_eq!(ours.models[0].naming, Some(Naming::CamelCase));
    assert_eq!(Document::from_yaml(&ours.to_yaml()).unwrap(), ours);
    let _ = (Address { city: String::new() }, Color::Red, Mail(String::new()));
}

#[track_caller]
fn differs(change: impl FnOnce(&mut ModelDefinition), expected: &str) {
    let shared = Document::from_yaml(MEMBER).unwrap();
    let mut other = shared.clone();
    change(&mut other.models[0]);
    let told: Vec<String> = equivalent(&shared, &other).iter().map(ToString::to_string).collect();
    assert_eq!(told, [expected]);
}

#[test]
fn every_difference_between_documents_is_told() {
    differs(
        |model| model.table = "other".into(),
        "Member: the model: table is members in the first and other in the second",
    );
    differs(
        |model| model.sort = None,
        "Member: the model: sort key is `SK` (S) in the first and nothing in the second",
    );
    differs(
        |model| model.write_policy.mode = WriteMode::WriteOnce,
        "Member: the model: write mode is mutable in the first and write_once in the second",
    );
    differs(
        |model| model.attributes[13].kind = ValueType::N,
        "Member: attribute `id`: type is S in the first and N in the second",
    );
    differs(
        |model| model.attributes[13].encrypted = true,
        "Member: attribute `id`: encrypted is false in the first and true in the second",
    );
    differs(
        |model| model.attributes[4].roles.clear(),
        "Member: attribute `createdAt`: role is created_at in the first and nothing in the second",
    );
    differs(|model| drop(model.attributes.pop()), "Member: attribute `id` is only in the first");
    differs(|model| model.indexes.clear(), "Member: index `by-mail` is only in the first");
    differs(
        |model| model.indexes[0].projection = Projection::All,
        "Member: index `by-mail`: projection is INCLUDE color, marks in the first and ALL in the second",
    );
    let shared = Document::from_yaml(MEMBER).unwrap();
    let mut other = shared.clone();
    other.models[0].name = "Other".into();
    let told: Vec<String> = equivalent(&shared, &other).iter().map(ToString::to_string).collect();
    assert_eq!(told, ["Member: the model is only in the first", "Other: the model is only in the second"]);
}

#[test]
fn names_that_fit_no_convention_name_none() {
    #[derive(Model)]
    #[model(table = "people", rename_all = "PascalCase")]
    struct Person {
        #[model(pk)]
        person_id: String,
    }
    let document = Document::of::<Person>().unwrap();
    assert_eq!(document.models[0].naming, None);
    assert_eq!(document.models[0].attributes[0].attribute, "PersonId");
}

#[test]
fn what_documents_have_no_word_for_is_refused() {
    #[derive(Model)]
    #[model(table = "things", index(name = "wide", pk = (a, b)))]
    struct Thing {
        #[model(pk)]
        id: String,
        a: String,
        b: String,
        any: Value,
    }
    let refused = Document::of::<Thing>().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "models[0].attributes[3]: a document has no word for an attribute whose type is not always the same\n\
         models[0].indexes[0]: a document has no word for a key of several attributes"
    );
    let refused = Document::of::<Member>().unwrap().and::<Member>().unwrap_err();
    assert_eq!(refused.to_string(), "models[1]: `Member` is there twice");
}

#[test]
fn forms_and_encryption_are_in_the_document() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Serde {
        width: u64,
    }

    #[derive(Model)]
    #[model(table = "things")]
    struct Thing {
        #[model(pk)]
        id: String,
        #[model(json)]
        sizes: Option<BTreeMap<String, u64>>,
        #[model(json)]
        marks: BTreeSet<String>,
        #[model(json = "text")]
        size: Serde,
        #[model(set)]
        codes: Vec<u32>,
        #[model(binary)]
        photo: Vec<u8>,
        #[model(encrypted)]
        pin: u32,
        #[model(ttl)]
        ends: jiff::Timestamp,
    }
    let document = Document::of::<Thing>().unwrap();
    let told: Vec<(&str, &str, bool, bool, bool)> = document.models[0]
        .attributes
        .iter()
        .map(|known| (known.attribute.as_str(), known.kind.name(), known.json, known.binary, known.encrypted))
        .collect();
    let expected = [
        ("id", "S", false, false, false),
        ("sizes", "M", true, false, false),
        ("marks", "L", true, false, false),
        ("size", "S", true, false, false),
        ("codes", "NS", false, false, false),
        ("photo", "B", false, true, false),
        ("pin", "N", false, false, true),
        ("ends", "N", false, false, false),
    ];
    assert_eq!(told, expected);

    #[derive(Model)]
    #[model(table = "things")]
    struct Unknown {
        #[model(pk)]
        id: String,
        #[model(json)]
        size: Serde,
    }
    assert!(Document::of::<Unknown>().is_err(), "what serde makes of it is not known before it is made");
}
