//! The models that the tests use: between them they have every attribute of the macro.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use tabletheory::attribute::Binary;
use tabletheory::{Attribute, Model};

/// Templates, indexes of all kinds, roles.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "TENANT#{tenant}#CACHE#{key}", sk = "META")]
#[model(index(name = "gsi1", pk = "TENANT#{tenant}", sk = "GEN#{generated_at:013}", project = "keys"))]
#[model(index(name = "by_tag", pk = "TAG#{tag}", pk_attr = "tag_key", project = "include(s3_key, hits)"))]
#[model(index(name = "wide", pk = (tenant, state), sk = (hits, s3_key)))]
#[model(local_index(name = "lsi1", sk = hits))]
pub(crate) struct Page {
    pub(crate) tenant: String,
    #[model(key_only)]
    pub(crate) key: String,
    pub(crate) s3_key: String,
    pub(crate) generated_at: u64,
    pub(crate) hits: u64,
    pub(crate) state: State,
    pub(crate) tag: Option<String>,
    pub(crate) etag: Option<String>,
    #[model(omit_empty)]
    pub(crate) notes: Vec<String>,
    pub(crate) labels: BTreeSet<String>,
    #[model(default)]
    pub(crate) weight: f64,
    #[model(skip)]
    pub(crate) dirty: bool,
    #[model(ttl)]
    pub(crate) expires: Option<u64>,
    #[model(version)]
    pub(crate) rev: u64,
    #[model(created_at)]
    pub(crate) made: Timestamp,
    #[model(updated_at)]
    pub(crate) changed: Timestamp,
}

#[derive(Attribute, Debug, Clone, Copy, PartialEq, Eq)]
#[attribute(rename_all = "snake_case")]
pub(crate) enum State {
    Fresh,
    GoingStale,
    #[attribute(attr = "dead")]
    Gone,
}

impl Page {
    pub(crate) fn sample() -> Self {
        let moment = Timestamp::from_second(1_700_000_000).unwrap();
        Self {
            tenant: "acme".into(),
            key: "home".into(),
            s3_key: "pages/1.html".into(),
            generated_at: 1_700_000_000,
            hits: 7,
            state: State::GoingStale,
            tag: None,
            etag: Some("abc".into()),
            notes: Vec::new(),
            labels: BTreeSet::from(["a".to_owned(), "b".to_owned()]),
            weight: 1.5,
            dirty: true,
            expires: None,
            rev: 3,
            made: moment,
            changed: moment,
        }
    }
}

/// Key fields, names in camel case, nested values, and a field whose constant has the name of the trait's.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "orders", table_env = "CARGO_PKG_NAME", rename_all = "camelCase")]
pub(crate) struct Order {
    #[model(pk)]
    pub(crate) customer_id: String,
    #[model(sk)]
    pub(crate) order_number: u32,
    pub(crate) name: String,
    pub(crate) ship_to: Address,
    pub(crate) payment: Payment,
    pub(crate) r#type: OrderId,
    #[model(attr = "RAW")]
    pub(crate) raw: Binary,
    pub(crate) prices: BTreeMap<String, u32>,
}

#[derive(Attribute, Debug, Clone, PartialEq)]
#[attribute(rename_all = "PascalCase")]
pub(crate) struct Address {
    pub(crate) street_name: String,
    pub(crate) second_line: Option<String>,
    #[attribute(omit_empty)]
    pub(crate) floor: u8,
    #[attribute(skip)]
    pub(crate) checked: bool,
}

#[derive(Attribute, Debug, Clone, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub(crate) enum Payment {
    Cash,
    Card { last_four: String, valid: Option<u16> },
    Voucher(u32),
}

#[derive(Attribute, Debug, Clone, PartialEq)]
pub(crate) struct OrderId(pub(crate) String);

impl Order {
    pub(crate) fn sample() -> Self {
        Self {
            customer_id: "c1".into(),
            order_number: 12,
            name: "books".into(),
            ship_to: Address { street_name: "Long".into(), second_line: None, floor: 0, checked: true },
            payment: Payment::Card { last_four: "1234".into(), valid: None },
            r#type: OrderId("o-9".into()),
            raw: Binary(vec![1, 2]),
            prices: BTreeMap::from([("ink".to_owned(), 4)]),
        }
    }
}

/// Keys with the names of the first toolkits.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(
    table = "legacy",
    table_env = "TABLETHEORY_TEST_UNSET",
    rename_all = "dynamorm",
    pk = "DAY#{day_number:05}",
    sk = "{state}#{at}#{user:05}"
)]
pub(crate) struct Legacy {
    #[model(key_only)]
    pub(crate) day_number: i32,
    #[model(key_only)]
    pub(crate) state: State,
    #[model(key_only)]
    pub(crate) at: Timestamp,
    #[model(key_only)]
    pub(crate) user: UserId,
    pub(crate) some_text: String,
}

#[derive(Attribute, Debug, Clone, Copy, PartialEq)]
#[attribute(key)]
pub(crate) struct UserId(pub(crate) u16);

impl Legacy {
    pub(crate) fn sample() -> Self {
        let at = Timestamp::from_millisecond(1_700_000_000_250).unwrap();
        Self { day_number: 42, state: State::Gone, at, user: UserId(9), some_text: "x".into() }
    }
}
