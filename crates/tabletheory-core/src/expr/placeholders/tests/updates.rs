//! Texts of updates.

use super::*;

fn check(text: &str, expected: &str) {
    assert_says(ExpressionKind::Update, text, placeholders().update(text), expected);
}

#[test]
fn fine() {
    let texts = [
        "SET a = :n",
        "set a = :n, b = :n2",
        "SET a[0]=:n, a[1]=:n",
        "ADD a :n",
        "ADD a :n, b :ss",
        "DELETE a :ss",
        "SET a = b",
        "SET a = a",
        "SET a = a + :n",
        "SET a = (:n)",
        "SET a = (:n + :n)",
        "SET a = (a) + :n",
        "SET a = list_append(a, :l)",
        "SET a = if_not_exists(a, :n)",
        "SET a = if_not_exists(a, :n) + :n",
        "SET a = if_not_exists(a, :s) + :n",
        "SET a = if_not_exists(a, if_not_exists(b, :n))",
        "SET a = list_append(if_not_exists(a, :l), :l)",
        "SET a = list_append(if_not_exists(a, :n), :l)",
        "SET a = :n remove b add c :n delete d :ss",
        "SET pk = :s",
        "REMOVE pk",
        "SET pk.a = :s",
        "SET a= if_not_exists((a), (:n))",
        "SET a = a - (b)",
        "SET a = :n+:n2",
        "SET a = b-c",
        "SET a=b+c",
        "ADD a.b :n",
        "DELETE a[0] :ss",
        "SET a = list_append(a, b)",
        "SET a = list_append(:l, if_not_exists(b, :l))",
        "SET a = if_not_exists(b, :t) + :n",
        "SET a = list_append((a), (:l))",
        "SET a = (list_append(b, :l))",
        "SET a = (a + (:n))",
        "SET a = ((a) + :n)",
        "SET a = list_append",
        "SET a = foo",
        "SET if_not_exists = :n",
        "SET a = if_not_exists(a.b[1], :n)",
        "SET a = if_not_exists((a), :n)",
        "REMOVE a[0], a[1]",
        "REMOVE a[0] SET a[1] = :n",
        "SET a[0] . b = :n",
        "SET a = (b) - (c)",
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
    check("SET", "<EOF>", "SET");
    check("SET a", "<EOF>", "a");
    check("SET a =", "<EOF>", "=");
    check("SET a = :n,", "<EOF>", ",");
    check("ADD a b", "b", "a b");
    check("DELETE a b", "b", "a b");
    check("SET a = :n + :n + :n", "+", ":n + :n");
    check("SET a = if_not_exists(a, b + :n)", "+", "b + :n");
    check("SET a = :n b = :n", "b", ":n b =");
    check("SET :n = a", ":n", "SET :n =");
    check("SET size(a) = :n", "(", "size(a");
    check("REMOVE", "<EOF>", "REMOVE");
    check("REMOVE :n", ":n", "REMOVE :n");
    check("REMOVE a,", "<EOF>", ",");
    check("REMOVE size(a)", "(", "size(a");
    check("foo a", "foo", "foo a");
    check("a = :n", "a", "a =");
    check("SET a = :n foo", "foo", ":n foo");
    check("SET a = :n AND b = :n", "AND", ":n AND b");
    check("SET a = :n, SET b = :n", "SET", ", SET b");
    check("SET a += :n", "+", "a +=");
    check("SET a = a++", "+", "++");
    check("SET a = :n = :n", "=", ":n = :n");
    check("SET a < :n", "<", "a < :n");
    check("SET (a) = :n", "(", "SET (a");
    check("REMOVE (a)", "(", "REMOVE (a");
    check("ADD a (:n)", "(", "a (:n");
    check("ADD (a) :n", "(", "ADD (a");
    check("SET a = list_append(a + :n, :l)", "+", "a + :n");
    check("SET a = -:n", "-", "= -:n");
    check("SET a = (a + :n) + :n", "+", ") + :n");
    check("SET a = (a + :n", "<EOF>", ":n");
    check("SET a = )", ")", "= )");
    check("SET a = a + ", "<EOF>", "+ ");
    check("SET a = list_append(,)", ",", "(,)");
    check("SET a = list_append()", ")", "()");
    check("SET a = list_append(a, :n) SET b = = c", "=", "= = c");
    check("SET a.set = :n", "set", ".set =");
    check("SET set = :n", "set", "SET set =");
    check("SET set set = :n", "set", "SET set set");
    check("ADD add :n", "add", "ADD add :n");
    check("REMOVE remove", "remove", "REMOVE remove");
    check("SET SET", "SET", "SET SET");
    check("ADD a", "<EOF>", "a");
    check("ADD a :n b", "b", ":n b");
    check("ADD a :n,", "<EOF>", ",");
    check("DELETE", "<EOF>", "DELETE");
    check("DELETE a", "<EOF>", "a");
    check(", a", ",", ", a");
    check("SET ,", ",", "SET ,");
    check("SET a = :n, REMOVE b", "REMOVE", ", REMOVE b");
    check("SET a = :n; b", ";", ":n; b");
    check("SET a = :n ADD", "<EOF>", "ADD");
    check("SET a = :n REMOVE", "<EOF>", "REMOVE");
    check("SET a = :n b", "b", ":n b");
    check("SET a = :n (", "(", ":n (");
    check("SET a = NOT b", "NOT", "= NOT b");
    check("SET a = b AND c", "AND", "b AND c");
    check("SET a = b = c", "=", "b = c");
    check("SET a = \"x\"", "\"x\"", "= \"x\"");
    check("SET a = 1", "1", "= 1");
    check("SET a[1 = :n", "=", "1 = :n");
    check("SET a = (b)(c)", "(", ")(c");
}

#[test]
fn reserved_words_need_a_placeholder() {
    let complaint = "Attribute name is a reserved keyword; reserved keyword:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET status = :n", "status");
}

