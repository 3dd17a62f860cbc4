//! Plays a scenario: every step through the typed toolkit, on fresh tables.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use tabletheory::db::{Transact, Update};
use tabletheory::dms::{Document, ModelDefinition, equivalent};
use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::field::{Field, Filter, Plain as Changeable};
use tabletheory::key::Key;
use tabletheory::{Db, Error, Model};
use tabletheory_core::store::op::{GetItem, PutItem};
use tabletheory_core::{Item, Number, StoreExt, Value};

use crate::answer::{Answer, Memory, check};
use crate::scenario::{Change, Deed, Keys, Operation, Plain, Question, Scan, Scenario};
use crate::subject::{Account, EncryptedRecord, Everything, Part, Reading, Subject};
use crate::value;

/// The seed of the golden vectors.
const SEED: &str = "tabletheory-contract-deterministic-v1";

/// What a scenario is played with.
#[derive(Debug)]
pub struct Stage {
    /// The database.
    pub db: Db,
    /// The documents about the models.
    pub documents: Vec<Document>,
}

impl Stage {
    /// Plays a scenario; says at which step it failed and why.
    pub async fn play(&self, scenario: &Scenario) -> Result<()> {
        match scenario.model.as_str() {
            "Account" => self.play_with::<Account>(scenario).await,
            "Reading" => self.play_with::<Reading>(scenario).await,
            "Everything" => self.play_with::<Everything>(scenario).await,
            "EncryptedRecord" => self.play_with::<EncryptedRecord>(scenario).await,
            other => bail!("there is no model {other}"),
        }
    }

    async fn play_with<M: Subject>(&self, scenario: &Scenario) -> Result<()> {
        let db = match scenario.keys {
            Keys::None => self.db.clone(),
            Keys::Deterministic => self.db.clone().with_keys(DeterministicKeys::new(SEED)),
        };
        let document =
            self.documents.iter().find(|document| document.models.iter().any(|model| model.name == M::NAME));
        let document = document.with_context(|| format!("no document describes {}", M::NAME))?;
        let model = document.models.iter().find(|model| model.name == M::NAME);
        let model = model.context("the document was found by this model")?.clone();
        db.table::<M>().delete().await?;
        db.table::<M>().ensure().await?;
        let mut actor = Actor { db, document: document.clone(), model, memory: Memory::default() };
        for (at, step) in scenario.steps.iter().enumerate() {
            let place = || format!("step {}", at + 1);
            let answer = actor.act::<M>(&step.deed).await.with_context(place)?;
            check(&answer, &step.expect, &actor.model, &mut actor.memory).with_context(place)?;
        }
        Ok(())
    }
}

/// Who performs the steps of one scenario.
struct Actor {
    db: Db,
    document: Document,
    model: ModelDefinition,
    memory: Memory,
}

impl Actor {
    async fn act<M: Subject>(&self, deed: &Deed) -> Result<Answer> {
        let db = &self.db;
        Ok(match deed {
            Deed::Create(plain) => one(db.create(&self.value::<M>(plain)?).await),
            Deed::Put(plain) => one(db.put(&self.value::<M>(plain)?).await),
            Deed::Save(plain) => one(db.save(&self.value::<M>(plain)?).await),
            Deed::Update { item, fields } => {
                let value = self.value::<M>(item)?;
                let update = fields
                    .iter()
                    .fold(db.update(&value), |update, name| update.field(field::<M, Value>(name)));
                one(update.await)
            }
            Deed::Change(change) => one(self.change::<M>(change)?.await),
            Deed::Get(key) => match db.get(self.key::<M>(key)?).consistent().await {
                Ok(found) => {
                    Answer { item: found.map(|value| value.to_item()).transpose()?, ..Answer::default() }
                }
                Err(error) => Answer::refused(&error),
            },
            Deed::Raw(key) => Answer { item: self.raw::<M>(key).await?, ..Answer::default() },
            Deed::Plant(json) => {
                let item: Item = serde_json::from_value(json.clone())?;
                let put = PutItem { table: M::table().into_owned(), item, ..PutItem::default() };
                db.store().put_item(put).await?;
                Answer::default()
            }
            Deed::Delete(key) => done(db.delete(self.key::<M>(key)?).await),
            Deed::DeleteItem(plain) => done(db.delete(&self.value::<M>(plain)?).await),
            Deed::Query(question) => self.query::<M>(question).await?,
            Deed::Count(question) if question.paging.page.is_some() || question.paging.cursor.is_some() => {
                bail!("a count has no pages")
            }
            Deed::Count(question) => match self.asked::<M>(question)?.count().await {
                Ok(count) => Answer { count: Some(count), ..Answer::default() },
                Err(error) => Answer::refused(&error),
            },
            Deed::Scan(asked) => self.scan::<M>(asked).await?,
            Deed::BatchGet(_)
            | Deed::BatchWrite { .. }
            | Deed::Fill { .. }
            | Deed::Transact(_)
            | Deed::TransactGet(_) => self.act_on_many::<M>(deed).await?,
            Deed::Wait(milliseconds) => {
                tokio::time::sleep(Duration::from_millis((*milliseconds).min(1000))).await;
                Answer::default()
            }
            Deed::Describe => {
                let differences = equivalent(&Document::of::<M>()?, &self.own_document());
                let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
                anyhow::ensure!(told.is_empty(), "the model and its document differ: {}", told.join("; "));
                Answer::default()
            }
        })
    }

