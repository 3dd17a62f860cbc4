//! Statements and their trees.

use std::collections::BTreeSet;

use super::super::{Command, Delete, Insert, OrderKey, Select, UpdateStatement};
use super::{condition, read};
use crate::expr::{Action, Path, ProjectionExpression, SetOperand, SetValue, Update};
use crate::item::Item;
use crate::store::op::ReturnValues;
use crate::value::Value;

fn check(text: &str, expected: Command) {
    assert_eq!(read(text, &[]), expected, "{text}");
}

fn from(table: &str) -> Select {
    Select { table: table.into(), ..Select::default() }
}

#[test]
fn selects() {
    let paths = |paths: &[Path]| Some(ProjectionExpression { paths: paths.to_vec() });
    let filtered = Select { condition: Some(condition("a = 1")), ..from("t") };
    check("SELECT * FROM t", Command::Select(from("t")));
    check("select * from \"a.b-c\";", Command::Select(from("a.b-c")));
    check("SELECT/**/* FROM t -- all of it", Command::Select(from("t")));
    check("SELECT * FROM \"t\".\"i\"", Command::Select(Select { index: Some("i".into()), ..from("t") }));
    check("SELECT * FROM t.i", Command::Select(Select { index: Some("i".into()), ..from("t") }));
    check("SELECT * FROM t WHERE a = 1", Command::Select(filtered.clone()));
    check("-- note\nSELECT * FROM t\nWHERE a = 1 ;", Command::Select(filtered.clone()));
    check(
        "SELECT a, m.k[1], \"x y\" FROM t",
        Command::Select(Select {
            projection: paths(&["a".into(), Path::attribute("m").field("k").index(1), "x y".into()]),
            ..from("t")
        }),
    );
    let order = |attribute: &str, descending| OrderKey { attribute: attribute.into(), descending };
    for (clause, order) in [
        ("sk", vec![order("sk", false)]),
        ("sk ASC", vec![order("sk", false)]),
        ("\"sk\" DESC", vec![order("sk", true)]),
        ("pk desc, sk", vec![order("pk", true), order("sk", false)]),
    ] {
        let text = format!("SELECT * FROM t WHERE a = 1 ORDER BY {clause}");
        check(&text, Command::Select(Select { order, ..filtered.clone() }));
    }
    check("EXISTS(SELECT * FROM t WHERE a = 1)", Command::Exists(filtered.clone()));
    check("exists ( select * from t where a = 1 );", Command::Exists(filtered));
}

#[test]
fn inserts() {
    let item = Item::from([("pk", "a".into()), ("n", Value::n(1))]);
    check(
        "INSERT INTO t VALUE {'pk': 'a', 'n': 1}",
        Command::Insert(Insert { table: "t".into(), item: item.clone() }),
    );
    check(
        "insert into \"t\" value {'n': 1, 'pk': 'a'};",
        Command::Insert(Insert { table: "t".into(), item }),
    );
}

fn updated(actions: Vec<Action>) -> UpdateStatement {
    let condition = Some(condition("pk = 1"));
    UpdateStatement {
        table: "t".into(),
        update: Update { actions },
        condition,
        returning: ReturnValues::None,
    }
}

fn set(name: &str, value: impl Into<Value>) -> Action {
    Action::Set(name.into(), SetValue::Operand(SetOperand::Value(value.into())))
}

fn check_clauses(clauses: &str, actions: Vec<Action>) {
    check(&format!("UPDATE t {clauses} WHERE pk = 1"), Command::Update(updated(actions.clone())));
    check(&format!("FROM t WHERE pk = 1 {clauses}"), Command::Update(updated(actions)));
}

#[test]
fn updates_in_either_order() {
    let remove = |name: &str| Action::Remove(name.into());
    check_clauses("SET a = 1", vec![set("a", 1)]);
    check_clauses("SET a=1, b='x'", vec![set("a", 1), set("b", "x")]);
    check_clauses("SET a = 1 SET b = 2", vec![set("a", 1), set("b", 2)]);
    check_clauses("REMOVE a", vec![remove("a")]);
    check_clauses(
        "remove a REMOVE b set c = 1 REMOVE d",
        vec![remove("a"), remove("b"), set("c", 1), remove("d")],
    );
    check_clauses("REMOVE a.b[2]", vec![Action::Remove(Path::attribute("a").field("b").index(2))]);
    check_clauses(
        "SET m.k[0] = {'x': [1]}",
        vec![Action::Set(
            Path::attribute("m").field("k").index(0),
            SetValue::Operand(SetOperand::Value(Value::M([("x", Value::L(vec![1.into()]))].into()))),
        )],
    );
}

