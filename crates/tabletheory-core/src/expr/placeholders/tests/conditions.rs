//! Texts of conditions and filters.

use super::*;

fn check(text: &str, expected: &str) {
    assert_says(ExpressionKind::Condition, text, placeholders().condition(text), expected);
}

fn fine(texts: &[&str]) {
    for text in texts {
        check(text, "");
    }
}

#[test]
fn conditions_join_and_nest() {
    fine(&[
        "((a = :n) AND b = :n)",
        "NOT a = :n",
        "NOT NOT a = :n",
        "not (a = :n)",
        "(a = :n) AND (b = :n)",
        "NOT (NOT (a = :n))",
        "(NOT a = :n)",
        "((a = :n) AND (b = :n))",
        "a = :n AND NOT b = :n OR c = :n",
        "NOT (size(a)) = :n",
        "NOT size(a) = :n",
    ]);
}

#[test]
fn functions() {
    fine(&[
        "size(a) = :n",
        "size((a)) = :n",
        "attribute_type(a, :type)",
        "contains(a, :n)",
        "contains(:n, a)",
        "contains(a,:l)",
        "size(:s) = :n",
        "contains(a, size(b))",
        "a = size(b)",
        "size(a) = size(a)",
        "a IN (size(b))",
        "size(a) IN (:n)",
        "size(a) BETWEEN :n AND :n2",
        "a BETWEEN size(b) AND size(c)",
        "begins_with((a), (:s))",
        "contains(size(a), :n)",
        "attribute_exists((a))",
        "size (a) = :n",
        "begins_with (a, :s)",
        "attribute_exists = :n",
        "size(a) BETWEEN size(a) AND :n",
        "contains(a, :t)",
        "contains(:s, a)",
        "contains(:t, a)",
        "contains(:null, a)",
        "contains(:ss,a)",
        "contains(:m,a)",
        "contains(a,:null)",
        "contains(a, :ss)",
        "contains(a,:m)",
        "contains(:b, :s)",
        "size(a) < :s",
        "size(a) = :s",
        "a < size(b)",
        "begins_with(a, :b)",
        "begins_with(:s,:b)",
        "begins_with(:s,:s)",
        "size(:ss) = :n",
        "size(:l)=:n",
        "size(:m)=:n",
        "size(:b)=:n",
        "size(:bs) = :n",
        "size(a) BETWEEN :s AND :s2",
        "a BETWEEN size(b) AND :s",
        "a BETWEEN :s AND size(b)",
        "size(a) > size(a)",
        "(size(a)) = :n",
    ]);
}

#[test]
fn operands_may_stand_in_parentheses() {
    fine(&[
        "(a = :n)",
        "a = (:n)",
        "(a) = :n",
        "a IN ((:n))",
        "a BETWEEN (:n) AND (:n2)",
        "(a) BETWEEN :n AND :n2",
    ]);
}

#[test]
fn comparisons_and_ranges() {
    fine(&[
        "a = :s",
        "a[0] = :n",
        "a[2147483647] = :n",
        "#r = :n",
        "a IN (:n)",
        "a in (:n, :s)",
        "a between :n and :n2",
        ":n = :n",
        "a_b = :n",
        "a.#b = :n",
        "#a.#dot = :n",
        "a\t=\n:n",
        "a = :n  \n",
        "a <> :n",
        "a<>:n",
        "a >= :n",
        "a\r= :n",
        "begins_with = :n",
        "contains = :n",
        "list_append = :n",
        "a IN (b, b)",
        ":t = :t",
        ":s < :n",
        ":n < :n",
        ":s BETWEEN :n AND :n2",
        "a IN (:t)",
        "a BETWEEN b AND :n",
        "a BETWEEN :n AND b",
        "a BETWEEN :b AND :b",
        "a = :ss",
        "a <> :m",
        "a < b",
        "a IN (:n, :n)",
    ]);
}

