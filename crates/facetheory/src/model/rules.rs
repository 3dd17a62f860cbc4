//! How a recipe becomes a request: by the transactions that the code sends, or by a seed's own text.

use std::fmt;

use futures_executor::block_on;
use tabletheory::{Db, Model};
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::DeleteItem;
use tabletheory_core::{Request, Store, Timestamp};

use super::recipe::{Attempt, Publish, Recipe, Term};
use super::rows::{REVALIDATE, body_key, seconds, token};
use super::seed::{self, Seed};
use crate::key::{KeyScheme, PageKey, Partition};
use crate::meta::transaction::{self, Claim, Found, Next, Publication};
use crate::meta::{Ground, Guards, Purge, Replaced, next_generation};
use crate::record::{Lock, Meta, Version};

/// For how many seconds the table keeps a lease that has ended.
const LOCK_BUFFER: i64 = 1;
/// For how many seconds it keeps an intent.
const REQUEST_RETENTION: i64 = 3;

/// For how many seconds a failure asks for patience.
pub(super) const PATIENCE: u8 = 1;

/// Whose conditions guard the rows.
pub(super) struct Rules {
    db: Db,
    partition: Partition,
    guards: Guards,
    /// Whether versions are kept.
    versions: bool,
    /// The seed whose text stands in the place of ours.
    seed: Option<Seed>,
    /// The first attempt of the worker that runs another store.
    foreign_from: Option<Attempt>,
}

/// A store that no builder may call: what they make is evaluated here.
#[derive(Debug)]
struct NoStore;

impl Store for NoStore {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        panic!("{} was sent", request.name())
    }
}

impl Rules {
    /// The rules that the code runs, or a seed's.
    pub(super) fn new(
        guards: Guards,
        versions: bool,
        seed: Option<Seed>,
        foreign_from: Option<Attempt>,
    ) -> Self {
        let partition = KeyScheme::Hashed.partition(&PageKey::path("/news")).expect("a short key");
        Self { db: Db::new(NoStore), partition, guards, versions, seed, foreign_from }
    }

    /// The request of a recipe.
    pub(super) fn request(&self, recipe: Recipe) -> Request {
        let attempt = recipe.attempt();
        let is_foreign = self.foreign_from.is_some_and(|first| attempt.is_some_and(|of| of >= first));
        let seed = self.seed.or(is_foreign.then_some(Seed::RecipeA));
        let literal = seed.and_then(|seed| seed::request(seed, self.partition.as_str(), recipe));
        literal.unwrap_or_else(|| self.our_request(recipe))
    }

    fn our_request(&self, recipe: Recipe) -> Request {
        let (db, partition) = (&self.db, &self.partition);
        match recipe {
            Recipe::Acquire(of) => update(transaction::acquire(db, partition, &term(of))),
            Recipe::Claim { term: of, hash } => {
                let claim = claim(of.now, hash);
                transact(transaction::claim(db, partition, &claim, &term(of)))
            }
            Recipe::Begin { .. } => panic!("our claims take the lease too"),
            Recipe::Refresh { attempt, expires } => {
                let term = term(Term { attempt, now: 0, expires });
                update(transaction::refresh(db, partition, &term))
            }
            Recipe::Release { attempt } => {
                let release = transaction::release(db, partition, &token(attempt));
                release.request().expect("a key and a condition").into()
            }
            Recipe::Fail { attempt, now } => {
                let (now, next) = (timestamp(now), timestamp(now + PATIENCE));
                update(transaction::fail(db, partition, &token(attempt), now, next))
            }
            Recipe::FailRequest { attempt, hash } => {
                let claim = claim(0, hash);
                update(transaction::fail_request(db, partition, &claim, &token(attempt), "origin"))
            }
            Recipe::Publish(publish) => self.publish(publish),
            Recipe::Purge { now, has_meta, .. } => {
                let found = match has_meta {
                    // Since when a page is stale is no law of the model, so any page will do: more happens here than can.
                    true => Found::Page { page: Replaced::Unreadable, stale_since: timestamp(now) },
                    false => Found::Nothing,
                };
                transact(transaction::purge(db, partition, Purge::Stale, &found, Next::Grows))
            }
            Recipe::Show { attempt, generation, seen, body } => self.show(attempt, generation, seen, body),
            Recipe::ForgetLock => forget(db.delete(Lock::key(partition.as_str())).request()),
            Recipe::ForgetRequest => {
                let key = crate::record::Request::key(partition.as_str(), INTENT);
                forget(db.delete(key).request())
            }
        }
    }

