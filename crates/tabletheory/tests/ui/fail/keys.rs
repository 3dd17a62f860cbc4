//! Keys that are missing, or there twice.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct NoKey {
    id: String,
}

#[derive(Model)]
struct NoTable {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", pk = "USER#{id}")]
struct TwoKeys {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app")]
struct TwoFields {
    #[model(pk)]
    id: String,
    #[model(pk)]
    other: String,
}

fn main() {}
