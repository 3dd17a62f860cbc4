//! Expressions: the first byte says of what kind, the next lines are an item as JSON and the text. The placeholders that a text may use
//! are always the same.

use std::collections::BTreeMap;

use tabletheory_core::expr::{Condition, Placeholders, RenderScope, Rendered};
use tabletheory_core::limits::{EXPRESSION_BYTES_MAX, EXPRESSION_OPERATORS_MAX};
use tabletheory_core::{Item, StoreError, Value};

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let kind = input.choice(4);
    let item = serde_json::from_slice(input.line()).unwrap_or_else(|_| ordinary_item());
    let Ok(text) = str::from_utf8(input.rest()) else { return };
    match kind {
        0 => condition(text, &item),
        1 => update(text, &item),
        2 => projection(text, &item),
        _ => key_condition(text),
    }
}

fn placeholders() -> Placeholders {
    let names = ["a", "b", "size", "not a name"].into_iter().zip(["#a", "#b", "#s", "#n"]);
    let names = names.map(|(name, placeholder)| (placeholder.to_owned(), name.to_owned())).collect();
    let values = [
        (":s", Value::s("text")),
        (":n", Value::n(7)),
        (":b", Value::B(vec![0, 255])),
        (":t", Value::Bool(true)),
        (":l", Value::L(vec![Value::n(1), Value::s("x")])),
        (":m", Value::M(Item::from([("k", Value::Null)]))),
        (":ss", Value::Ss(["a".to_owned(), "b".to_owned()].into())),
        (":ns", Value::Ns([1.into(), 2.into()].into())),
        (":type", Value::s("SS")),
    ];
    let values = values.into_iter().map(|(placeholder, value)| (placeholder.to_owned(), value)).collect();
    Placeholders::new(Some(names), Some(values)).expect("these placeholders are good ones")
}

fn ordinary_item() -> Item {
    Item::from([
        ("a", Value::n(5)),
        ("b", Value::s("text")),
        ("l", Value::L(vec![Value::n(1), Value::M(Item::from([("k", Value::n(2))]))])),
        ("m", Value::M(Item::from([("k", Value::n(3)), ("l", Value::L(vec![Value::Null]))]))),
        ("ss", Value::Ss(["a".to_owned(), "c".to_owned()].into())),
        ("ns", Value::Ns([1.into(), 3.into()].into())),
        ("bytes", Value::B(vec![0, 255, 1])),
    ])
}

/// The tree that is read, and the same tree again from what is printed of it.
fn read_twice<T: Clone + PartialEq + std::fmt::Debug>(
    text: &str,
    read: impl Fn(&mut Placeholders, &str) -> Result<T, StoreError>,
    print: impl Fn(&mut RenderScope, &T) -> String,
    normal: impl Fn(T) -> T,
) -> Option<T> {
    let tree = match read(&mut placeholders(), text) {
        Ok(tree) => tree,
        Err(StoreError::Validation(_)) => return None,
        Err(other) => panic!("{text:?} is refused with {other:?}"),
    };
    let Rendered { text: printed, names, values } = Rendered::alone(|scope| print(scope, &tree));
    let some = |values: BTreeMap<String, Value>| (!values.is_empty()).then_some(values);
    let names = (!names.is_empty()).then_some(names);
    let mut again = Placeholders::new(names, some(values)).expect("printed placeholders are good ones");
    match read(&mut again, &printed) {
        Ok(same) => {
            assert_eq!(same, normal(tree.clone()), "{text:?} is printed as {printed:?}");
            again.finish().expect("every printed placeholder is used");
        }
        // Placeholders and parentheses can be longer, and more, than what was written.
        Err(error) => {
            let operators = printed.matches(['(', '=', '<', '>', '[', '.', ',']).count();
            assert!(
                printed.len() > EXPRESSION_BYTES_MAX || operators > EXPRESSION_OPERATORS_MAX,
                "{text:?} is printed as {printed:?}, which is refused: {error}"
            );
        }
    }
    Some(tree)
}

fn condition(text: &str, item: &Item) {
    let read = |placeholders: &mut Placeholders, text: &str| placeholders.condition(text);
    let Some(tree) = read_twice(text, read, |scope, tree| scope.condition(tree), |tree| tree) else { return };
    let holds = tree.holds(item);
    // Only what a condition names can matter to it.
    let names = tree.attributes();
    let mut named = Item::new();
    for (name, value) in item.iter().filter(|(name, _)| names.contains(name)) {
        named.insert(name, value.clone());
    }
    assert_eq!(tree.holds(&named), holds, "{text:?} depends on what it does not name");
    assert_ne!(Condition::Not(Box::new(tree)).holds(item), holds, "a condition holds or its opposite does");
}

fn update(text: &str, item: &Item) {
    let read = |placeholders: &mut Placeholders, text: &str| placeholders.update(text);
    let Some(tree) = read_twice(text, read, |scope, tree| scope.update(tree), |tree| tree.normalized())
    else {
        return;
    };
    let updated = match tree.apply(item) {
        Ok(updated) => updated,
        Err(StoreError::Validation(_)) => return,
        Err(other) => panic!("{text:?} fails with {other:?}"),
    };
    assert_eq!(tree.apply(item), Ok(updated.clone()), "{text:?} does the same each time");
    assert_eq!(tree.normalized().apply(item), Ok(updated.clone()), "the order of actions means nothing");
    let read = placeholders().update(text).expect("it was read before");
    let touched: Vec<&str> = read.actions.iter().map(|action| action.path().root.as_str()).collect();
    for name in item.names().chain(updated.names()).filter(|name| !touched.contains(name)) {
        assert_eq!(item.get(name), updated.get(name), "{text:?} changes {name}");
    }
}

fn projection(text: &str, item: &Item) {
    let read = |placeholders: &mut Placeholders, text: &str| placeholders.projection(text);
    let Some(tree) = read_twice(text, read, |scope, tree| scope.projection(tree), |tree| tree) else {
        return;
    };
    let names = tree.attributes();
    for name in tree.apply(item).names() {
        assert!(item.contains(name) && names.contains(&name), "{text:?} shows {name}");
    }
}

fn key_condition(text: &str) {
    let read = |placeholders: &mut Placeholders, text: &str| placeholders.key_condition(text);
    let _ = read_twice(text, read, |scope, tree| scope.key_condition(tree), |tree| tree);
}
