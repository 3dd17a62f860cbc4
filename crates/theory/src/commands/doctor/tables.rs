//! The three tables of a gateway: whether they are there, and whether their keys, indexes and time to live are what is needed.

use facetheory::record::Meta;
use idempotent::record::IdempotencyRecord;
use limited::RateLimitRecord;
use tabletheory::table::{Difference, Drift, TableError};
use tabletheory::{Db, Model};
use theory_gateway::settings::Tables;

use super::finding::Finding;

pub(super) async fn examine(db: &Db, tables: &Tables) -> Vec<Finding> {
    let Tables { cache, limits, requests, create } = tables;
    vec![
        judge(cache, *create, verify::<Meta>(db, cache).await),
        judge(limits, *create, verify::<RateLimitRecord>(db, limits).await),
        judge(requests, *create, verify::<IdempotencyRecord>(db, requests).await),
    ]
}

async fn verify<M: Model>(db: &Db, name: &str) -> Result<Drift, TableError> {
    db.table::<M>().named(name).verify().await
}

fn judge(table: &str, is_made: bool, drift: Result<Drift, TableError>) -> Finding {
    let name = format!("table {table}");
    match drift {
        Ok(drift) if drift.is_empty() => Finding::ok(name, "keys and time to live are as they should be"),
        Ok(drift) if drift.differences() == [Difference::NoTable] => match is_made {
            true => Finding::ok(name, "is not there, and is made when a gateway starts"),
            false => Finding::fail(
                name,
                "is not there",
                "make it with `theory tables create`, or set `tables.create`",
            ),
        },
        Ok(drift) if drift.is_harmless() => Finding::ok(name, format!("can be used; {drift}")),
        Ok(drift) => Finding::fail(
            name,
            drift.to_string(),
            "give another name in `tables`, or copy the rows into a table that `theory tables create` makes",
        ),
        Err(error) => {
            Finding::fail(name, error.to_string(), "see that the credentials may describe the table")
        }
    }
}
