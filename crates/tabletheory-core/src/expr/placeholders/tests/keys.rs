//! Texts of key conditions.

use super::*;

fn check(text: &str, expected: &str) {
    assert_says(ExpressionKind::KeyCondition, text, placeholders().key_condition(text), expected);
}

#[test]
fn fine() {
    let texts = [
        "pk = :s",
        "pk = :s AND sk = :s",
        ":s = pk",
        "pk = :s AND :s = sk",
        "pk = :s AND :s < sk",
        "pk = :s AND begins_with(sk, :s)",
        "begins_with(sk, :s) AND pk = :s",
        "pk = :s AND sk BETWEEN :s AND :s2",
        "pk = :n",
        "pk = :s AND sk = :n",
        "pk > :s",
        "pk = :s AND foo = :s",
        "sk = :s",
        "pk = :s AND sk = :s AND foo = :s",
        "pk = :s AND (sk = :s)",
        "(pk = :s) AND (sk = :s)",
        "(pk = :s AND sk = :s)",
        "#pk = :s",
        "pk = :t",
        "pk = (:s)",
        "(pk) = :s",
        "begins_with(pk, :s)",
        "pk BETWEEN :s AND :s2",
        "pk = :null",
    ];
    for text in texts {
        check(text, "");
    }
}

#[test]
fn syntax_errors_show_the_token_and_its_neighbours() {
    let check = |text: &str, token: &str, near: &str| {
        check(text, &format!("Syntax error; token: \"{token}\", near: \"{near}\""));
    };
    check(" ", "<EOF>", " ");
    check("pk", "<EOF>", "pk");
    check("pk = :s AND sk", "<EOF>", "sk");
}

#[test]
fn reserved_words_need_a_placeholder() {
    let complaint = "Attribute name is a reserved keyword; reserved keyword:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("status = :s", "status");
}

#[test]
fn functions_have_exact_names() {
    let complaint = "Invalid function name; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = :s AND foo(sk)", "foo");
}

#[test]
fn functions_stand_where_their_result_is_of_use() {
    let complaint = "The function is not allowed to be used this way in an expression; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("size(pk)", "size");
}

#[test]
fn functions_belong_to_their_expression() {
    let complaint = "The function is not allowed in a condition expression; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("if_not_exists(pk, :s) = :s", "if_not_exists");
}

#[test]
fn functions_take_a_fixed_number_of_operands() {
    let complaint = "Incorrect number of operands for operator or function; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = :s AND begins_with(sk)", "begins_with, number of operands: 1");
}

#[test]
fn types_are_checked_before_any_item_is_read() {
    let complaint = "Incorrect operand type for operator or function; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = :s AND sk < :t", "<, operand type: BOOL");
    check("pk = :s AND begins_with(sk, :n)", "begins_with, operand type: N");
    check("begins_with(sk, size(a))", "begins_with, operand type: N");
    check("pk = :s AND sk BETWEEN :t AND :t", "BETWEEN, operand type: BOOL");
    check("pk < :t OR a = b", "<, operand type: BOOL");
}

#[test]
fn nothing_is_held_against_itself() {
    let complaint = "The first operand must be distinct from the remaining operands for this operator or function; operator:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = pk", "=, first operand: [pk]");
    check("pk = :s AND sk BETWEEN sk AND :s", "BETWEEN, first operand: [sk]");
    check("pk = pk AND sk = :s", "=, first operand: [pk]");
    check("pk IN (:s, pk)", "IN, first operand: [pk]");
    check("pk = :s AND contains(sk, sk)", "contains, first operand: [sk]");
}

#[test]
fn bounds_are_in_order() {
    let complaint = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check(
        "pk = :s AND sk BETWEEN :s2 AND :s",
        "AttributeValue: {S:y}, upper bound operand: AttributeValue: {S:x}",
    );
}

#[test]
fn bounds_are_of_one_type() {
    let complaint =
        "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check(
        "pk = :s AND sk BETWEEN :s AND :n",
        "AttributeValue: {S:x}, upper bound operand: AttributeValue: {N:1}",
    );
    check(
        "pk = :s AND sk BETWEEN :n2 AND :s",
        "AttributeValue: {N:2}, upper bound operand: AttributeValue: {S:x}",
    );
}

#[test]
fn names_are_defined() {
    let complaint = "An expression attribute name used in the document path is not defined; attribute name:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("#zz = :s", "#zz");
}

#[test]
fn values_are_defined() {
    let complaint = "An expression attribute value used in expression is not defined; attribute value:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = :zz", ":zz");
}

