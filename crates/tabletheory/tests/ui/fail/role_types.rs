//! Roles on fields of other types.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Page {
    #[model(pk)]
    id: String,
    #[model(version)]
    rev: String,
    #[model(ttl)]
    expires: f64,
    #[model(created_at)]
    made: u64,
}

fn main() {}