#[test]
fn syntax_errors_show_the_token_and_its_neighbours() {
    let check = |text: &str, token: &str, near: &str| {
        check(text, &format!("Syntax error; token: \"{token}\", near: \"{near}\""));
    };
    check(" ", "<EOF>", " ");
    check("a", "<EOF>", "a");
    check("a =", "<EOF>", "=");
    check("a = :n b", "b", ":n b");
    check("a == :n", "=", "== :n");
    check("a = = :n", "=", "= = :n");
    check("= a", "=", "= a");
    check("(a", "<EOF>", "a");
    check("a = :n)", ")", ":n)");
    check("foo", "<EOF>", "foo");
    check("attribute_exists()", ")", "()");
    check("a[status] = :n", "status", "[status]");
    check("a[-1] = :n", "-", "[-1");
    check("a[1.5] = :n", ".", "1.5");
    check("a[:n] = :n", ":n", "[:n]");
    check("a IN ()", ")", "()");
    check("a IN :n", ":n", "IN :n");
    check("a BETWEEN :n AND", "<EOF>", "AND");
    check("a = :n AND", "<EOF>", "AND");
    check("AND a = :n", "AND", "AND a");
    check("a = :n OR OR b = :n", "OR", "OR OR b");
    check("a = \"x\"", "\"x\"", "= \"x\"");
    check("a = 'x'", "'x'", "= 'x'");
    check("a = 1", "1", "= 1");
    check("1a = :n", "1", "1a");
    check("a-b = :n", "-", "a-b");
    check("_a = :n", "_", "_a");
    check("é = :n", "é", "é =");
    check("a = :n;", ";", ":n;");
    check("a..b = :n", ".", "..b");
    check("a. = :n", "=", ". = :n");
    check(".a = :n", ".", ".a");
    check("a#b = :n", "#b", "a#b =");
    check("a:n = :n", ":n", "a:n =");
    check("# = :n", "#", "# =");
    check("a = :", ":", "= :");
    check("NOT", "<EOF>", "NOT");
    check("and", "and", "and");
    check("set = :n", "set", "set =");
    check("a + :n = :n", "+", "a + :n");
    check("a = b + :n", "+", "b + :n");
    check("a  ", "<EOF>", "a  ");
    check("a = ", "<EOF>", "= ");
    check("a =  \n", "<EOF>", "=  \n");
    check("a  b  c", "b", "a  b  c");
    check("  = a", "=", "  = a");
    check("a = \"x", "\"", "= \"x");
    check("a = 'x", "'", "= 'x");
    check("a = 'x''y'", "'x'", "= 'x''y'");
    check("a = \"x\"\"y\"", "\"x\"", "= \"x\"\"y\"");
    check("a = `x`", "`", "= `x");
    check("a != :n", "!", "a !=");
    check("a < > :n", ">", "< > :n");
    check("a => :n", ">", "=> :n");
    check("a & b", "&", "a & b");
    check("a = :n && b = :n", "&", ":n &&");
    check("a = :n\\", "\\", ":n\\");
    check("a = :n AND b @ c", "@", "b @ c");
    check("a = $x", "$", "= $x");
    check("a = 1.5", "1", "= 1.");
    check("a = -1", "-", "= -1");
    check("a = 1e5", "1", "= 1e5");
    check("a = 12x", "12", "= 12x");
    check("12", "12", "12");
    check("a = :n/*x*/", "/", ":n/*");
    check("a = :n--x", "-", ":n--");
    check("a = :n, b", ",", ":n, b");
    check("a = *", "*", "= *");
    check("a = ?", "?", "= ?");
    check("a % b", "%", "a % b");
    check("a\u{a0}= :n", "\u{a0}", "a\u{a0}=");
    check("a\u{c}= :n", "\u{c}", "a\u{c}=");
    check("a\u{b}= :n", "\u{b}", "a\u{b}=");
    check("a = :a-b", "-", ":a-b");
    check("a = :a.b", ".", ":a.b");
    check("a = :é", ":", "= :é");
    check("a = ::n", ":", "= ::n");
    check("##a = :n", "#", "##a");
    check("a = :n:n", ":n", ":n:n");
    check("\"a\" = :n", "\"a\"", "\"a\" =");
    check("a = 日本", "日", "= 日本");
    check("a = 😀 b", "😀", "= 😀 b");
    check("a = {x}", "{", "= {x");
    check("a|b", "|", "a|b");
    check("a~b", "~", "a~b");
    check("a^b", "^", "a^b");
    check("a!b", "!", "a!b");
    check("a = :n ! b", "!", ":n ! b");
    check("aé = :n", "é", "aé =");
    check("a=b=c", "=", "b=c");
    check("(a = :n) b", "b", ") b");
    check("NOT (a)", "<EOF>", ")");
    check("NOT a", "<EOF>", "a");
    check("a IN (:n, :s", "<EOF>", ":s");
    check("a IN (:n :s)", ":s", ":n :s)");
    check("size() = :n", ")", "() =");
    check("foo()", ")", "()");
    check("foo(a", "<EOF>", "a");
    check("foo(a) AND", "<EOF>", "AND");
    check("a.size(b) = :n", "(", "size(b");
    check("#a(b) = :n", "(", "#a(b");
    check("a[0](b) = :n", "(", "](b");
    check(":s(b) = :n", "(", ":s(b");
    check("a = :n AND AND", "AND", "AND AND");
    check("a = :n) AND", ")", ":n) AND");
    check("()", ")", "()");
    check("( ) = a", ")", "( ) =");
    check("(a = :n", "<EOF>", ":n");
    check("(a = :n AND", "<EOF>", "AND");
    check("(a, b) = :n", ",", "a, b");
    check("(a, b)", ",", "a, b");
    check("foo bar", "bar", "foo bar");
    check("a = ", "<EOF>", "= ");
    check("a = 1  ", "1", "= 1  ");
    check("a b  ", "b", "a b  ");
    check("a = \"\"", "\"\"", "= \"\"");
    check("a = ''", "''", "= ''");
    check("a = \"x'y\"", "\"x'y\"", "= \"x'y\"");
    check("a = \"x\ny\"", "\"x\ny\"", "= \"x\ny\"");
    check("(a) AND b = :n", "AND", ") AND b");
    check("(a = :n) = :n", "=", ") = :n");
    check("a = (b = :n)", "=", "b = :n");
    check("size(a = b) = :n", "=", "a = b");
    check("a BETWEEN (b AND c)", "AND", "b AND c");
    check("a IN (b = c)", "=", "b = c");
    check("a = NOT b", "NOT", "= NOT b");
    check("(a = b", "<EOF>", "b");
    check("a BETWEEN :n OR :n2", "OR", ":n OR :n2");
    check("a IN", "<EOF>", "IN");
    check("a IN (", "<EOF>", "(");
    check("a NOT IN (:n)", "NOT", "a NOT IN");
    check("a BETWEEN :n , :n2", ",", ":n , :n2");
    check("size(a", "<EOF>", "a");
    check("size(a b) = :n", "b", "a b)");
    check("size a = :n", "a", "size a =");
    check("a = b c", "c", "b c");
    check("a[0]b = :n", "b", "]b =");
    check("a.b c", "c", "b c");
    check("a.1 = :n", "1", ".1 =");
    check("a.:n = :n", ":n", ".:n =");
    check("a[#a] = :n", "#a", "[#a]");
    check("begins_with(a :s)", ":s", "a :s)");
    check("begins_with(a,)", ")", ",)");
    check("begins_with(,a)", ",", "(,a");
    check("begins_with(NOT a, b)", "NOT", "(NOT a");
    check("in (a)", "in", "in (");
    check("BETWEEN", "BETWEEN", "BETWEEN");
}

