//! Forms that the type of a field does not have.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Document {
    #[model(pk)]
    id: String,
    #[model(binary)]
    body: String,
    #[model(set)]
    flags: Vec<bool>,
}

fn main() {}
