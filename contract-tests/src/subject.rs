//! The models that scenarios speak of, as Rust has them. Their documents in `models/` say the same, which is a scenario of
//! its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::pin::Pin;

use jiff::Timestamp;
use tabletheory::attribute::Binary;
use tabletheory::db::Query;
use tabletheory::query::KeyQuery;
use tabletheory::{Error, Model, Projection};
use tabletheory_core::{Item, Number, Value};

use crate::scenario::{Question, Sort};

/// A model that scenarios can ask questions about.
pub trait Subject: Model {
    /// The typed query for a question, if the model has such an index.
    fn ask(question: &Question) -> Option<KeyQuery<Self>>;

    /// The query as it is, or what an index that does not carry everything gives.
    fn part(_question: &Question, query: Query<Self>) -> Part<Self> {
        Part::Whole(Box::new(query))
    }
}

/// What a query can give.
pub enum Part<M> {
    /// Whole values.
    Whole(Box<Query<M>>),
    /// Only some attributes of each item.
    Some(Items<M>),
}

/// Items to come.
pub type Items<M> = Pin<Box<dyn Future<Output = Result<Vec<Item>, Error<M>>> + Send>>;

impl<M> fmt::Debug for Part<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Some(_) => "Some",
        })
    }
}

/// Whether a question is about a table without a sort key.
fn unsorted(question: &Question) -> bool {
    question.index.is_none() && question.sort.is_none()
}

/// What a sort key that is a text can be asked.
macro_rules! sorted {
    ($query:expr, $sort:expr) => {
        match $sort.clone() {
            None => $query.erase(),
            Some(Sort::Eq(text)) => $query.eq(text).erase(),
            Some(Sort::Lt(text)) => $query.lt(text).erase(),
            Some(Sort::Le(text)) => $query.le(text).erase(),
            Some(Sort::Gt(text)) => $query.gt(text).erase(),
            Some(Sort::Ge(text)) => $query.ge(text).erase(),
            Some(Sort::Between(low, high)) => $query.between(low, high).erase(),
            Some(Sort::BeginsWith(text)) => $query.begins_with(text).erase(),
        }
    };
}

/// An account: every role, both kinds of projection, camel case.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "contract_accounts", rename_all = "camelCase")]
#[model(index(name = "by-email", pk = email, project = "keys"))]
#[model(index(name = "by-state", pk = state, sk = sk, project = "include(nickname)"))]
pub struct Account {
    #[model(pk, attr = "PK")]
    pk: String,
    #[model(sk, attr = "SK")]
    sk: String,
    email: Option<String>,
    state: Option<String>,
    #[model(omit_empty)]
    nickname: String,
    #[model(omit_empty)]
    points: u64,
    #[model(omit_empty)]
    tags: BTreeSet<String>,
    #[model(omit_empty)]
    notes: Vec<String>,
    #[model(default)]
    bio: String,
    #[model(ttl)]
    expires_at: Option<u64>,
    #[model(version)]
    version: u64,
    #[model(created_at)]
    created_at: Timestamp,
    #[model(updated_at)]
    updated_at: Timestamp,
}

impl Subject for Account {
    fn ask(question: &Question) -> Option<KeyQuery<Self>> {
        let partition = question.partition.as_str();
        match question.index.as_deref() {
            None => Some(sorted!(Self::query(partition), question.sort)),
            Some("by-email") if question.sort.is_none() => Some(Self::by_email(partition).erase()),
            Some("by-state") => Some(sorted!(Self::by_state(partition), question.sort)),
            Some(_) => None,
        }
    }

    fn part(question: &Question, query: Query<Self>) -> Part<Self> {
        match question.index.as_deref() {
            Some("by-email") => Part::Some(Box::pin(async {
                let found = query.select::<AccountOfEmail>().await?;
                Ok(found.into_iter().map(AccountOfEmail::into_item).collect())
            })),
            Some("by-state") => Part::Some(Box::pin(async {
                let found = query.select::<AccountOfState>().await?;
                Ok(found.into_iter().map(AccountOfState::into_item).collect())
            })),
            _ => Part::Whole(Box::new(query)),
        }
    }
}

/// What the index `by-email` carries: the keys.
#[derive(Projection, Debug, Clone, PartialEq)]
#[projection(of = Account)]
struct AccountOfEmail {
    pk: String,
    sk: String,
    email: Option<String>,
}

impl AccountOfEmail {
    fn into_item(self) -> Item {
        let mut item = Item::from([("PK", self.pk), ("SK", self.sk)]);
        if let Some(email) = self.email {
            item.insert("email", email);
        }
        item
    }
}

/// What the index `by-state` carries: the keys and the nickname.
#[derive(Projection, Debug, Clone, PartialEq)]
#[projection(of = Account)]
struct AccountOfState {
    pk: String,
    sk: String,
    state: Option<String>,
    nickname: String,
}

impl AccountOfState {
    fn into_item(self) -> Item {
        let mut item = Item::from([("PK", self.pk), ("SK", self.sk), ("nickname", self.nickname)]);
        if let Some(state) = self.state {
            item.insert("state", state);
        }
        item
    }
}

/// Numbers that others round, in snake case.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "contract_readings", rename_all = "snake_case")]
pub struct Reading {
    #[model(pk)]
    sensor_id: String,
    #[model(sk)]
    taken_at: String,
    whole_number: Number,
    small_fraction: Number,
    signed_count: i64,
    float_value: f64,
}

impl Subject for Reading {
    fn ask(question: &Question) -> Option<KeyQuery<Self>> {
        let own = question.index.is_none();
        own.then(|| sorted!(Self::query(question.partition.as_str()), question.sort))
    }
}

/// Every type.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "contract_everything", rename_all = "camelCase")]
pub struct Everything {
    #[model(pk)]
    id: String,
    text: String,
    number: Number,
    bytes: Binary,
    flag: bool,
    nothing: Option<String>,
    list: Vec<Value>,
    map: BTreeMap<String, Value>,
    texts: BTreeSet<String>,
    numbers: BTreeSet<Number>,
    binaries: BTreeSet<Binary>,
}

impl Subject for Everything {
    fn ask(question: &Question) -> Option<KeyQuery<Self>> {
        unsorted(question).then(|| Self::query(question.partition.as_str()).erase())
    }
}

/// A record with a secret. Its name is that of the golden vectors, because the keys are drawn from it.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "contract_secrets", rename_all = "camelCase")]
pub struct EncryptedRecord {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    secret: String,
    label: String,
}

impl Subject for EncryptedRecord {
    fn ask(question: &Question) -> Option<KeyQuery<Self>> {
        unsorted(question).then(|| Self::query(question.partition.as_str()).erase())
    }
}