#[test]
fn reserved_words_need_a_placeholder() {
    let complaint = "Attribute name is a reserved keyword; reserved keyword:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("status = :n", "status");
    check("a.status = :n", "status");
    check("size = :n", "size");
}

#[test]
fn functions_have_exact_names() {
    let complaint = "Invalid function name; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("foo(a)", "foo");
    check("foo(a) = :n", "foo");
    check("Size(a) = :n", "Size");
    check("ATTRIBUTE_EXISTS(a)", "ATTRIBUTE_EXISTS");
    check("foo(size(x), bar(y))", "foo");
    check("foo(status)", "foo");
    check("foo(a)", "foo");
}

#[test]
fn functions_stand_where_their_result_is_of_use() {
    let complaint = "The function is not allowed to be used this way in an expression; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("size(a)", "size");
    check("begins_with(a, :s) = :t", "begins_with");
    check("attribute_exists(a) = :t", "attribute_exists");
    check("a = begins_with(a, :s)", "begins_with");
    check("(size(a))", "size");
    check("attribute_exists(attribute_exists(a))", "attribute_exists");
    check("size(attribute_exists(a)) = :n", "attribute_exists");
    check("contains(a, attribute_exists(b))", "attribute_exists");
    check("a = attribute_exists(b)", "attribute_exists");
    check("(attribute_exists(a)) = :t", "attribute_exists");
}

#[test]
fn functions_belong_to_their_expression() {
    let complaint = "The function is not allowed in a condition expression; function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("list_append(a, b) = :n", "list_append");
    check("if_not_exists(a, :n) = :n", "if_not_exists");
    check("if_not_exists(a, :n) = :n", "if_not_exists");
}

#[test]
fn functions_take_a_fixed_number_of_operands() {
    let complaint = "Incorrect number of operands for operator or function; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("begins_with(a)", "begins_with, number of operands: 1");
    check("begins_with(a, :s, :s)", "begins_with, number of operands: 3");
    check("attribute_exists(a, b)", "attribute_exists, number of operands: 2");
    check("size(a, b) = :n", "size, number of operands: 2");
    check("contains(a)", "contains, number of operands: 1");
    check("contains(a,b,c)", "contains, number of operands: 3");
    check("attribute_type(a)", "attribute_type, number of operands: 1");
    check("attribute_not_exists(a,b)", "attribute_not_exists, number of operands: 2");
}

