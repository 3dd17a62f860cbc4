//! Values in statements.

use std::collections::BTreeSet;

use super::super::{Command, parse};
use super::read;
use crate::item::Item;
use crate::value::Value;

/// The value that `text` gives an attribute.
fn value(text: &str) -> Value {
    match read(&format!("INSERT INTO t VALUE {{'a': {text}}}"), &[]) {
        Command::Insert(insert) => insert.item.get("a").expect("it was given").clone(),
        other => panic!("{text}: {other:?}"),
    }
}

fn check(text: &str, expected: impl Into<Value>) {
    assert_eq!(value(text), expected.into(), "{text}");
}

fn number(text: &str) -> Value {
    Value::N(text.parse().unwrap())
}

#[test]
fn scalars() {
    check("'x'", "x");
    check("''", "");
    check("'it''s'", "it's");
    check("'?'", "?");
    check("\n'ü'", "ü");
    check("TRUE", true);
    check("False", false);
    check("null", Value::Null);
    check("0", 0);
    check("42", 42);
    check("-42", -42);
    check("+1", 1);
    check("- - 1", 1);
    check("-/* c */-1", 1);
    check("1.50", number("1.5"));
    check(".5", number("0.5"));
    check("1.", number("1"));
    check("-.73e1", number("-7.3"));
    check("7.31E+6", number("7310000"));
    check("73100000e-1", number("7310000"));
    check("12345678901234567890123456789012345678", number("12345678901234567890123456789012345678"));
}

#[test]
fn containers() {
    check("[]", Value::L(vec![]));
    check("[1, 'a', [TRUE]]", Value::L(vec![1.into(), "a".into(), Value::L(vec![true.into()])]));
    check("{}", Item::new());
    check(
        "{'k': 1, 'l': {'m': null}}",
        Item::from([("k", 1.into()), ("l", Value::M([("m", Value::Null)].into()))]),
    );
    check("<<'b', 'a'>>", Value::Ss(BTreeSet::from(["a".into(), "b".into()])));
    check("<<1, -2.5>>", Value::Ns(BTreeSet::from([1.into(), "-2.5".parse().unwrap()])));
    check("[<<1>>]", Value::L(vec![Value::Ns(BTreeSet::from([1.into()]))]));
}

#[test]
fn literals_nest_up_to_the_limit() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    value(&nested(31));
    let message =
        |text: &str| parse(&format!("UPDATE t SET a = {text} WHERE pk = 1"), &[]).unwrap_err().to_string();
    let limit = "Nesting Levels have exceeded supported limits under root";
    assert_eq!(message(&nested(32)), format!("{limit}{}", "[0]".repeat(32)));
    assert_eq!(message(&nested(1000)), format!("{limit}{}", "[0]".repeat(32)));
    assert_eq!(message(&"{'a':".repeat(1000)), format!("{limit}{}", ".a".repeat(32)));
    assert_eq!(message(&format!("{{'a':{}}}", nested(31))), format!("{limit}.a{}", "[0]".repeat(31)));
}

#[test]
fn what_the_service_cannot_store_is_refused() {
    fn check(literal: &str, parameters: &[Value], expected: &str) {
        let error = parse(&format!("INSERT INTO t VALUE {{'a': {literal}}}"), parameters).unwrap_err();
        assert_eq!(error.to_string(), expected, "{literal}");
    }
    let envelope = "Statement wasn't well formed, can't be processed: ";
    let overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
    let underflow =
        "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    let invalid = "One or more parameter values were invalid: Input collection";
    let one = [Value::n(1)];
    check("1e126", &[], &format!("{overflow} under root"));
    check("{'x': 1e126}", &[], &format!("{overflow} under root.x"));
    check("[1, 1e126]", &[], &format!("{overflow} under root[1]"));
    check("1e-131", &[], &format!("{underflow} under root"));
    check(
        "123456789012345678901234567890123456789",
        &[],
        "Attempting to store more than 38 significant digits in a Number under root",
    );
    check("1e2147483648", &[], envelope);
    check("1e99999999999", &[], envelope);
    check("1.5e-2147483647", &[], envelope);
    check("<<>>", &[], "Empty bags are not supported");
    check("<<1, 'a'>>", &[], "DynamoDB only supports either numbers or strings in bags");
    check("<<true>>", &[], "Unsupported data type in Bag");
    check("<<?>>", &one, "Unsupported data type in Bag");
    check("<<'x', 'x'>>", &[], &format!("{invalid} [x, x] contains duplicates."));
    check("<<2, 2.0>>", &[], &format!("{invalid} [2, 2.0] contains duplicates! under root"));
    check("[?]", &one, "Unsupported data type: Parameter under key root[0] at 1:28:1");
    check("{'k': ?}", &one, "Unsupported data type: Parameter under key root.k at 1:33:1");
    check("set_add(b, c)", &[], "Unsupported data type: set_add under key root at 1:27:7");
    check("b", &[], "Unsupported data type: Identifier under key root at 1:27:1");
    check("-b", &[], &format!("{envelope}Unexpected operator"));
    check("-?", &one, &format!("{envelope}Unexpected operator"));
    check("[1,]", &[], &format!("{envelope}Unexpected term"));
    check("[1", &[], &format!("{envelope}Expected RIGHT_BRACKET"));
    check("<<1,>>", &[], "Unsupported data type in Bag");
    check("{'k' 1}", &[], &format!("{envelope}Expected COLON"));
    check("{k: 1}", &[], &format!("{envelope}Expected a string as a name"));
    check("{'k': 1, 'k': 2}", &[], &format!("{envelope}Duplicate name in a tuple: k"));
    check("MISSING", &[], &format!("{envelope}Unexpected keyword"));
}
