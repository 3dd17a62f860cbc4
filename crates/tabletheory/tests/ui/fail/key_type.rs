//! A type that cannot be a key.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Page {
    #[model(pk)]
    id: Vec<String>,
}

fn main() {}