#[test]
fn some_functions_ask_about_a_path() {
    let complaint = "Operator or function requires a document path; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("attribute_exists(:s)", "attribute_exists");
    check("attribute_exists(size(a))", "attribute_exists");
    check("attribute_not_exists(:s)", "attribute_not_exists");
    check("attribute_type(:s, :type)", "attribute_type");
    check("attribute_type(size(a), :type)", "attribute_type");
    check("attribute_type(:n, :type)", "attribute_type");
}

#[test]
fn types_are_checked_before_any_item_is_read() {
    let complaint = "Incorrect operand type for operator or function; operator or function:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("size(size(a)) = :n", "size, operand type: N");
    check("attribute_type(a, :n)", "attribute_type, operand type: N");
    check("attribute_type(a, b)", "attribute_type, operand type: {S,SS,L,M,N,NS,BS,B,NULL,BOOL}");
    check("a BETWEEN :t AND :t", "BETWEEN, operand type: BOOL");
    check("a < :t", "<, operand type: BOOL");
    check("a <= :ss", "<=, operand type: SS");
    check(":t < a", "<, operand type: BOOL");
    check("begins_with(a, :n)", "begins_with, operand type: N");
    check("begins_with(:n, :s)", "begins_with, operand type: N");
    check("size(:n) = :n", "size, operand type: N");
    check("size(:t) = :n", "size, operand type: BOOL");
    check("begins_with(size(a), :s)", "begins_with, operand type: N");
    check("begins_with(a, size(b))", "begins_with, operand type: N");
    check("attribute_type(a,size(b))", "attribute_type, operand type: N");
    check("a < :t", "<, operand type: BOOL");
    check("size(a) < :t", "<, operand type: BOOL");
    check("begins_with(a, :t)", "begins_with, operand type: BOOL");
    check("begins_with(a, :ss)", "begins_with, operand type: SS");
    check("size(:null)=:n", "size, operand type: NULL");
    check("a BETWEEN :l AND :n", "BETWEEN, operand type: L");
    check("a BETWEEN :n AND :l", "BETWEEN, operand type: L");
    check("a BETWEEN :t AND b", "BETWEEN, operand type: BOOL");
    check(":t BETWEEN a AND b", "BETWEEN, operand type: BOOL");
    check("attribute_type(a, :ss)", "attribute_type, operand type: SS");
    check("a < :null", "<, operand type: NULL");
    check("a >= :l", ">=, operand type: L");
    check("a > :m", ">, operand type: M");
}

#[test]
fn nothing_is_held_against_itself() {
    let complaint = "The first operand must be distinct from the remaining operands for this operator or function; operator:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a = a", "=, first operand: [a]");
    check("a <> a", "<>, first operand: [a]");
    check("a < a", "<, first operand: [a]");
    check("a IN (a)", "IN, first operand: [a]");
    check("a BETWEEN a AND :n", "BETWEEN, first operand: [a]");
    check("begins_with(a, a)", "begins_with, first operand: [a]");
    check("contains(a, a)", "contains, first operand: [a]");
    check("a = a", "=, first operand: [a]");
    check("a BETWEEN a AND a", "BETWEEN, first operand: [a]");
    check("a BETWEEN :n AND a", "BETWEEN, first operand: [a]");
    check("a IN (:n, a)", "IN, first operand: [a]");
    check("a.b = a.b", "=, first operand: [a, b]");
    check("a[0].c = a[0].c", "=, first operand: [a, [0], c]");
    check("#a = a", "=, first operand: [a]");
    check("a <= a", "<=, first operand: [a]");
    check("a >= a", ">=, first operand: [a]");
    check("a > a", ">, first operand: [a]");
}

#[test]
fn bounds_are_in_order() {
    let complaint = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a BETWEEN :n2 AND :n", "AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}");
}

#[test]
fn bounds_are_of_one_type() {
    let complaint =
        "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a BETWEEN :s AND :n", "AttributeValue: {S:x}, upper bound operand: AttributeValue: {N:1}");
}

#[test]
fn list_indexes_have_a_limit() {
    let complaint = "List index is not within the allowable range; index:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a[99999999999] = :n", "[99999999999]");
    check("a[2147483648] = :n", "[2147483648]");
    check("a[4294967295] = :n", "[4294967295]");
}

