//! What the service refuses, in its words.

use proptest::prelude::*;

use super::super::parse;
use crate::error::StoreError;
use crate::value::Value;

fn check(text: &str, expected: &str) {
    assert_eq!(parse(text, &[]), Err(StoreError::validation(expected)), "{text}");
}

fn check_malformed(text: &str, detail: &str) {
    check(text, &format!("Statement wasn't well formed, can't be processed: {detail}"));
}

#[test]
fn what_is_left_over() {
    for text in [
        "SELECT * FROM t WHERE pk = 1 foo",
        "SELECT * FROM t WHERE pk = 1 e5",
        "SELECT * FROM t WHERE pk = 1)",
        "SELECT * FROM t WHERE pk = 1;;",
        "SELECT * FROM t; SELECT * FROM t",
        "SELECT * FROM t ORDER BY pk WHERE pk = 1",
        "INSERT INTO t VALUE {'pk': 1} foo",
        "INSERT INTO t VALUE {'pk': 1} RETURNING ALL OLD *",
        "INSERT INTO t u VALUE {'pk': 1}",
        "UPDATE t SET a = 9 WHERE pk = 1 foo",
        "UPDATE t SET a = 1 + 2 + 3 WHERE pk = 1",
        "DELETE FROM t WHERE pk = 1 foo",
        "DELETE FROM t WHERE pk = 1 ORDER BY pk",
        "DELETE FROM t.i WHERE pk = 1",
        "FROM t SET c = 1 WHERE pk = 1",
        "FROM t SET c = 1 WHERE pk = 1 SET d = 2",
    ] {
        check_malformed(text, "Unexpected token after expression");
    }
}

#[test]
fn what_is_missing_or_out_of_place() {
    for text in [
        "SELECT * FROM t WHERE",
        "SELECT * FROM t WHERE;",
        "SELECT * FROM t WHERE NOT",
        "SELECT * FROM t WHERE (",
    ] {
        check_malformed(text, "Unexpected term");
    }
    check_malformed("UPDATE t SET a = 1 WHERE", "Unexpected term");
    check_malformed("DELETE FROM t WHERE", "Unexpected term");
    check_malformed("SELECT * FROM", "Unexpected term");
    check_malformed("  ", "Unexpected term");
    check_malformed("-- nothing", "Unexpected term");
    for text in
        ["SELECT * FROM t WHERE a = 1 AND", "SELECT * FROM t WHERE a = 1 OR", "SELECT * FROM t WHERE a ="]
    {
        check_malformed(text, "Missing right-hand side expression of infix operator");
    }
    check_malformed("SELECT * FROM t WHERE ORDER BY pk", "Unexpected keyword");
    check_malformed("SELECT * FROM t WHERE pad = 1", "Unexpected keyword");
    check_malformed("SELECT * FROM t WHERE a IN []", "Unexpected term");
    check_malformed("SELECT * FROM t WHERE a IN b", "Unexpected term");
    check_malformed("SELECT * FROM t WHERE IS NULL", "Unexpected operator");
    check_malformed("SELECT * FROM t WHERE a = LIKE", "Unexpected operator");
    check_malformed("SELECT * FROM t WHERE a IS FOO", "Expected type name");
    check_malformed("SELECT * FROM t WHERE a", "Expected condition");
    check_malformed("SELECT * FROM t WHERE a + 1 = 2", "Expected condition");
    check_malformed("SELECT * FROM t WHERE m.inner = 1", "Invalid path dot component");
    check_malformed("SELECT * FROM t WHERE (a = 1", "Expected RIGHT_PAREN");
    check_malformed("SELECT * FROM (SELECT * FROM t)", "Unexpected term");
    check_malformed("SELECT * FROM t WHERE a BETWEEN 1 OR 2", "Expected AND");
    for text in
        ["DELETE FROM", "DELETE FROM;", "DELETE FROM WHERE pk = 1", "UPDATE t SET 'a' = 1", "UPDATE t REMOVE"]
    {
        check_malformed(text, "Expected identifier for simple path");
    }
    for text in [
        "SLECT * FROM t",
        "UPDATE Payment-x SET a = 1",
        "UPDATE t WHERE pk = 1",
        "UPSERT INTO t",
        "x IS INT4",
    ] {
        check_malformed(text, "Expected data manipulation");
    }
    check_malformed("INSERT INTO urls (key) VALUES (1)", "Unexpected keyword");
    check_malformed("INSERT INTO t VALUES {'a': 1}", "Unexpected keyword");
    check_malformed("SELECT * FROM t WHERE pk = 1 # note", "");
    check_malformed("SELECT * FROM t WHERE pk = 1 /* note", "");
    check_malformed("UPDATE t SET a = 1 RETURNING OLD *", "Expected ALL or MODIFIED");
    check_malformed("UPDATE t SET a = 1 RETURNING ALL OLD", "Expected STAR");
    check_malformed(
        "DELETE FROM t RETURNING ALL NEW *",
        "Expected ALL OLD * in the RETURNING clause of a DELETE",
    );
}

