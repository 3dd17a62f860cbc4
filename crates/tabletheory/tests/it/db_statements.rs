//! PartiQL beside the typed operations: what statements will cost is told, and what they have cost is counted.

use tabletheory::core::store::op::{
    BatchExecuteStatement, BatchStatement, ExecuteStatement, ExecuteTransaction, Statement,
};
use tabletheory::core::{Request, Value};
use tabletheory::explain::Plan;
use tabletheory::meter::Meter;
use tabletheory::{Db, Model};

#[derive(Model)]
#[model(table = "users")]
struct User {
    #[model(pk)]
    id: String,
}

fn statement(text: &str, id: &str) -> Statement {
    Statement { text: text.to_owned(), parameters: vec![Value::s(id)], ..Statement::default() }
}

fn alone(text: &str, id: &str) -> Request {
    ExecuteStatement { statement: statement(text, id), consistent: true, ..ExecuteStatement::default() }
        .into()
}

fn batch(text: &str) -> Request {
    let batched = |id| BatchStatement { statement: statement(text, id), consistent: false };
    BatchExecuteStatement { statements: ["1", "2"].map(batched).into(), ..BatchExecuteStatement::default() }
        .into()
}

fn transaction(text: &str) -> Request {
    let statements = ["1", "2"].map(|id| statement(text, id)).into();
    ExecuteTransaction { statements, ..ExecuteTransaction::default() }.into()
}

const INSERT: &str = "INSERT INTO users VALUE {'id': ?}";
const SELECT: &str = "SELECT * FROM users WHERE id = ?";
const UPDATE: &str = "UPDATE users SET name = 'Ada' WHERE id = ?";
const DELETE: &str = "DELETE FROM users WHERE id = ?";
const EXISTS: &str = "EXISTS(SELECT * FROM users WHERE id = ? AND name = 'Ada')";

async fn users() -> (Db, Meter) {
    let (db, meter) = Db::memory().metered();
    db.create_table::<User>().await.unwrap();
    (db, meter)
}

#[tokio::test]
async fn a_plan_of_statements_costs_what_the_meter_counts() {
    let (db, meter) = users().await;
    for (request, reads, writes) in [
        (alone(INSERT, "1"), 0.0, 1.0),
        (alone(INSERT, "2"), 0.0, 1.0),
        (alone(SELECT, "1"), 1.0, 0.0),
        (alone(UPDATE, "1"), 0.0, 1.0),
        (batch(SELECT), 1.0, 0.0),
        (batch(UPDATE), 0.0, 2.0),
        (transaction(SELECT), 4.0, 0.0),
        (transaction(EXISTS), 0.0, 4.0),
        (transaction(UPDATE), 0.0, 4.0),
        (alone(DELETE, "1"), 0.0, 1.0),
        (batch(DELETE), 0.0, 2.0),
    ] {
        let plan = Plan::of(request.clone());
        assert_eq!((plan.read_units, plan.write_units), (reads, writes), "{plan}");
        let _ = meter.take();
        db.store().call(request).await.unwrap();
        let usage = meter.take();
        assert_eq!((usage.read_units, usage.write_units), (reads, writes), "{plan}");
    }
}

#[test]
fn a_plan_of_statements_shows_what_they_do_and_no_value() {
    let check = |request: Request, expected: &str| {
        let plan = Plan::of(request).to_string();
        assert_eq!(plan.split("\ncost: ").next(), Some(expected));
    };
    check(alone(SELECT, "ada"), "ExecuteStatement in `users`\nfilter: id = :v0");
    check(
        alone("SELECT id FROM users.by_city WHERE city = ?", "rome"),
        "ExecuteStatement in the index `by_city` of `users`\nfilter: city = :v0\nprojection: id",
    );
    check(alone(UPDATE, "ada"), "ExecuteStatement in `users`\nchange: SET name = :v0\ncondition: id = :v0");
    check(
        transaction(DELETE),
        "ExecuteTransaction of 2 statements\ndelete: in `users`\ncondition: id = :v0\ndelete: in `users`\n\
         condition: id = :v0",
    );
    check(alone("SELECT", "ada"), "ExecuteStatement of a statement that cannot be read");
}

#[tokio::test]
async fn a_statement_that_is_refused_costs_nothing() {
    let (db, meter) = users().await;
    let _ = meter.take();
    db.store().call(alone("SELECT", "1")).await.unwrap_err();
    let usage = meter.usage();
    assert_eq!((usage.calls, usage.read_units, usage.write_units), (1, 0.0, 0.0));
}