#[test]
fn functions_have_exact_names() {
    let complaint = "Invalid function name; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = foo(a)", "foo");
    check("SET a = IF_NOT_EXISTS(a, :n)", "IF_NOT_EXISTS");
}

#[test]
fn functions_stand_where_their_result_is_of_use() {
    let complaint = "The function is not allowed to be used this way in an expression; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = list_append(list_append(a, :l), :l)", "list_append");
    check("SET a = list_append(a, :l) + :n", "list_append");
    check("SET a = if_not_exists(a, list_append(b, :l))", "list_append");
    check("SET a = if_not_exists(list_append(b,:l), :l)", "list_append");
}

#[test]
fn functions_belong_to_their_expression() {
    let complaint = "The function is not allowed in an update expression; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = size(a)", "size");
    check("SET a = attribute_exists(a)", "attribute_exists");
    check("SET a = begins_with(a, :s)", "begins_with");
    check("SET a = if_not_exists(a, size(b))", "size");
}

#[test]
fn functions_take_a_fixed_number_of_operands() {
    let complaint = "Incorrect number of operands for operator or function; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = list_append(a)", "list_append, number of operands: 1");
    check("SET a = if_not_exists(a)", "if_not_exists, number of operands: 1");
}

#[test]
fn some_functions_ask_about_a_path() {
    let complaint = "Operator or function requires a document path; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = if_not_exists(:n, :n)", "if_not_exists");
    check("SET a = if_not_exists(if_not_exists(b,:l), :l)", "if_not_exists");
}

#[test]
fn types_are_checked_before_any_item_is_read() {
    let complaint = "Incorrect operand type for operator or function; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = :s + :n", "+, operand type: S");
    check("SET a = :n - :s", "-, operand type: S");
    check("SET a = list_append(a, :n)", "list_append, operand type: N");
    check("SET a = list_append(:s, a)", "list_append, operand type: S");
    check("SET a = list_append(:l, :n) , b=:n+:s", "list_append, operand type: N");
    check("SET a = :t + :n", "+, operand type: BOOL");
    check("SET a = :ns + :n", "+, operand type: NS");
}

