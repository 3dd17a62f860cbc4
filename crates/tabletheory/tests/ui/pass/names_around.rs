//! A model among names that its generated code could confuse: it needs nothing from its module and shadows nothing.

#![deny(warnings)]
#![deny(missing_docs)]

use tabletheory::{Attribute, Model};

/// Named as a type that the generated code uses.
#[derive(Model)]
#[model(table = "app", pk = "A#{item}#{__text}", sk = "{type}")]
pub struct Item {
    /// Named as what it is in.
    pub item: String,
    /// Named as a variable could be.
    #[model(key_only)]
    pub __text: String,
    /// A word of the language.
    pub r#type: Result,
    /// Named as a type.
    pub option: Option<u8>,
}

/// Named as a type that the generated code uses.
#[derive(Attribute)]
pub enum Result {
    /// A variant.
    Ok,
    /// Another.
    Err,
}

fn main() {
    let _ = Item::key("a", "b", Result::Ok);
    let _ = (Item::OPTION.eq(1), Result::Err);
}