    fn publish(&self, publish: Publish) -> Request {
        let Publish { attempt, now, generated_at, ground, request } = publish;
        let meta = self.meta(attempt, generation(&publish), generated_at, ground.version.map(u64::from));
        let version = self.versions.then(|| version(&meta, attempt));
        let publication = Publication {
            ground: Ground {
                epoch: ground.epoch.map(u64::from),
                site_epoch: None,
                generation: ground.generation,
                version: ground.version.map(u64::from),
                replaces: replaces(ground.body),
            },
            guards: self.guards,
            version,
            request: request.map(|hash| claim(now, hash)),
            token: token(attempt),
            now: timestamp(now),
            meta,
        };
        transact(transaction::publish(&self.db, &self.partition, &publication))
    }

    /// The version of an attempt shown again, as the rows of a rollback are made.
    fn show(&self, attempt: Attempt, generation: u64, seen: Option<u64>, body: Option<Attempt>) -> Request {
        let mut meta = self.meta(attempt, generation, 0, None);
        meta.revalidate_seconds = 0;
        let version = version(&meta, attempt);
        let seen = Ground { generation: seen, replaces: replaces(body), ..Ground::default() };
        transact(transaction::show(&self.db, &self.partition, &meta, &seen, &version))
    }

    fn meta(&self, attempt: Attempt, generation: u64, generated_at: u8, seen_version: Option<u64>) -> Meta {
        let mut meta = Meta {
            pk: self.partition.as_str().to_owned(),
            s3_key: body_key(attempt),
            generated_at: seconds(generated_at),
            revalidate_seconds: REVALIDATE,
            etag: None,
            ttl: None,
            generated_at_ms: None,
            generation: Some(generation),
            publisher_token: Some(token(attempt)),
            status: None,
            headers: Vec::new(),
            tags: Vec::new(),
            body_sha256: None,
            body_len: None,
            current_sk: None,
            version: Some(seen_version.unwrap_or(0) + 1),
            site_epoch: None,
            stale_since_ms: None,
            gone: false,
            page: None,
        };
        if self.versions {
            meta.current_sk = Some(version(&meta, attempt).sort_key());
        }
        meta
    }
}

/// The page whose body was seen.
fn replaces(body: Option<Attempt>) -> Replaced {
    body.map_or(Replaced::Nothing, |attempt| Replaced::Body(body_key(attempt)))
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("guards", &self.guards)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// The idempotency key of the one intent.
const INTENT: &str = "r-1";

/// The generation that a publish writes, as the code numbers them.
pub(super) fn generation(publish: &Publish) -> u64 {
    next_generation(publish.ground.generation, timestamp(publish.now))
}

fn timestamp(moment: u8) -> Timestamp {
    Timestamp::from_seconds(seconds(moment))
}

fn term(of: Term) -> transaction::Term {
    let expires_at = seconds(of.expires);
    let token = token(of.attempt);
    transaction::Term { token, now: timestamp(of.now), expires_at, ttl: expires_at + LOCK_BUFFER }
}

fn claim(now: u8, hash: u8) -> Claim {
    let ttl = seconds(now) + REQUEST_RETENTION;
    Claim { key: INTENT.to_owned(), request_hash: format!("h{hash}"), ttl }
}

fn version(meta: &Meta, attempt: Attempt) -> Version {
    Version::of(meta, token(attempt))
}

fn update<M: Model + 'static>(update: tabletheory::db::Update<M>) -> Request {
    block_on(update.request()).expect("the rules make whole requests").into()
}

fn transact(transaction: tabletheory::db::Transact) -> Request {
    block_on(transaction.request()).expect("the rules make whole requests").into()
}

fn forget<M: Model>(request: Result<DeleteItem, tabletheory::Error<M>>) -> Request {
    request.expect("a key is enough").into()
}
