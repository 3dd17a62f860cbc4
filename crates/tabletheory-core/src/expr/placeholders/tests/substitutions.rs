//! Placeholders themselves: which are refused, and when.

use super::*;

fn names<const COUNT: usize>(names: [(&str, &str); COUNT]) -> Option<BTreeMap<String, String>> {
    Some(names.map(|(placeholder, name)| (placeholder.to_owned(), name.to_owned())).into())
}

fn values<const COUNT: usize>(values: [(&str, Value); COUNT]) -> Option<BTreeMap<String, Value>> {
    Some(values.map(|(placeholder, value)| (placeholder.to_owned(), value)).into())
}

fn refused(result: Result<Placeholders, StoreError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn maps_that_are_sent_hold_something() {
    let check =
        |names, values, expected: &str| assert_eq!(refused(Placeholders::new(names, values)), expected);
    check(names([]), None, "ExpressionAttributeNames must not be empty");
    check(None, values([]), "ExpressionAttributeValues must not be empty");
    check(names([]), values([]), "ExpressionAttributeNames must not be empty");
    check(names([]), values([("x", n(1))]), "ExpressionAttributeNames must not be empty");
}

#[test]
fn keys_are_a_mark_and_a_word() {
    for name in ["#a", "#1", "#_", "#A_1"] {
        assert!(Placeholders::new(names([(name, "a")]), None).is_ok(), "{name}");
    }
    for name in ["x", "#", "#a-b", "#é", "#a.b", "##", "#a b", ":a", "#a#"] {
        let expected =
            format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{name}\"");
        assert_eq!(refused(Placeholders::new(names([(name, "a")]), None)), expected);
    }
    for value in [":a", ":1", ":_"] {
        assert!(Placeholders::new(None, values([(value, n(1))])).is_ok(), "{value}");
    }
    for value in ["x", ":", ":a-b", ":é", "::", "#a"] {
        let expected =
            format!("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{value}\"");
        assert_eq!(refused(Placeholders::new(None, values([(value, n(1))]))), expected);
    }
}

#[test]
fn keys_and_names_have_a_length() {
    let (longest, longer) = (format!("#{}", "a".repeat(254)), format!("#{}", "a".repeat(255)));
    assert!(Placeholders::new(names([(&longest, "a")]), None).is_ok());
    let check =
        |names, values, expected: &str| assert_eq!(refused(Placeholders::new(names, values)), expected);
    let empty = "contains invalid key: The expression attribute map contains an empty key;";
    let long = "contains invalid key: The expression attribute map contains a key that is too long;";
    check(names([(&longer, "a")]), None, &format!("ExpressionAttributeNames {long} size of key: 256"));
    check(None, values([(&longer.replace('#', ":"), n(1))]), &format!("ExpressionAttributeValues {long}"));
    check(names([("", "a")]), None, &format!("ExpressionAttributeNames {empty}"));
    check(None, values([("", n(1))]), &format!("ExpressionAttributeValues {empty}"));

    let invalid = "ExpressionAttributeNames contains invalid value:";
    let large = format!("{invalid} Attribute name is too large, must be less than 65536 bytes for key #a");
    check(names([("#a", "")]), None, &format!("{invalid} Empty attribute name for key #a"));
    check(names([("#a", &"a".repeat(65536))]), None, &large);
    assert!(Placeholders::new(names([("#a", &"a".repeat(65535))]), None).is_ok());
    let huge = Value::S("x".repeat(2 * 1024 * 1024));
    check(None, values([(":n", huge)]), "ExpressionAttributeValues exceeds max size");
}

#[test]
fn every_placeholder_is_used() {
    let check = |text: &str, expected: &str| {
        let names = names([("#a", "a"), ("#b", "b")]);
        let mut placeholders = Placeholders::new(names, values([(":n", n(1)), (":z", n(2))])).unwrap();
        placeholders.filter(text).unwrap();
        let said = placeholders.finish().map_or_else(|error| error.to_string(), |()| String::new());
        assert_eq!(said, expected, "{text}");
    };
    check("#a = :n AND #b = :z", "");
    check("#a IN (:n, :z, #b)", "");
    check("#b = :n", "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}");
    check("c = :n", "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}");
    check("#a = #b", "Value provided in ExpressionAttributeValues unused in expressions: keys: {:n, :z}");
}

#[test]
fn expressions_share_placeholders() {
    let mut placeholders = Placeholders::new(names([("#a", "a")]), values([(":n", n(1))])).unwrap();
    placeholders.update("SET #a = :n").unwrap();
    placeholders.condition("#a < :n").unwrap();
    placeholders.finish().unwrap();
}

#[test]
fn placeholders_need_an_expression() {
    use ExpressionKind::{Condition, Filter, KeyCondition, Projection, Update};
    let check = |with_names: bool,
                 with_values: bool,
                 expressions: &[(ExpressionKind, Option<&str>)],
                 expected: &str| {
        let names = with_names.then(BTreeMap::new);
        let values = with_values.then(BTreeMap::new);
        let said = Placeholders::require_expressions(names.as_ref(), values.as_ref(), expressions);
        assert_eq!(said.map_or_else(|error| error.to_string(), |()| String::new()), expected);
    };
    let names = "ExpressionAttributeNames can only be specified when using expressions";
    let values = "ExpressionAttributeValues can only be specified when using expressions:";
    check(false, false, &[(Condition, None)], "");
    check(true, true, &[(Condition, Some("a"))], "");
    check(true, true, &[(Condition, None)], names);
    check(true, false, &[(Projection, None)], names);
    check(true, false, &[(Filter, None), (KeyCondition, None), (Projection, Some("a"))], "");
    check(false, true, &[(Condition, None)], &format!("{values} ConditionExpression is null"));
    let both = format!("{values} UpdateExpression and ConditionExpression are null");
    check(false, true, &[(Update, None), (Condition, None)], &both);
    check(false, true, &[(Update, None), (Condition, Some(""))], "");
    let reads = format!("{values} FilterExpression and KeyConditionExpression are null");
    check(false, true, &[(Filter, None), (KeyCondition, None), (Projection, Some("a"))], &reads);
}