    async fn act_on_many<M: Subject>(&self, deed: &Deed) -> Result<Answer> {
        let db = &self.db;
        Ok(match deed {
            Deed::BatchGet(keys) => {
                let keys = keys.iter().map(|key| self.key::<M>(key)).collect::<Result<Vec<_>>>()?;
                found(db.batch_get(keys).consistent().await)?
            }
            Deed::BatchWrite { put, delete } => {
                let mut batch = db.batch_write();
                for plain in put {
                    batch = batch.put(&self.value::<M>(plain)?);
                }
                for key in delete {
                    batch = batch.delete(self.key::<M>(key)?);
                }
                done(batch.await)
            }
            Deed::Fill { item, vary, count } => self.fill::<M>(item, vary, *count).await?,
            Deed::Transact(operations) => {
                let mut transaction = db.transact();
                for operation in operations {
                    transaction = self.with::<M>(transaction, operation)?;
                }
                done(transaction.await)
            }
            Deed::TransactGet(keys) => {
                let keys = keys.iter().map(|key| self.key::<M>(key)).collect::<Result<Vec<_>>>()?;
                found(db.transact_get(keys).await)?
            }
            other => bail!("{other:?} is about one item"),
        })
    }

    fn own_document(&self) -> Document {
        let mut document = self.document.clone();
        document.models.retain(|model| model.name == self.model.name);
        document
    }

    /// A value of the model. What the toolkit writes itself need not be said.
    fn value<M: Subject>(&self, plain: &Plain) -> Result<M> {
        let mut item = value::item(&self.model, plain)?;
        for attribute in [M::SCHEMA.created_at, M::SCHEMA.updated_at].into_iter().flatten() {
            if !item.contains(attribute) {
                item.insert(attribute, Value::s("1970-01-01T00:00:00.000000000Z"));
            }
        }
        if let Some(attribute) = M::SCHEMA.version.filter(|attribute| !item.contains(attribute)) {
            item.insert(attribute, Value::n(0));
        }
        Ok(M::from_item(item)?)
    }

    fn key<M: Subject>(&self, plain: &Plain) -> Result<Key<M>> {
        Ok(Key::new(Ok(value::item(&self.model, plain)?)))
    }

    async fn raw<M: Subject>(&self, key: &Plain) -> Result<Option<Item>> {
        let key = value::item(&self.model, key)?;
        let get = GetItem { table: M::table().into_owned(), key, consistent: true, ..GetItem::default() };
        Ok(self.db.store().get_item(get).await?.item)
    }

    fn change<M: Subject>(&self, change: &Change) -> Result<Update<M>> {
        let mut update = self.db.update(self.key::<M>(&change.key)?);
        for (name, json) in &change.set {
            update = update.change(field::<M, Value>(name).set(value::value(&self.model, name, json)?));
        }
        for (name, json) in &change.set_if_not_exists {
            let default = value::value(&self.model, name, json)?;
            update = update.change(field::<M, Value>(name).set_if_not_exists(default));
        }
        for (name, json) in &change.add {
            let Value::N(amount) = value::value(&self.model, name, json)? else {
                bail!("`{name}` is no number")
            };
            update = update.change(field::<M, Number>(name).add(amount));
        }
        for name in &change.remove {
            update = update.change(field::<M, Value>(name).remove());
        }
        for (name, json) in &change.append {
            let Value::L(members) = value::value(&self.model, name, json)? else {
                bail!("`{name}` is no list")
            };
            update = update.change(field::<M, Vec<Value>>(name).append(members));
        }
        if let Some(version) = change.version {
            update = update.version(version);
        }
        if let Some(filter) = self.filter::<M>(&change.when)? {
            update = update.when(filter);
        }
        Ok(if change.or_create { update.or_create() } else { update })
    }

    fn filter<M: Subject>(&self, plain: &Plain) -> Result<Option<Filter<M>>> {
        let mut filter = None;
        for (name, json) in plain {
            let equal = field::<M, Value>(name).eq(value::value(&self.model, name, json)?);
            filter = Some(match filter {
                Some(others) => others & equal,
                None => equal,
            });
        }
        Ok(filter)
    }

    fn with<M: Subject>(&self, transaction: Transact, operation: &Operation) -> Result<Transact> {
        let db = &self.db;
        Ok(match operation {
            Operation::Create(plain) => transaction.with(db.create(&self.value::<M>(plain)?)),
            Operation::Put(plain) => transaction.with(db.put(&self.value::<M>(plain)?)),
            Operation::Save(plain) => transaction.with(db.save(&self.value::<M>(plain)?)),
            Operation::Change(change) => transaction.with(self.change::<M>(change)?),
            Operation::Delete(key) => transaction.with(db.delete(self.key::<M>(key)?)),
            Operation::Check { key, when } => {
                let filter = self.filter::<M>(when)?.context("a check asks for something")?;
                transaction.check(self.key::<M>(key)?, filter)
            }
        })
    }