#[test]
fn what_the_dialect_does_not_have() {
    for text in [
        "SELECT * FROM t u WHERE pk = 1",
        "SELECT * FROM t AS u WHERE pk = 1",
        "SELECT a AS b FROM t",
        "UPDATE t u SET a = 3 WHERE pk = 1",
        "DELETE FROM t u WHERE pk = 1",
    ] {
        check(text, "Aliasing is not supported");
    }
    check("SELECT COUNT(*) FROM t", "Unexpected path component at 1:8:5");
    check("SELECT 1 FROM t", "Unexpected path component at 1:8:1");
    check("SELECT *, a FROM t", "Other attributes should not be present in the projection when '*' is used.");
    check("SELECT a.z, b.z FROM t", "Duplicate identifiers in select clause: z");
    check("SELECT * FROM t LIMIT 5", "Unsupported clause: LIMIT at 1:17:5");
    check("SELECT * FROM t WHERE a = 1 GROUP BY a", "Unsupported clause: GROUP at 1:29:5");
    check("SELECT * FROM t WHERE a LIKE 'x'", "Unsupported operator: LIKE at 1:25:4");
    check(
        "SELECT * FROM t ORDER BY a",
        "Must have WHERE clause in the statement when using ORDER BY clause.",
    );
    check("SELECT * FROM t WHERE EXISTS(a)", "Unrecognized function: exists at 1:23:6");
    check("SELECT * FROM t WHERE\n set_add(a, 1) = a", "Unrecognized function: set_add at 2:2:7");
    check("UPDATE t SET a = contains(a, 1)", "Unrecognized function: contains at 1:18:8");
}

#[test]
fn operands_of_the_wrong_kind() {
    let check = |clause: &str, expected: &str| check(&format!("SELECT * FROM t WHERE {clause}"), expected);
    let kind = |function: &str, kind: &str| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {function}, operand type: {kind}"
        )
    };
    let count = |function: &str, count: usize| {
        format!(
            "Incorrect number of operands for operator or function; operator or function: {function}, number of operands: {count}"
        )
    };
    let path = |function: &str| {
        format!("Operator or function requires a document path; operator or function: {function}")
    };
    check("a < true", &kind("<", "BOOL"));
    check("a >= [1]", &kind(">=", "L"));
    check("null <= a", &kind("<=", "NULL"));
    check("a BETWEEN true AND false", &kind("BETWEEN", "BOOL"));
    check("attribute_exists(a) > false", &kind(">", "BOOL"));
    check("begins_with(a, 1)", &kind("begins_with", "N"));
    check("attribute_type(a, 1)", &kind("attribute_type", "N"));
    check("size(1) = 1", &kind("size", "N"));
    check("size(size(a)) = 1", &kind("size", "N"));
    check("attribute_exists('a')", &path("attribute_exists"));
    check("attribute_exists()", &count("attribute_exists", 0));
    check("attribute_exists(a, b)", &count("attribute_exists", 2));
    check("1 IS MISSING", &path("IS"));
    check(
        "attribute_type(a, 'X')",
        "Invalid attribute type name found; type: X, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
    );
    let hundred = ["1"; 100].join(",");
    super::condition(&format!("a IN [{hundred}]"));
    check(
        &format!("a IN [{hundred}, 1]"),
        "The IN operator is provided with too many operands; number of operands: 101",
    );
    let check =
        |value: &str, expected: &str| super::refusals::check(&format!("UPDATE t SET a = {value}"), expected);
    check("'x' + 1", &kind("+", "S"));
    check("a - null", &kind("-", "NULL"));
    check("list_append(a, 1)", &kind("list_append", "N"));
    check("list_append(a)", &count("list_append", 1));
    check("if_not_exists(1, 2)", &path("if_not_exists"));
}

