//! Alarms of a table. Errors and latency are told by table and operation, so there is one alarm for each operation that is really sent.

use super::{Alarm, Statistic};
use crate::table::TableResource;

const NAMESPACE: &str = "AWS/DynamoDB";
/// DynamoDB answers within a few milliseconds; ten times that for a quarter of an hour is not the weather.
const LATENCY_MS: i64 = 50;

/// What is told as read.
const READS: [&str; 5] = ["BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"];

/// The alarms of a table that is sent these operations. If none are named they are not known, and may be any.
#[must_use]
pub fn table(table: &TableResource, operations: &[&'static str]) -> Vec<Alarm> {
    let id = table.id();
    let named = |name: &str, metric: &'static str, text: &str| {
        Alarm::new(format!("{id}{name}"), NAMESPACE, metric, text).of("TableName", table.name())
    };
    let may_send = |wanted: &dyn Fn(&str) -> bool| {
        operations.is_empty() || operations.iter().any(|operation| wanted(operation))
    };
    let mut alarms = throttles(table, may_send(&|operation| READS.contains(&operation)));
    // Without a transaction there is none to meet.
    if may_send(&|operation| operation.starts_with("Transact")) {
        let text = "Transactions met each other on one item, again and again: many writers share a key.";
        alarms.push(named("Conflicts", "TransactionConflict", text).lasting(300, 3).above(100));
    }
    for operation in operations {
        alarms.push(
            named(
                &format!("{operation}Errors"),
                "SystemErrors",
                &format!("DynamoDB failed {operation} for reasons of its own; requests were repeated."),
            )
            .of("Operation", *operation)
            .lasting(300, 2),
        );
        alarms.push(
            named(
                &format!("{operation}Latency"),
                "SuccessfulRequestLatency",
                &format!("DynamoDB answers {operation} slowly."),
            )
            .of("Operation", *operation)
            .statistic(Statistic::Average)
            .lasting(300, 3)
            .above(LATENCY_MS),
        );
    }
    if table.layout().time_to_live().is_some() {
        // There is no figure when nothing was deleted, so missing ones count. A young or quiet table deletes nothing with good
        // reason, so it is shown, and nobody is woken.
        let text = "Nothing has expired for three days. If rows should have, their time to live is on the wrong attribute, in the \
                    wrong unit, or switched off.";
        let alarm = named("NothingExpires", "TimeToLiveDeletedItemCount", text);
        alarms.push(alarm.lasting(86_400, 3).at_most(0).silent());
    }
    alarms
}

/// Throttled reads and writes, of the table and of each global index.
fn throttles(table: &TableResource, is_read: bool) -> Vec<Alarm> {
    let places = std::iter::once(None).chain(table.global_indexes().map(Some));
    let mut alarms = Vec::new();
    for (at, index) in places.enumerate() {
        let read = is_read.then_some(("Read", "ReadThrottleEvents"));
        for (what, metric) in read.into_iter().chain([("Write", "WriteThrottleEvents")]) {
            // Names of indexes may have signs that logical ids have not, so indexes are counted.
            let (id, place) = match index {
                None => (format!("{}{what}Throttles", table.id()), "the table".to_owned()),
                Some(index) => {
                    (format!("{}Index{at}{what}Throttles", table.id()), format!("the index {index}"))
                }
            };
            let text =
                format!("DynamoDB turned away requests to {place}: a key is hot, or a bound is reached.");
            let alarm = Alarm::new(id, NAMESPACE, metric, text).of("TableName", table.name());
            let alarm = match index {
                None => alarm,
                Some(index) => alarm.of("GlobalSecondaryIndexName", index),
            };
            alarms.push(alarm.lasting(60, 5));
        }
    }
    alarms
}

/// Requests that DynamoDB did not understand. It tells them for the whole account and region, and not by table: another program may
/// be the one that rings.
#[must_use]
pub fn user_errors() -> Alarm {
    let text = "DynamoDB refused requests as wrong. The figure is that of the whole account in this region, so look for the program \
                first.";
    Alarm::new("UserErrors", NAMESPACE, "UserErrors", text).lasting(300, 3)
}
