//! Words that contradict each other.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Lost {
    #[model(pk)]
    id: String,
    #[model(key_only)]
    tenant: String,
}

#[derive(Model)]
#[model(table = "app")]
struct Contradiction {
    #[model(pk)]
    id: String,
    #[model(skip, omit_empty)]
    tenant: String,
}

#[derive(Model)]
#[model(table = "app")]
struct TwoRoles {
    #[model(pk)]
    id: String,
    #[model(ttl, version)]
    rev: u64,
}

fn main() {}
