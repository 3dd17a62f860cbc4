//! Which templates can be told apart.

use super::*;

const X: Segment = Segment::Field { name: "x", width: None };
const Y: Segment = Segment::Field { name: "y", width: None };

fn text(text: &'static str) -> Segment {
    Segment::Text(text)
}

fn shape(segments: Vec<Segment>) -> KeyShape {
    let template = Template { model: "Any", attribute: "pk", segments: segments.leak() };
    KeyShape { partition: KeyPattern::Template(template), sort: None }
}

#[track_caller]
fn check(one: Vec<Segment>, other: Vec<Segment>, distinct: bool) {
    let (one, other) = (shape(one), shape(other));
    assert_eq!((one.is_distinct(&other), other.is_distinct(&one)), (distinct, distinct));
    assert!(!one.is_distinct(&one) && !other.is_distinct(&other));
}

#[test]
fn keys_that_never_meet_are_distinct() {
    check(vec![text("META")], vec![text("LOCK")], true);
    check(vec![text("META")], vec![text("METAL")], true);
    check(vec![text("ORDER#"), X], vec![text("ORDERS#"), X], true);
    check(vec![text("ORDER#"), X], vec![text("ORDER#"), X, text("#LINE#"), Y], true);
    check(vec![text("A#"), X, text("#B")], vec![text("A#"), X, text("#C")], true);
    check(vec![X, text("#")], vec![X], true);
}

#[test]
fn keys_that_are_some_of_the_others_are_distinct() {
    check(vec![text("ORDER#"), X], vec![text("ORDER#LAST")], true);
    check(vec![X], vec![text("V"), Y], true);
    check(vec![X, text("#"), Y], vec![text("A#"), X], true);
    check(vec![X, text("#B#"), Y], vec![text("A#B#C")], true);
}

#[test]
fn keys_that_could_be_either_are_not() {
    check(vec![text("A#"), X], vec![text("A#"), Y], false);
    check(vec![X, text("#B")], vec![text("A#"), X], false);
    check(vec![text("A"), X, text("#"), Y], vec![X, text("#B"), Y], false);
}

#[test]
fn a_sort_key_decides_where_the_partition_key_does_not() {
    let with = |sort: KeyPattern| KeyShape { sort: Some(sort), ..shape(vec![text("USER#"), X]) };
    let template = |segments: Vec<Segment>| {
        KeyPattern::Template(Template { model: "Any", attribute: "sk", segments: segments.leak() })
    };
    let field = |name, kind| KeyPattern::Field(KeyAttribute { name, kind });
    let (meta, any) = (with(template(vec![text("META")])), with(field("sk", KeyType::S)));
    assert!(meta.is_distinct(&any) && any.is_distinct(&meta) && !any.is_distinct(&any));
    assert!(meta.shares_table(&any) && !meta.shares_table(&with(field("sk", KeyType::N))));
    assert!(!meta.shares_table(&with(field("at", KeyType::S))));
    assert!(!meta.shares_table(&shape(vec![X])));
    assert_eq!((meta.constant_bytes(), any.constant_bytes()), (9, 5));
}
