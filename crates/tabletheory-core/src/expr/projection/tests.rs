//! What projections keep, as AWS's DynamoDB Local answers; and the laws of projections.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::expr::shorthand::{any_item, any_path, list, map, n, path, s, ss};

fn sample() -> Item {
    let inner = map([("z", list([n(1), n(2), n(3)])), ("w", n(5))]);
    Item::from([
        ("s", s("hello")),
        ("l", list([s("a"), s("b"), map([("x", n(1)), ("y", n(2))]), list([s("p"), s("q"), s("r")])])),
        ("m", map([("x", n(1)), ("y", inner), ("e", map([])), ("el", list([]))])),
        ("ss", ss(["a", "b"])),
    ])
}

fn projection(texts: &str) -> ProjectionExpression {
    ProjectionExpression { paths: texts.split(',').map(path).collect() }
}

#[track_caller]
fn check<const COUNT: usize>(paths: &str, expected: [(&str, Value); COUNT]) {
    assert_eq!(projection(paths).apply(&sample()), Item::from(expected), "{paths}");
}

#[test]
fn whole_attributes_are_kept() {
    check("s", [("s", s("hello"))]);
    check("nope", []);
    check("s,nope,ss", [("s", s("hello")), ("ss", ss(["a", "b"]))]);
    check("s,s", [("s", s("hello"))]);
    assert_eq!(projection("m,l,s,ss").apply(&sample()), sample());
    assert_eq!(ProjectionExpression::default().apply(&sample()), Item::new());
}

#[test]
fn list_elements_move_together_in_their_order() {
    check("l[0]", [("l", list([s("a")]))]);
    check("l[1],l[0]", [("l", list([s("a"), s("b")]))]);
    check("l[3],l[0]", [("l", list([s("a"), list([s("p"), s("q"), s("r")])]))]);
    check("l[9]", []);
    check("l[9],l[0]", [("l", list([s("a")]))]);
    check("l[3][2],l[3][0]", [("l", list([list([s("p"), s("r")])]))]);
    check("l[3][2],l[0]", [("l", list([s("a"), list([s("r")])]))]);
    check("l[3][7]", []);
    check("l[2].x,l[0],l[3][1]", [("l", list([s("a"), map([("x", n(1))]), list([s("q")])]))]);
}

#[test]
fn fields_stay_under_their_maps() {
    check("m.x", [("m", map([("x", n(1))]))]);
    check("m.nope,m.x", [("m", map([("x", n(1))]))]);
    check("l[2].y,l[2].x", [("l", list([map([("x", n(1)), ("y", n(2))])]))]);
    check("m.y.z[1]", [("m", map([("y", map([("z", list([n(2)]))]))]))]);
    check("m.y.z[2],m.y.z[0],m.x", [("m", map([("x", n(1)), ("y", map([("z", list([n(1), n(3)]))]))]))]);
    check("m.y.w,m.y.z[1]", [("m", map([("y", map([("w", n(5)), ("z", list([n(2)]))]))]))]);
    check("m.e", [("m", map([("e", map([]))]))]);
    check("m.el", [("m", map([("el", list([]))]))]);
}

#[test]
fn a_path_to_nothing_leaves_nothing_behind() {
    for paths in
        ["m.nope", "m.y.z[9]", "m.y.nope.q", "m.e.q", "m.el[0]", "m[0]", "l.a", "l[2].nope", "s.x", "ss[0]"]
    {
        check(paths, []);
    }
    check("l[2].nope,l[0]", [("l", list([s("a")]))]);
}

#[test]
fn attributes_are_sorted_and_unique() {
    assert_eq!(projection("m.x,l[0],m.y,a").attributes(), ["a", "l", "m"]);
}

/// Whether a value could be what is left of another: fields and elements may be missing, what is there is the same.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::M(part), Value::M(whole)) => is_part_item(part, whole),
        (Value::L(part), Value::L(whole)) => {
            let mut rest = whole.iter();
            part.iter().all(|element| rest.any(|other| is_part(element, other)))
        }
        _ => part == whole,
    }
}

fn is_part_item(part: &Item, whole: &Item) -> bool {
    part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| is_part(part, whole)))
}

proptest! {
    #[test]
    fn a_projection_is_a_part_of_the_item(item in any_item(), paths in vec(any_path(), 0..5)) {
        let projected = ProjectionExpression { paths }.apply(&item);
        prop_assert!(is_part_item(&projected, &item), "{projected:?} of {item:?}");
    }

    #[test]
    fn the_order_of_paths_does_not_matter(item in any_item(), paths in vec(any_path(), 0..5)) {
        let reversed = ProjectionExpression { paths: paths.iter().rev().cloned().collect() };
        prop_assert_eq!(ProjectionExpression { paths }.apply(&item), reversed.apply(&item));
    }

    #[test]
    fn one_path_keeps_its_value_or_nothing(item in any_item(), path in any_path()) {
        let projected = ProjectionExpression { paths: vec![path.clone()] }.apply(&item);
        let first = |step: &Step| match step { Step::Index(_) => Step::Index(0), field => field.clone() };
        let moved = Path { root: path.root.clone(), steps: path.steps.iter().map(first).collect() };
        prop_assert_eq!(moved.get(&projected), path.get(&item));
        prop_assert_eq!(projected.is_empty(), path.get(&item).is_none());
    }
}