#[test]
fn add_takes_numbers_and_sets_and_delete_takes_sets() {
    let complaint = "Incorrect operand type for operator or function; operator:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("ADD a :s", "ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND");
    check("ADD a :l", "ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND");
    check("ADD a :m", "ADD, operand type: MAP, typeSet: ALLOWED_FOR_ADD_OPERAND");
    check("ADD a :t", "ADD, operand type: BOOLEAN, typeSet: ALLOWED_FOR_ADD_OPERAND");
    check("ADD a :null", "ADD, operand type: NULL, typeSet: ALLOWED_FOR_ADD_OPERAND");
    check("ADD a :b", "ADD, operand type: BINARY, typeSet: ALLOWED_FOR_ADD_OPERAND");
    check("DELETE a :n", "DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND");
    check("DELETE a :s", "DELETE, operand type: STRING, typeSet: ALLOWED_FOR_DELETE_OPERAND");
}

#[test]
fn paths_do_not_lead_into_each_other() {
    let complaint =
        "Two document paths overlap with each other; must remove or rewrite one of these paths; path one:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = :n REMOVE a", "[a], path two: [a]");
    check("REMOVE a, a", "[a], path two: [a]");
    check("REMOVE a, a.b", "[a], path two: [a, b]");
    check("SET a.b = :n, a = :n", "[a, b], path two: [a]");
    check("SET a.b.c = :n REMOVE a.b", "[a, b, c], path two: [a, b]");
    check("SET a = :n REMOVE a.b, a", "[a], path two: [a]");
    check("SET a[1] = :n, b= :n, a=:n", "[a, [1]], path two: [a]");
}

#[test]
fn a_value_is_not_both_a_list_and_a_map() {
    let complaint =
        "Two document paths conflict with each other; must remove or rewrite one of these paths; path one:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a[0] = :n, a.b = :n", "[a, [0]], path two: [a, b]");
    check("REMOVE a.b, a[0]", "[a, b], path two: [a, [0]]");
}

#[test]
fn list_indexes_have_a_limit() {
    let complaint = "List index is not within the allowable range; index:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a[2147483648] = :n", "[2147483648]");
    check("REMOVE a[99999999999]", "[99999999999]");
}

#[test]
fn names_are_defined() {
    let complaint = "An expression attribute name used in the document path is not defined; attribute name:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET #zz = :n", "#zz");
}

#[test]
fn values_are_defined() {
    let complaint = "An expression attribute value used in expression is not defined; attribute value:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("SET a = :zz", ":zz");
}

#[test]
fn other_faults() {
    check("", "The expression can not be empty;");
    check("SET a = :n SET b = :n", "The \"SET\" section can only be used once in an update expression;");
    check("SET a = ((:n))", "The expression has redundant parentheses;");
    check("REMOVE a REMOVE b", "The \"REMOVE\" section can only be used once in an update expression;");
    check("ADD a :n ADD b :n", "The \"ADD\" section can only be used once in an update expression;");
    check(
        "DELETE a :ss DELETE b :ss",
        "The \"DELETE\" section can only be used once in an update expression;",
    );
    check("SET a = ((a + :n))", "The expression has redundant parentheses;");
}

#[test]
fn limits() {
    let sums = |count: usize| (0..count).map(|at| format!("a{at}=b+:n")).collect::<Vec<_>>().join(",");
    check(&format!("SET {}", sums(300)), "");
    check(&format!("SET {}", sums(301)), "The expression contains too many operators; operator count: 301");
    let size = "Expression size has exceeded the maximum allowed size;";
    check(&format!("REMOVE a{}", " ".repeat(4089)), size);
    check(&format!("SET a = {}:n{}", "if_not_exists(a,".repeat(150), ")".repeat(150)), "");
}

#[test]
fn actions_keep_the_order_of_the_text() {
    let update = placeholders().update("remove #a ADD b :n set c = :s, d = :n").unwrap();
    let paths: Vec<String> = update.actions.iter().map(|action| action.path().to_string()).collect();
    assert_eq!(paths, ["a", "b", "c", "d"]);
}
