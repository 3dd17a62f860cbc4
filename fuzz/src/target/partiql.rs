//! PartiQL: the first line is an item as JSON, the rest a statement. Each question mark is the number 7.

use tabletheory_core::partiql::{Command, parse};
use tabletheory_core::{Item, StoreError, Value};

use crate::input::Input;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let item: Item = serde_json::from_slice(input.line()).unwrap_or_default();
    let Ok(text) = str::from_utf8(input.rest()) else { return };
    // A mark inside a text is none; with some of these numbers a statement with marks is read.
    let marks = text.matches('?').count().min(8);
    for count in 0..=marks {
        let parameters = vec![Value::n(7); count];
        match parse(text, &parameters) {
            Ok(command) => {
                let spaced = format!("\n {text}\t ");
                assert_eq!(parse(&spaced, &parameters), Ok(command.clone()), "{text:?} with space around it");
                evaluate(&command, &item);
            }
            Err(StoreError::Validation(message)) => assert!(!message.is_empty(), "{text:?}"),
            Err(other) => panic!("{text:?} is refused with {other:?}"),
        }
    }
}

/// Does what a statement says with one item: it ends, and the same way each time.
fn evaluate(command: &Command, item: &Item) {
    let condition = match command {
        Command::Select(select) | Command::Exists(select) => {
            if let Some(projection) = &select.projection {
                let shown = projection.apply(item);
                assert!(shown.names().all(|name| item.contains(name)), "a projection shows what is there");
            }
            select.condition.as_ref()
        }
        Command::Insert(insert) => {
            let written = serde_json::to_vec(&insert.item).expect("every item can be written");
            assert_eq!(serde_json::from_slice::<Item>(&written).ok().as_ref(), Some(&insert.item));
            None
        }
        Command::Update(update) => {
            let first = update.update.apply(item);
            assert_eq!(first, update.update.apply(item), "an update does the same each time");
            update.condition.as_ref()
        }
        Command::Delete(delete) => delete.condition.as_ref(),
    };
    if let Some(condition) = condition {
        assert_eq!(condition.holds(item), condition.holds(item));
    }
}
