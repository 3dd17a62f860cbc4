//! Texts of projections.

use super::*;

fn check(text: &str, expected: &str) {
    assert_says(ExpressionKind::Projection, text, placeholders().projection(text), expected);
}

#[test]
fn fine() {
    let texts = ["a", "a[0], a[1]", "#a.#b", "a[0][1]", "a . b", "a [ 0 ]", "a1", "a_1"];
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
    check("a,", "<EOF>", ",");
    check("a b", "b", "a b");
    check(":n", ":n", ":n");
    check("(a)", "(", "(a");
    check("size(a)", "(", "size(a");
    check("a,,b", ",", ",,b");
    check(",a", ",", ",a");
    check("a.", "<EOF>", ".");
    check("a[", "<EOF>", "[");
    check("a[]", "]", "[]");
    check("a[0", "<EOF>", "0");
    check("a]", "]", "a]");
    check("a[x]", "x", "[x]");
    check("set", "set", "set");
    check("SET", "SET", "SET");
    check("and", "and", "and");
    check("a.and", "and", ".and");
    check("a[00]", "0", "00]");
    check("a[01]", "1", "01]");
    check("# a", "#", "# a");
    check("1", "1", "1");
}

#[test]
fn reserved_words_need_a_placeholder() {
    let complaint = "Attribute name is a reserved keyword; reserved keyword:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("status", "status");
}

#[test]
fn paths_do_not_lead_into_each_other() {
    let complaint =
        "Two document paths overlap with each other; must remove or rewrite one of these paths; path one:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a, a", "[a], path two: [a]");
    check("a, a.b", "[a], path two: [a, b]");
    check("a.b, a", "[a, b], path two: [a]");
    check("a[0].b, a[0]", "[a, [0], b], path two: [a, [0]]");
    check("a, b, a", "[a], path two: [a]");
    check("a, b.c, b.d, b", "[b, c], path two: [b]");
}

#[test]
fn a_value_is_not_both_a_list_and_a_map() {
    let complaint =
        "Two document paths conflict with each other; must remove or rewrite one of these paths; path one:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a[0], a.b", "[a, [0]], path two: [a, b]");
}

#[test]
fn names_are_defined() {
    let complaint = "An expression attribute name used in the document path is not defined; attribute name:";
    let check = |text: &str, rest: &str| check(text, &format!("{complaint} {rest}"));
    check("a, #zz", "#zz");
}

#[test]
fn other_faults() {
    check("", "The expression can not be empty;");
    check(
        "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.aa.bb.cc.dd.ee.ff.gg.hh.ii",
        "The document path has too many nesting levels; nesting levels: 35",
    );
}