#[test]
fn names_are_defined() {
    let complaint = "An expression attribute name used in the document path is not defined; attribute name:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("#zz = :n", "#zz");
    check("#1 = :n", "#1");
    check("#_a = :n", "#_a");
    check("a.#1b = :n", "#1b");
}

#[test]
fn values_are_defined() {
    let complaint = "An expression attribute value used in expression is not defined; attribute value:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a = :zz", ":zz");
    check("a = :1", ":1");
    check("a = :_x", ":_x");
}

#[test]
fn attribute_type_asks_for_a_type() {
    let complaint = "Invalid attribute type name found; type:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("attribute_type(a, :bad)", "XX, valid types: {S,SS,L,M,N,NS,BS,B,NULL,BOOL}");
}

#[test]
fn other_faults() {
    check("", "The expression can not be empty;");
    check("((a = :n))", "The expression has redundant parentheses;");
    check("((a = :n AND b = :n))", "The expression has redundant parentheses;");
    check("((size(a)))= :n", "The expression has redundant parentheses;");
    check("((a)) = :n", "The expression has redundant parentheses;");
    check("a = ((:n))", "The expression has redundant parentheses;");
    check("a IN (((:n)))", "The expression has redundant parentheses;");
    check("((a)) BETWEEN :n AND :n2", "The expression has redundant parentheses;");
    check("begins_with(((a)), :s)", "The expression has redundant parentheses;");
    check("((a = :n)) AND b = :n", "The expression has redundant parentheses;");
    check("NOT ((a = :n))", "The expression has redundant parentheses;");
    check("((NOT a = :n))", "The expression has redundant parentheses;");
    check("(((a = :n) AND (b = :n)))", "The expression has redundant parentheses;");
}

#[test]
fn limits() {
    let many = |count: usize| vec![":n"; count].join(", ");
    check(&format!("a IN ({})", many(100)), "");
    let operands = "The IN operator is provided with too many operands; number of operands: 101";
    check(&format!("a IN ({})", many(101)), operands);

    let operators = "The expression contains too many operators; operator count: 301";
    check(&format!("{}a=b", "NOT ".repeat(299)), "");
    check(&format!("{}a=b", "NOT ".repeat(300)), operators);
    check(&vec!["a=:n"; 150].join(" AND "), "");
    check(&vec!["a=:n"; 151].join(" AND "), operators);

    let size = "Expression size has exceeded the maximum allowed size; expression size: 4097";
    check(&format!("a = :n{}", " ".repeat(4090)), "");
    check(&format!("a = :n{}", " ".repeat(4091)), size);

    let levels = "The document path has too many nesting levels; nesting levels: 33";
    check(&format!("{} = :n", vec!["a"; 32].join(".")), "");
    check(&format!("{} = :n", vec!["a"; 33].join(".")), levels);
    check(&format!("a{} = :n", "[0]".repeat(32)), levels);
}

#[test]
fn grammar_comes_before_words_and_words_before_meaning() {
    check("#zz = :n AND status = = b", "Syntax error; token: \"=\", near: \"= = b\"");
    check("#zz = :n AND status = :n", "Attribute name is a reserved keyword; reserved keyword: status");
    check("begins_with(a) AND foo(a)", "Invalid function name; function: foo");
    check("status = :n AND foo(a)", "Attribute name is a reserved keyword; reserved keyword: status");
    check("foo(a) AND status = :n", "Invalid function name; function: foo");
}

#[test]
fn not_binds_closer_than_and_and_and_closer_than_or() {
    let same = |one: &str, two: &str| {
        assert_eq!(placeholders().condition(one).unwrap(), placeholders().condition(two).unwrap(), "{one}");
    };
    same("a=:n OR b=:n AND c=:n", "a=:n OR (b=:n AND c=:n)");
    same("a=:n AND b=:n OR c=:n", "(a=:n AND b=:n) OR c=:n");
    same("NOT a=:n AND b=:n", "(NOT a=:n) AND b=:n");
    same("NOT NOT a=:n OR b=:n", "(NOT (NOT (a=:n))) OR (b=:n)");
    same("a=:n AND b=:n AND c=:n", "(a=:n AND b=:n) AND c=:n");
    same("a=:n OR b=:n OR c=:n", "(a=:n OR b=:n) OR c=:n");
    same("NOT a BETWEEN :n AND :n2 AND b=:n", "(NOT (a BETWEEN :n AND :n2)) AND (b=:n)");
    same("a=:n OR b=:n AND c=:n OR e=:n", "(a=:n OR (b=:n AND c=:n)) OR e=:n");
    same("(size(a)) = (:n)", "size ( a )=:n");
}
