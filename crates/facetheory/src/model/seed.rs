//! The seeds' own requests, with the text of their conditions, for models that must be found unsafe.

use std::collections::BTreeMap;

use tabletheory_core::expr::{Condition, Placeholders, Update};
use tabletheory_core::store::op::{PutItem, TransactAction, TransactWrite, TransactWriteItems};
use tabletheory_core::{Item, Request, Value};

use super::recipe::{Publish, Recipe, Term};
use super::rows::{REVALIDATE, body_key, seconds, token};

/// Which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seed {
    /// The expiry of the lease guards a publish, and nothing else: the guard of 001 that is offered beside the token.
    ExpiryOnly,
    /// 001, recipe A: token and expiry guard a publish.
    RecipeA,
    /// 003: an intent is begun before the lease is taken, and completed by a bare update.
    Intents,
}

/// The seed's request, where it has one. A purge is not in the seeds: here it is the obvious one, which makes META stale.
pub(super) fn request(seed: Seed, pk: &str, recipe: Recipe) -> Option<Request> {
    match recipe {
        Recipe::Acquire(term) => Some(acquire(pk, term)),
        Recipe::Begin { attempt: _, hash } => Some(begin(pk, hash)),
        Recipe::Publish(of) => Some(publish(seed, pk, of)),
        Recipe::Purge { has_meta, .. } => Some(purge(pk, has_meta)),
        _ => None,
    }
}

fn acquire(pk: &str, term: Term) -> Request {
    let item = Item::from([
        ("pk", Value::s(pk)),
        ("sk", Value::s("LOCK")),
        ("lease_token", Value::s(token(term.attempt))),
        ("lease_expires_at", Value::n(seconds(term.expires))),
        ("ttl", Value::n(seconds(term.expires) + 1)),
    ]);
    let values = [(":now", Value::n(seconds(term.now)))];
    let condition = condition("attribute_not_exists(pk) OR lease_expires_at <= :now", values);
    PutItem { item, condition: Some(condition), ..PutItem::default() }.into()
}

fn begin(pk: &str, hash: u8) -> Request {
    let item = Item::from([
        ("pk", Value::s(pk)),
        ("sk", Value::s("REQ#r-1")),
        ("request_hash", Value::s(format!("h{hash}"))),
        ("status", Value::s("STARTED")),
        ("ttl", Value::n(seconds(2))),
    ]);
    let condition = Condition::AttributeNotExists("pk".into());
    PutItem { item, condition: Some(condition), ..PutItem::default() }.into()
}

fn publish(seed: Seed, pk: &str, publish: Publish) -> Request {
    let meta = Item::from([
        ("pk", Value::s(pk)),
        ("sk", Value::s("META")),
        ("s3_key", Value::s(body_key(publish.attempt))),
        ("generated_at", Value::n(seconds(publish.generated_at))),
        ("revalidate_seconds", Value::n(REVALIDATE)),
    ]);
    let token = (":tok", Value::s(token(publish.attempt)));
    let now = (":now", Value::n(seconds(publish.now)));
    let lease = match seed {
        Seed::ExpiryOnly => condition("lease_expires_at > :now", [now]),
        Seed::RecipeA | Seed::Intents => {
            condition("lease_token = :tok AND lease_expires_at > :now", [token, now])
        }
    };
    let mut writes = vec![
        write(TransactAction::Put { item: meta }, None),
        write(TransactAction::Delete { key: key(pk, "LOCK") }, Some(lease)),
    ];
    if publish.request.is_some() {
        let result = (":result", Value::s(body_key(publish.attempt)));
        let completed = (":completed", Value::s("COMPLETED"));
        let update = update("SET #status = :completed, result_s3_key = :result", [completed, result]);
        writes.push(write(TransactAction::Update { key: key(pk, "REQ#r-1"), update }, None));
    }
    transaction(writes)
}

fn purge(pk: &str, has_meta: bool) -> Request {
    let key = key(pk, "META");
    if !has_meta {
        let absent = Condition::AttributeNotExists("pk".into());
        return transaction(vec![write(TransactAction::ConditionCheck { key }, Some(absent))]);
    }
    let update = update("SET revalidate_seconds = :zero", [(":zero", Value::n(0))]);
    transaction(vec![write(TransactAction::Update { key, update }, None)])
}

fn key(pk: &str, sk: &str) -> Item {
    Item::from([("pk", Value::s(pk)), ("sk", Value::s(sk))])
}

fn write(action: TransactAction, condition: Option<Condition>) -> TransactWrite {
    TransactWrite { table: String::new(), action, condition, on_condition_failure: Default::default() }
}

fn transaction(writes: Vec<TransactWrite>) -> Request {
    TransactWriteItems { writes, ..TransactWriteItems::default() }.into()
}

fn condition<const COUNT: usize>(text: &str, values: [(&str, Value); COUNT]) -> Condition {
    placeholders(None, values).condition(text).expect("the seed's text is a condition")
}

fn update<const COUNT: usize>(text: &str, values: [(&str, Value); COUNT]) -> Update {
    let status = BTreeMap::from([("#status".to_owned(), "status".to_owned())]);
    placeholders(Some(status), values).update(text).expect("the seed's text is an update")
}

fn placeholders<const COUNT: usize>(
    names: Option<BTreeMap<String, String>>,
    values: [(&str, Value); COUNT],
) -> Placeholders {
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Placeholders::new(names, Some(values)).expect("whole placeholders")
}