#[test]
fn set_functions_change_the_attribute_they_are_assigned_to() {
    let check =
        |clause: &str, expected: &str| check(&format!("UPDATE t SET {clause} WHERE pk = 1"), expected);
    check(
        "b = set_add(a, <<'x'>>)",
        "The first argument to SET_ADD must equal the assignment value at 1:18:7",
    );
    check(
        "a = set_add(<<'a'>>, <<'x'>>)",
        "The first argument to SET_ADD must equal the assignment value at 1:18:7",
    );
    check("a = set_add(a, 'x')", "The second argument to SET_ADD must be a value with type SET at 1:26:1");
    check(
        "\"a\" = set_delete(\"a\", ['x'])",
        "The second argument to SET_DELETE must be a value with type SET at 1:31:3",
    );
    check("a = set_add(a)", "SET_ADD must have exactly two arguments at 1:18:7");
    check("a = set_add(a, <<1>>, <<2>>)", "SET_ADD must have exactly two arguments at 1:18:7");
}

#[test]
fn lengths_and_counts() {
    let mismatch = Err(StoreError::validation("Number of parameters in request and statement don't match."));
    assert_eq!(parse("SELECT * FROM t WHERE a = ?", &[]), mismatch);
    assert_eq!(parse("SELECT * FROM t WHERE a = '?'", &[Value::Null]), mismatch);
    check(
        "",
        "1 validation error detected: Value '' at 'statement' failed to satisfy constraint: \
         Member must have length greater than or equal to 1",
    );
    let padded = |length: usize| format!("SELECT * FROM t{}", " ".repeat(length - 15));
    parse(&padded(8192), &[]).unwrap();
    let error = parse(&padded(8193), &[]).unwrap_err().to_string();
    assert!(error.ends_with("Member must have length less than or equal to 8192"), "{error}");
}

#[test]
fn hostile_nesting_is_refused_and_long_chains_are_bounded() {
    let deep = |open: &str| format!("SELECT * FROM t WHERE {}", open.repeat(8000 / open.len()));
    check_malformed(&deep("("), "Expression is nested too deeply");
    check_malformed(&deep("NOT "), "Expression is nested too deeply");
    check_malformed(&deep("size("), "Expression is nested too deeply");
    let update = |open: &str| format!("UPDATE t SET a = {}", open.repeat(8000 / open.len()));
    check_malformed(&update("("), "Expression is nested too deeply");
    check_malformed(&update("list_append("), "Expression is nested too deeply");
    let chain =
        |comparisons: usize| format!("SELECT * FROM t WHERE {}", vec!["a=1"; comparisons].join(" OR "));
    parse(&chain(150), &[]).unwrap();
    check(&chain(400), "The expression contains too many operators; operator count: 301");
    check(
        &format!("SELECT * FROM t WHERE attribute_exists(a){}", "=false".repeat(1000)),
        "The expression contains too many operators; operator count: 301",
    );
}

/// Pieces of statements, so that random ones get past the first word.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "SELECT",
        "*",
        "FROM",
        "t",
        "\"t\"",
        ".",
        "i",
        "WHERE",
        "a",
        "=",
        "1",
        "-",
        "'x'",
        "?",
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<<",
        ">>",
        ",",
        ":",
        ";",
        "IN",
        "BETWEEN",
        "IS",
        "MISSING",
        "NULL",
        "SET",
        "REMOVE",
        "UPDATE",
        "DELETE",
        "INSERT",
        "INTO",
        "VALUE",
        "RETURNING",
        "ALL",
        "OLD",
        "EXISTS",
        "size",
        "contains",
        "set_add",
        "list_append",
        "ORDER",
        "BY",
        "DESC",
        "1e400",
        "--",
        "/*",
        "*/",
        "é",
        "LIKE",
        "<",
        "+",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.join(" "))
}

/// As many parameters as the text seems to have question marks.
fn parse_with_parameters(text: &str) -> Result<super::Command, StoreError> {
    parse(text, &vec![Value::n(1); text.matches('?').count()])
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse_with_parameters(&text);
    }

    #[test]
    fn no_order_of_pieces_panics(text in pieces()) {
        let _ = parse_with_parameters(&text);
    }

    #[test]
    fn no_condition_panics(text in pieces()) {
        let _ = parse_with_parameters(&format!("SELECT * FROM t WHERE a = 1 AND {text}"));
        let _ = parse_with_parameters(&format!("UPDATE t SET a = {text}"));
        let _ = parse_with_parameters(&format!("INSERT INTO t VALUE {{'a': {text}"));
    }

    #[test]
    fn a_string_comes_back_whatever_it_holds(string in "[^\u{0}]{0,40}") {
        let text = format!("INSERT INTO t VALUE {{'a': '{}'}}", string.replace('\'', "''"));
        let super::Command::Insert(insert) = parse(&text, &[]).unwrap() else { panic!("an INSERT was written") };
        prop_assert_eq!(insert.item.get("a"), Some(&Value::S(string)));
    }
}
