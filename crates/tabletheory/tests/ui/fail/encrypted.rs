//! Places where an encrypted field cannot stand.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Key {
    #[model(pk, encrypted)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", pk = "USER#{id}")]
struct Part {
    #[model(encrypted)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "by_city", pk = city))]
struct IndexKey {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    city: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "by_place", pk = "PLACE#{city}"))]
struct IndexPart {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    city: String,
}

#[derive(Model)]
#[model(table = "app")]
struct Lifetime {
    #[model(pk)]
    id: String,
    #[model(ttl, encrypted)]
    ends: u64,
}

#[derive(Model)]
#[model(table = "app")]
struct Version {
    #[model(pk)]
    id: String,
    #[model(encrypted, version)]
    rev: u64,
}

#[derive(Model)]
#[model(table = "app")]
struct Skipped {
    #[model(pk)]
    id: String,
    #[model(encrypted, skip)]
    note: String,
}

fn main() {}
