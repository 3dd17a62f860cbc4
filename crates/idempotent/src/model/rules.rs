//! How a recipe becomes a request: by the writes that the code sends, or by the seed's own text.

use std::fmt;

use futures_executor::block_on;
use tabletheory::Db;
use tabletheory_core::expr::Condition;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{PutItem, UpdateItem};
use tabletheory_core::{Item, Request, Store, Timestamp};

use super::recipe::{Attempt, Moment, Recipe};
use super::scenario::LOCK;
use crate::moment;
use crate::record::IdempotencyRecord as Row;
use crate::record::Status;
use crate::stored::Stored;
use crate::write::{self, Claiming, Own};

/// The model's second 0. Real rows hold real dates.
const BEGINNING: i64 = 1_700_000_000;
const ROW_KEY: &str = "k";

/// Whose conditions guard the row.
pub(super) struct Rules {
    db: Db,
    seed: bool,
    keep: Moment,
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
    pub(super) fn new(seed: bool, keep: Moment) -> Self {
        Self { db: Db::new(NoStore), seed, keep }
    }

    /// The request of a recipe.
    pub(super) fn request(&self, recipe: Recipe) -> Request {
        match recipe {
            Recipe::Claim { attempt, now, hash } if self.seed => self.seed_claim(attempt, now, hash).into(),
            Recipe::Complete { attempt, now } if self.seed => self.seed_complete(attempt, now).into(),
            Recipe::Claim { attempt, now, hash } => {
                update(write::claim(&self.db, &self.claiming(attempt, now, hash), true))
            }
            Recipe::Extend { attempt, now } => {
                let locked_until = moment::ceil_text(at(now + LOCK));
                update(write::extend(&self.db, self.own(&token(attempt), now), &locked_until))
            }
            Recipe::Complete { attempt, now } => update(self.complete(attempt, now)),
            Recipe::Fail { attempt, now } => {
                update(write::fail(&self.db, self.own(&token(attempt), now), false))
            }
            Recipe::Release { attempt } => {
                let release = write::release(&self.db, ROW_KEY, &token(attempt));
                release.request().expect("a key and a condition").into()
            }
        }
    }

    fn claiming(&self, attempt: Attempt, now: Moment, hash: u8) -> Claiming {
        Claiming {
            row_key: ROW_KEY.to_owned(),
            function: None,
            tenant: None,
            hash: hash_text(hash),
            body: None,
            token: token(attempt),
            now: at(now),
            locked_until: moment::ceil_text(at(now + LOCK)),
            expires_at: at(now + self.keep).seconds(),
        }
    }

    fn own<'t>(&self, token: &'t str, now: Moment) -> Own<'t> {
        let expires_at = at(now + self.keep).seconds();
        Own { row_key: ROW_KEY, token, now: at(now), expires_at }
    }

    fn complete(&self, attempt: Attempt, now: Moment) -> tabletheory::db::Update<Row> {
        let stored = Stored::Inline { headers: Vec::new(), body: token(attempt).into() };
        write::complete(&self.db, self.own(&token(attempt), now), 200, stored.changes())
    }

    /// The whole row, put if "attribute_not_exists(IdempotencyKey) OR Status <> PROCESSING OR LockedUntil < now".
    fn seed_claim(&self, attempt: Attempt, now: Moment, hash: u8) -> PutItem {
        let mut record = Row::new(ROW_KEY, Status::Processing);
        record.request_hash = Some(hash_text(hash));
        record.lock_token = Some(token(attempt));
        record.locked_until = Some(moment::ceil_text(at(now + LOCK)));
        record.expires_at = Some(at(now + self.keep).seconds());
        let literal = Row::IDEMPOTENCY_KEY
            .not_exists()
            .or(Row::STATUS.ne(Status::Processing))
            .or(Row::LOCKED_UNTIL.lt(moment::floor_text(at(now))));
        PutItem {
            table: "idempotency".to_owned(),
            item: tabletheory::Model::to_item(&record).expect("a whole record"),
            condition: Some(literal.into_condition().expect("a whole condition")),
            ..PutItem::default()
        }
    }

    /// Completed if "LockToken = token", whatever state it is in.
    fn seed_complete(&self, attempt: Attempt, now: Moment) -> UpdateItem {
        let mine: Condition = Row::LOCK_TOKEN.eq(token(attempt)).into_condition().expect("a whole condition");
        let update = block_on(self.complete(attempt, now).request()).expect("a whole request");
        UpdateItem { condition: Some(mine), ..update }
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// A moment of the model.
pub(super) fn at(moment: Moment) -> Timestamp {
    Timestamp::from_seconds(BEGINNING + i64::from(moment))
}

/// The moment of the model that these seconds are.
pub(super) fn moment_of(seconds: i64) -> Moment {
    u8::try_from(seconds - BEGINNING).expect("rows hold moments of the model")
}

/// The text of an attempt's token, which is its answer too.
pub(super) fn token(attempt: Attempt) -> String {
    format!("t{attempt}")
}

/// The attempt of a token.
pub(super) fn attempt_of(token: &str) -> Attempt {
    token.strip_prefix('t').and_then(|number| number.parse().ok()).expect("tokens are of attempts")
}

pub(super) fn hash_text(hash: u8) -> String {
    format!("h{hash}")
}

fn update(update: tabletheory::db::Update<Row>) -> Request {
    block_on(update.request()).expect("the rules make whole requests").into()
}

/// An item that is not there.
pub(super) fn nothing() -> Item {
    Item::new()
}
