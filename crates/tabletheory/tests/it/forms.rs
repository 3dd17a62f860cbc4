//! Fields that are stored in another form than their own: JSON, sets in vectors, bytes, times to live, and defaults.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use futures_executor::block_on;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tabletheory::Model;
use tabletheory::attribute::{AttributeError, Fault};
use tabletheory::field::{Change, Filter};
use tabletheory::model::ModelError;
use tabletheory::testing::TestStore;
use tabletheory_core::expr::Update;
use tabletheory_core::store::op::{PutItem, ReturnValues, UpdateItem, WriteReturns};
use tabletheory_core::{Item, Number, StoreError, StoreExt, Value};

/// Every form, and every form inside an `Option`.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", rename_all = "camelCase", index(name = "by_end", pk = owner, sk = ends))]
struct Document {
    #[model(pk, binary)]
    hash: Vec<u8>,
    owner: String,
    #[model(json)]
    layout: Layout,
    #[model(json, omit_empty)]
    extra: serde_json::Value,
    #[model(json)]
    maybe_layout: Option<Layout>,
    #[model(json = "text")]
    options: BTreeMap<String, u32>,
    #[model(json = "text")]
    maybe_options: Option<Layout>,
    #[model(set)]
    tags: Vec<String>,
    #[model(set, omit_empty)]
    sizes: Vec<u32>,
    #[model(set)]
    maybe_tags: Option<Vec<String>>,
    #[model(binary, default)]
    body: Vec<u8>,
    #[model(binary)]
    maybe_body: Option<Vec<u8>>,
    #[model(ttl)]
    ends: Timestamp,
    seen_at: Timestamp,
    #[model(default = "three")]
    copies: u8,
    #[model(json, default = "Layout::wide")]
    fallback: Layout,
}

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Layout {
    columns: u8,
}

impl Layout {
    fn wide() -> Self {
        Self { columns: 12 }
    }
}

fn three() -> u8 {
    3
}

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

impl Document {
    fn sample() -> Self {
        Self {
            hash: vec![0, 255],
            owner: "ada".into(),
            layout: Layout { columns: 2 },
            extra: json!({"depth": [1, 2.5, null]}),
            maybe_layout: Some(Layout { columns: 3 }),
            options: BTreeMap::from([("b".into(), 1), ("a".into(), 2)]),
            maybe_options: None,
            tags: vec!["b".into(), "a".into(), "b".into()],
            sizes: Vec::new(),
            maybe_tags: Some(vec!["x".into()]),
            body: b"text".to_vec(),
            maybe_body: None,
            ends: moment("2023-11-14T22:13:20.999Z"),
            seen_at: moment("2023-11-14T22:13:20.5Z"),
            copies: 1,
            fallback: Layout { columns: 4 },
        }
    }

    /// The sample as it is after reading.
    fn read() -> Self {
        let tags = vec!["a".into(), "b".into()];
        Self { tags, ends: moment("2023-11-14T22:13:20Z"), ..Self::sample() }
    }
}

fn map<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Value {
    Value::M(Item::from(members))
}

