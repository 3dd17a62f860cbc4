//! Texts and what the service says about them. The messages, and which of several faults is named, were compared with
//! AWS's DynamoDB Local; where newer reports of the real service differ from it, the service wins.

mod conditions;
mod keys;
mod projections;
mod substitutions;
mod updates;

use std::collections::BTreeMap;

use super::*;
use crate::expr::shorthand::{b, bs, list, map, n, ns, s, ss};

/// Placeholders of every type, named after them.
fn placeholders() -> Placeholders {
    let names = [("#a", "a"), ("#b", "b"), ("#dot", "a.b"), ("#r", "status"), ("#pk", "pk")];
    let values = [
        (":s", s("x")),
        (":s2", s("y")),
        (":n", n(1)),
        (":n2", n(2)),
        (":b", b(&[0, 0, 0])),
        (":b2", b(&[1, 2, 3])),
        (":t", Value::Bool(true)),
        (":null", Value::Null),
        (":l", list([])),
        (":m", map([])),
        (":ss", ss(["x"])),
        (":ns", ns([1])),
        (":bs", bs([&[0]])),
        (":type", s("SS")),
        (":bad", s("XX")),
    ];
    let names = names.map(|(placeholder, name)| (placeholder.to_owned(), name.to_owned()));
    let values = values.map(|(placeholder, value)| (placeholder.to_owned(), value));
    Placeholders::new(Some(names.into()), Some(values.into())).unwrap()
}

/// Checks a complaint, written without the `Invalid …Expression: ` in front of it. An empty one means the text is fine.
fn assert_says<T: std::fmt::Debug>(
    kind: ExpressionKind,
    text: &str,
    result: Result<T, StoreError>,
    expected: &str,
) {
    let said = result.map_or_else(|error| error.to_string(), |_| String::new());
    let prefix = format!("Invalid {kind}: ");
    assert_eq!(said.strip_prefix(&prefix).unwrap_or(&said), expected, "{kind} {text}");
}

#[test]
fn kinds_are_named_after_their_parameters() {
    let check = |result: Result<(), StoreError>, expected: &str| {
        assert_eq!(
            result.unwrap_err().to_string(),
            format!("Invalid {expected}: The expression can not be empty;")
        );
    };
    check(placeholders().condition("").map(drop), "ConditionExpression");
    check(placeholders().filter("").map(drop), "FilterExpression");
    check(placeholders().key_condition("").map(drop), "KeyConditionExpression");
    check(placeholders().update("").map(drop), "UpdateExpression");
    check(placeholders().projection("").map(drop), "ProjectionExpression");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[-a-cA-Z0-9#:()\\[\\]<>=,.+ \"'é_]{0,60}") {
        read_as_everything(&text);
    }

    #[test]
    fn no_tokens_make_the_parser_panic(tokens in proptest::collection::vec(token(), 0..40)) {
        read_as_everything(&tokens.concat());
    }
}

fn read_as_everything(text: &str) {
    let mut placeholders = placeholders();
    drop(placeholders.condition(text));
    drop(placeholders.key_condition(text));
    drop(placeholders.update(text));
    drop(placeholders.projection(text));
}

fn token() -> impl proptest::strategy::Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "a",
        "b.c",
        "d[0]",
        "#a",
        "#zz",
        ":n",
        ":s",
        ":ss",
        ":zz",
        "(",
        ")",
        "(",
        ")",
        ", ",
        " = ",
        " < ",
        " <> ",
        " AND ",
        " OR ",
        "NOT ",
        " BETWEEN ",
        " IN (",
        "size(",
        "contains(",
        "attribute_exists(",
        "if_not_exists(",
        "list_append(",
        "foo(",
        " + ",
        " - ",
        "SET ",
        " REMOVE ",
        " ADD ",
        " DELETE ",
        ".",
        "[",
        "]",
        "7",
        "é",
        " ",
    ])
}

#[test]
fn deep_texts_need_no_deep_stack() {
    let deep = || {
        for opening in
            ["(", "NOT ", "NOT (", "size(", "f(", "if_not_exists(a,", "SET a=(", "SET a=if_not_exists(a,"]
        {
            let text = opening.repeat(4096 / opening.len());
            read_as_everything(&text);
            let half = 2000 / opening.len();
            read_as_everything(&format!("{}a{}", opening.repeat(half), ")".repeat(half)));
        }
        read_as_everything(&format!("SET a={}b{}", "if_not_exists(a,".repeat(200), ")".repeat(200)));
        read_as_everything(&format!("{}a=b", "NOT ".repeat(1000)));
        read_as_everything(&vec!["a=b"; 500].join(" OR "));
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(deep).unwrap().join().unwrap();
}