#[test]
fn set_takes_sums_and_functions() {
    let path = |name: &str| SetOperand::Path(name.into());
    let value = |value: i64| SetOperand::Value(value.into());
    let list = || SetOperand::Value(Value::L(vec![1.into()]));
    let append = |first, second| SetOperand::ListAppend(Box::new(first), Box::new(second));
    let default = || SetOperand::IfNotExists("b".into(), Box::new(value(0)));
    let check = |text: &str, expected: SetValue| {
        check_clauses(&format!("SET a = {text}"), vec![Action::Set("a".into(), expected)]);
    };
    check("b", SetValue::Operand(path("b")));
    check("a + 1", SetValue::Plus(path("a"), value(1)));
    check("a-1", SetValue::Minus(path("a"), value(1)));
    check("a - - 2", SetValue::Minus(path("a"), value(-2)));
    check("10 - b", SetValue::Minus(value(10), path("b")));
    check("(a + 1)", SetValue::Plus(path("a"), value(1)));
    check("(a) + 1", SetValue::Plus(path("a"), value(1)));
    check("list_append(a, [1])", SetValue::Operand(append(path("a"), list())));
    check(
        "LIST_APPEND([1], list_append(a, b))",
        SetValue::Operand(append(list(), append(path("a"), path("b")))),
    );
    check("if_not_exists(b, 0)", SetValue::Operand(default()));
    check("if_not_exists(b, 0) + 1", SetValue::Plus(default(), value(1)));
}

#[test]
fn set_functions_become_add_and_delete() {
    let members = || Value::Ss(BTreeSet::from(["x".into()]));
    let nested = || Path::attribute("m").field("s");
    check_clauses("SET s = set_add(s, <<'x'>>)", vec![Action::Add("s".into(), members())]);
    check_clauses("SET s = SET_DELETE(\"s\", <<'x'>>)", vec![Action::Delete("s".into(), members())]);
    check_clauses("SET m.s = set_add(m.s, <<'x'>>)", vec![Action::Add(nested(), members())]);
    let bytes = Value::Bs(BTreeSet::from([vec![1]]));
    assert_eq!(
        read("UPDATE t SET s = set_add(s, ?) WHERE pk = 1", std::slice::from_ref(&bytes)),
        Command::Update(updated(vec![Action::Add("s".into(), bytes)]))
    );
}

#[test]
fn deletes_and_what_writes_return() {
    let delete =
        Delete { table: "t".into(), condition: Some(condition("pk = 1")), returning: ReturnValues::None };
    check("DELETE FROM t WHERE pk = 1", Command::Delete(delete.clone()));
    check("DELETE FROM t", Command::Delete(Delete { condition: None, ..delete.clone() }));
    check(
        "DELETE FROM t WHERE pk = 1 RETURNING ALL OLD *",
        Command::Delete(Delete { returning: ReturnValues::AllOld, ..delete }),
    );
    for (clause, returning) in [
        ("ALL OLD *", ReturnValues::AllOld),
        ("modified old *", ReturnValues::UpdatedOld),
        ("ALL NEW *", ReturnValues::AllNew),
        ("MODIFIED NEW *", ReturnValues::UpdatedNew),
    ] {
        let expected = UpdateStatement { returning, ..updated(vec![set("a", 1)]) };
        let text = format!("UPDATE t SET a = 1 WHERE pk = 1 RETURNING {clause}");
        check(&text, Command::Update(expected));
    }
}

#[test]
fn question_marks_are_replaced_in_order() {
    let text = "UPDATE t SET a = ?, b = '?' SET c = ? WHERE pk = ? AND d IN [?, ?]";
    let parameters = [1, 2, 3, 4, 5].map(Value::n);
    assert_eq!(
        read(text, &parameters),
        read("UPDATE t SET a = 1, b = '?' SET c = 2 WHERE pk = 3 AND d IN [4, 5]", &[])
    );
    let bytes = Value::B(vec![1]);
    let Command::Insert(insert) = read("INSERT INTO t VALUE {'pk': ?}", std::slice::from_ref(&bytes)) else {
        panic!("an INSERT was written")
    };
    assert_eq!(insert.item.get("pk"), Some(&bytes));
}

#[test]
fn a_command_knows_its_table_and_whether_it_reads() {
    for (text, reads) in [
        ("SELECT * FROM t", true),
        ("EXISTS(SELECT * FROM t WHERE a = 1)", false),
        ("INSERT INTO t VALUE {'a': 1}", false),
        ("UPDATE t REMOVE a", false),
        ("DELETE FROM t", false),
    ] {
        let command = read(text, &[]);
        assert_eq!((command.table(), command.is_read()), ("t", reads), "{text}");
    }
}