#[test]
fn forms_are_what_the_service_and_the_other_toolkits_expect() {
    let depth = Value::L(vec![Value::n(1), Value::N("2.5".parse().unwrap()), Value::Null]);
    let expected = Item::from([
        ("hash", Value::B(vec![0, 255])),
        ("owner", Value::s("ada")),
        ("layout", map([("columns", Value::n(2))])),
        ("extra", map([("depth", depth)])),
        ("maybeLayout", map([("columns", Value::n(3))])),
        ("options", Value::s(r#"{"a":2,"b":1}"#)),
        ("tags", Value::Ss(["a".to_owned(), "b".to_owned()].into())),
        ("maybeTags", Value::Ss(["x".to_owned()].into())),
        ("body", Value::B(b"text".to_vec())),
        ("ends", Value::n(1_700_000_000)),
        ("seenAt", Value::s("2023-11-14T22:13:20.500000000Z")),
        ("copies", Value::n(1)),
        ("fallback", map([("columns", Value::n(4))])),
    ]);
    assert_eq!(Document::sample().to_item().unwrap(), expected);
    assert_eq!(Document::from_item(expected).unwrap(), Document::read());
}

#[test]
fn older_forms_are_read() {
    let mut item = Document::sample().to_item().unwrap();
    item.insert("layout", r#"{"columns":2}"#);
    item.insert("options", map([("a", Value::n(2)), ("b", Value::n(1))]));
    item.insert("tags", Value::L(vec![Value::s("a"), Value::s("b")]));
    item.insert("sizes", Value::Null);
    item.insert("body", Value::L(b"text".iter().map(|byte| Value::n(*byte)).collect()));
    item.insert("maybeBody", Value::Null);
    assert_eq!(Document::from_item(item).unwrap(), Document::read());
}

#[test]
fn what_is_missing_is_the_default_that_the_field_names() {
    let mut item = Document::sample().to_item().unwrap();
    for name in ["extra", "maybeLayout", "tags", "maybeTags", "body", "copies", "fallback"] {
        item.remove(name);
    }
    let document = Document::from_item(item).unwrap();
    assert_eq!((document.extra, document.maybe_layout), (json!(null), None));
    assert_eq!((document.tags, document.maybe_tags), (Vec::new(), None));
    assert_eq!((document.body, document.copies, document.fallback), (Vec::new(), 3, Layout { columns: 12 }));
}

#[test]
fn a_form_that_cannot_be_read_is_named_and_its_value_is_not() {
    let fails = |name: &'static str, value: Value| {
        let mut item = Document::sample().to_item().unwrap();
        item.insert(name, value);
        let error = Document::from_item(item).unwrap_err();
        assert!(!format!("{error:?}").contains("canary"));
        error.to_string()
    };
    assert_eq!(
        fails("layout", map([("columns", Value::s("canary"))])),
        "cannot read a Document: layout.columns: expected N, found S"
    );
    assert_eq!(fails("options", Value::s("canary")), "cannot read a Document: options: the text is not JSON");
    assert_eq!(
        fails("tags", Value::s("canary")),
        "cannot read a Document: tags: expected SS, NS or BS, found S"
    );
    assert_eq!(fails("body", Value::s("canary")), "cannot read a Document: body: expected B, found S");
    assert_eq!(fails("ends", Value::s("canary")), "cannot read a Document: ends: expected N, found S");
    assert_eq!(
        fails("ends", Value::N("1.5".parse().unwrap())),
        "cannot read a Document: ends: the number does not fit into a moment in seconds since 1970"
    );
    let unfit = Document { extra: json!(null), ..Document::sample() };
    assert!(!unfit.to_item().unwrap().contains("extra"), "the null value is empty");
}

/// Applies the changes if the filter holds of [`Document::sample`]; `None` if it does not.
fn update(filter: Option<Filter<Document>>, changes: Vec<Change<Document>>) -> Option<Document> {
    block_on(async {
        let store = TestStore::new();
        let document = Document::sample();
        store.create_table(Document::SCHEMA.create_table("app")).await.unwrap();
        let item = document.to_item().unwrap();
        store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await.unwrap();
        let actions = changes.into_iter().map(|change| change.into_action().unwrap()).collect();
        let request = UpdateItem {
            table: "app".into(),
            key: Document::key(vec![0, 255]).into_item().unwrap(),
            update: Some(Update { actions }),
            condition: filter.map(|filter| filter.into_condition().unwrap()),
            returns: WriteReturns { values: ReturnValues::AllNew, ..WriteReturns::default() },
        };
        match store.update_item(request).await {
            Ok(output) => Some(Document::from_item(output.attributes.unwrap()).unwrap()),
            Err(StoreError::ConditionalCheckFailed { .. }) => None,
            Err(other) => panic!("{other}"),
        }
    })
}

fn holds(filter: Filter<Document>) -> bool {
    update(Some(filter), vec![Document::COPIES.set(2)]).is_some()
}

#[test]
fn fields_in_other_forms_are_compared_as_what_they_are_in_rust() {
    assert!(holds(Document::BODY.eq(b"text".to_vec()) & Document::BODY.begins_with(b"te")));
    assert!(holds(Document::BODY.eq(&b"text"[..]) & Document::MAYBE_BODY.eq(None)));
    assert!(!holds(Document::MAYBE_BODY.eq([1u8])));
    assert!(holds(Document::TAGS.contains("a") & Document::TAGS.eq(["b", "a"])));
    assert!(holds(Document::LAYOUT.eq(Layout { columns: 2 }) & Document::LAYOUT.ne(&Layout { columns: 3 })));
    assert!(holds(Document::MAYBE_LAYOUT.eq(Layout { columns: 3 }) & Document::MAYBE_OPTIONS.eq(None)));
    assert!(holds(Document::OPTIONS.eq(Document::sample().options)));
    let end = moment("2023-11-14T22:13:20Z");
    assert!(holds(Document::ENDS.eq(end) & Document::ENDS.le(end)) && !holds(Document::ENDS.lt(end)));
}

#[test]
fn fields_in_other_forms_are_changed_with_what_they_are_in_rust() {
    let changes = vec![
        Document::BODY.set([9u8, 8]),
        Document::MAYBE_BODY.set(vec![7]),
        Document::TAGS.add(["c"]),
        Document::SIZES.add(vec![4, 4]),
        Document::MAYBE_TAGS.set(None),
        Document::LAYOUT.set(Layout { columns: 9 }),
        Document::EXTRA.set(json!([true])),
        Document::MAYBE_LAYOUT.set(None),
        Document::MAYBE_OPTIONS.set(Some(Layout { columns: 1 })),
        Document::ENDS.set(moment("2024-01-01T00:00:00.7Z")),
    ];
    let document = update(None, changes).unwrap();
    let expected = Document {
        body: vec![9, 8],
        maybe_body: Some(vec![7]),
        tags: ["a", "b", "c"].map(str::to_owned).to_vec(),
        sizes: vec![4],
        maybe_tags: None,
        layout: Layout { columns: 9 },
        extra: json!([true]),
        maybe_layout: None,
        maybe_options: Some(Layout { columns: 1 }),
        ends: moment("2024-01-01T00:00:00Z"),
        ..Document::sample()
    };
    assert_eq!(document, expected);
    let document = update(None, vec![Document::TAGS.delete_from_set(["a"]), Document::ENDS.add(60)]).unwrap();
    assert_eq!((document.tags, document.ends), (vec!["b".to_owned()], moment("2023-11-14T22:14:20Z")));
    let empty: [&str; 0] = [];
    let none = ModelError::Nothing { model: "Document", attribute: "tags", method: "add" };
    assert_eq!(Document::TAGS.add(empty).into_action().unwrap_err(), none);
    assert!(update(None, vec![Document::TAGS.set(empty)]).unwrap().tags.is_empty());
}

/// Times to live of the other types.
#[derive(Model, Debug, PartialEq)]
#[model(table = "app")]
struct Session {
    #[model(pk)]
    id: String,
    #[model(ttl)]
    ends: Option<SystemTime>,
}

#[test]
fn a_time_to_live_loses_what_is_less_than_a_second_and_never_lives_longer() {
    let stored =
        |ends: Option<SystemTime>| Session { id: "a".into(), ends }.to_item().unwrap().remove("ends");
    let read = |ends: Value| {
        let item = Item::from([("id", Value::s("a")), ("ends", ends)]);
        Session::from_item(item).map(|session| session.ends)
    };
    let after = |millis| Some(SystemTime::UNIX_EPOCH + Duration::from_millis(millis));
    let before = |millis| Some(SystemTime::UNIX_EPOCH - Duration::from_millis(millis));
    assert_eq!(stored(after(1999)), Some(Value::n(1)));
    assert_eq!(stored(before(1)), Some(Value::n(-1)));
    assert_eq!(stored(before(2000)), Some(Value::n(-2)));
    assert_eq!(stored(None), None);
    assert_eq!(read(Value::n(1)), Ok(after(1000)));
    assert_eq!(read(Value::n(-2)), Ok(before(2000)));
    let fault = Fault::DoesNotFit { kind: "a moment in seconds since 1970" };
    let source = AttributeError::from(fault).inside("ends");
    assert_eq!(read(Value::N(Number::from(u64::MAX))), Err(ModelError::Read { model: "Session", source }));
    let early = Document { ends: moment("1969-12-31T23:59:59.5Z"), ..Document::sample() };
    assert_eq!(early.to_item().unwrap().get("ends"), Some(&Value::n(-1)));
}

#[test]
fn keys_follow_the_form() {
    let table = Document::SCHEMA.create_table("app");
    let kinds: Vec<(&str, &str)> =
        table.attributes.iter().map(|key| (key.name.as_str(), key.kind.name())).collect();
    assert_eq!(kinds, [("hash", "B"), ("owner", "S"), ("ends", "N")]);
    assert_eq!(Document::sample().key_of(), Document::key(vec![0, 255]));
}
