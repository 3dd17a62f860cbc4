//! Names that are taken or unknown.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Twice {
    #[model(pk)]
    id: String,
    name: String,
    #[model(attr = "name")]
    title: String,
}

#[derive(Model)]
#[model(table = "app", pk = "USER#{id}")]
struct OverTheKey {
    id: String,
    pk: String,
}

#[derive(Model)]
#[model(table = "app", rename_all = "camelcase")]
struct Naming {
    #[model(pk)]
    id: String,
}

fn main() {}