#[test]
fn few_operators_can_ask_about_keys() {
    let complaint = "Invalid operator used in KeyConditionExpression:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = :s OR sk = :s", "OR");
    check("pk <> :s", "<>");
    check("pk IN (:s)", "IN");
    check("NOT pk = :s", "NOT");
    check("pk = :s AND contains(sk, :s)", "contains");
    check("pk = :s AND attribute_exists(sk)", "attribute_exists");
    check("attribute_not_exists(pk)", "attribute_not_exists");
    check("attribute_type(pk, :type)", "attribute_type");
    check("pk = :s AND (sk = :s OR sk = :s2)", "OR");
    check("pk = :s AND NOT sk = :s", "NOT");
    check("pk = :s AND sk <> :s", "<>");
    check("pk = :s AND sk IN (:s, :s2)", "IN");
    check("pk = :s OR sk IN (:s)", "OR");
    check("pk IN (:s) OR sk = :s", "OR");
    check("NOT pk <> :s", "NOT");
    check("a.b = :s OR c = :s", "OR");
    check("contains(a.b, :s)", "contains");
}

#[test]
fn each_condition_is_about_one_attribute() {
    let complaint = "Invalid condition in KeyConditionExpression:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("pk = sk", "Multiple attribute names used in one condition");
    check(":s = :s2", "No key attribute specified");
    check(
        "begins_with(:s, sk) AND pk = :s",
        "begins_with operator must have the key attribute as its first operand",
    );
    check(
        "begins_with(:s, :s2) AND pk = :s",
        "begins_with operator must have the key attribute as its first operand",
    );
    check("begins_with(pk, sk)", "Multiple attribute names used in one condition");
    check(
        "pk = :s AND :s BETWEEN sk AND :s2",
        "BETWEEN operator must have the key attribute as its first operand",
    );
    check(
        "pk = :s AND :s BETWEEN :s AND :s2",
        "BETWEEN operator must have the key attribute as its first operand",
    );
    check("pk = :s AND sk BETWEEN :s AND pk", "Multiple attribute names used in one condition");
    check("a = b AND c.d = :s", "Multiple attribute names used in one condition");
}

#[test]
fn other_faults() {
    check("", "The expression can not be empty;");
    check("pk = :s AND pk = :s", "KeyConditionExpressions must only contain one condition per key");
    check("pk.a = :s", "KeyConditionExpressions cannot have conditions on nested attributes");
    check("pk[0] = :s", "KeyConditionExpressions cannot have conditions on nested attributes");
    check("pk = :s AND sk.a = :s", "KeyConditionExpressions cannot have conditions on nested attributes");
    check("size(pk) = :n", "KeyConditionExpressions cannot contain nested operations");
    check("pk = size(sk)", "KeyConditionExpressions cannot contain nested operations");
    check("pk = :s AND size(sk) > :n", "KeyConditionExpressions cannot contain nested operations");
    check("((pk = :s)) AND sk = :s", "The expression has redundant parentheses;");
    check(
        "pk = :s AND (sk > :s AND sk < :s2)",
        "KeyConditionExpressions must only contain one condition per key",
    );
    check(
        "pk = :s AND sk > :s AND sk < :s2",
        "KeyConditionExpressions must only contain one condition per key",
    );
    check(
        "pk = :s AND begins_with(sk.a, :s)",
        "KeyConditionExpressions cannot have conditions on nested attributes",
    );
    check(
        "pk = :s AND sk[0] BETWEEN :s AND :s2",
        "KeyConditionExpressions cannot have conditions on nested attributes",
    );
    check("a.b = c", "KeyConditionExpressions cannot have conditions on nested attributes");
    check("pk = :s AND size(sk) = size(pk)", "KeyConditionExpressions cannot contain nested operations");
    check(
        "a = :s AND b = :s AND c = :s AND a = :s",
        "KeyConditionExpressions must only contain one condition per key",
    );
    check("a = :s AND a.b = :s", "KeyConditionExpressions cannot have conditions on nested attributes");
}

#[test]
fn a_value_on_the_left_turns_the_comparison_around() {
    let check = |text: &str, expected: &str| {
        let (one, two) = (placeholders().key_condition(text), placeholders().key_condition(expected));
        assert_eq!(one.unwrap(), two.unwrap(), "{text}");
    };
    check(":s = pk", "pk = :s");
    check(":s < pk", "pk > :s");
    check(":s <= pk", "pk >= :s");
    check(":s > pk", "pk < :s");
    check(":s >= pk", "pk <= :s");
    check("a = :s AND (b = :s AND c > :s)", "(a = :s AND b = :s) AND :s < c");
}