    fn asked<M: Subject>(&self, question: &Question) -> Result<tabletheory::db::Query<M>> {
        let keys = M::ask(question).with_context(|| format!("{} has no such index", M::NAME))?;
        let mut query = self.db.query(keys);
        if let Some(filter) = self.filter::<M>(&question.filter)? {
            query = query.filter(filter);
        }
        if question.paging.descending {
            query = query.desc();
        }
        Ok(if question.paging.consistent { query.consistent() } else { query })
    }

    async fn query<M: Subject>(&self, question: &Question) -> Result<Answer> {
        let query = self.asked::<M>(question)?;
        let in_pages = question.paging.page.is_some() || question.paging.cursor.is_some();
        let query = match M::part(question, query) {
            Part::Whole(query) => *query,
            Part::Some(_) if in_pages => bail!("an index that carries a part is read whole, not in pages"),
            Part::Some(items) => return Ok(all(items.await)),
        };
        match question.paging.page {
            Some(page) => {
                let page = usize::try_from(page)?;
                let cursor = self.cursor(question.paging.cursor.as_deref())?;
                paged(query.limit(page).page(cursor.as_deref()).await)
            }
            None => whole(query.await),
        }
    }

    async fn scan<M: Subject>(&self, asked: &Scan) -> Result<Answer> {
        let scan = self.db.scan::<M>();
        match asked.page {
            Some(page) => {
                let page = usize::try_from(page)?;
                let cursor = self.cursor(asked.cursor.as_deref())?;
                paged(scan.limit(page).page(cursor.as_deref()).await)
            }
            None => whole(scan.await),
        }
    }

    /// The cursor, which may be one that was kept.
    fn cursor(&self, cursor: Option<&str>) -> Result<Option<String>> {
        let Some(cursor) = cursor else { return Ok(None) };
        match cursor.strip_prefix('$') {
            Some(name) => {
                let kept = self.memory.cursors.get(name);
                Ok(Some(kept.with_context(|| format!("no cursor was kept as `{name}`"))?.clone()))
            }
            None => Ok(Some(cursor.to_owned())),
        }
    }

    async fn fill<M: Subject>(&self, item: &Plain, vary: &str, count: usize) -> Result<Answer> {
        let mut batch = self.db.batch_write();
        for number in 0..count {
            let mut plain = item.clone();
            let text = plain.get(vary).and_then(|json| json.as_str()).unwrap_or_default();
            let text = format!("{text}{number:04}");
            plain.insert(vary.to_owned(), text.into());
            batch = batch.put(&self.value::<M>(&plain)?);
        }
        Ok(done(batch.await))
    }
}

/// A field by its name. Scenarios name attributes that the compiler does not know.
fn field<M: Model, T>(name: &str) -> Field<M, T, Changeable> {
    Field::new(Box::leak(name.to_owned().into_boxed_str()))
}

fn one<M: Model>(answer: Result<M, Error<M>>) -> Answer {
    match answer.map(|value| value.to_item()) {
        Ok(item) => Answer { item: item.ok(), ..Answer::default() },
        Err(error) => Answer::refused(&error),
    }
}

fn done<M>(answer: Result<(), Error<M>>) -> Answer {
    match answer {
        Ok(()) => Answer::default(),
        Err(error) => Answer::refused(&error),
    }
}

fn all<M>(answer: Result<Vec<Item>, Error<M>>) -> Answer {
    match answer {
        Ok(items) => Answer { items, ..Answer::default() },
        Err(error) => Answer::refused(&error),
    }
}

fn items<M: Model>(values: Vec<M>) -> Result<Vec<Item>> {
    values.iter().map(|value| Ok(value.to_item()?)).collect()
}

fn whole<M: Model>(answer: Result<Vec<M>, Error<M>>) -> Result<Answer> {
    Ok(match answer {
        Ok(values) => Answer { items: items(values)?, ..Answer::default() },
        Err(error) => Answer::refused(&error),
    })
}

fn paged<M: Model>(answer: Result<tabletheory::db::Page<M>, Error<M>>) -> Result<Answer> {
    Ok(match answer {
        Ok(page) => {
            Answer { items: items(page.items)?, cursor: page.cursor.unwrap_or_default(), ..Answer::default() }
        }
        Err(error) => Answer::refused(&error),
    })
}

fn found<M: Model, E>(answer: Result<Vec<Option<M>>, Error<E>>) -> Result<Answer> {
    Ok(match answer {
        Ok(found) => {
            let items =
                found.into_iter().flatten().map(|value| value.to_item()).collect::<Result<Vec<_>, _>>()?;
            Answer { items, ..Answer::default() }
        }
        Err(error) => Answer::refused(&error),
    })
}
