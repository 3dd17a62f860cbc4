//! Indexes whose functions would have no name, or one that is taken.
use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", index(name = "query", pk = city))]
struct OfEveryModel {
    #[model(pk)]
    id: String,
    city: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "by-city", pk = city), index(name = "by_city", pk = city))]
struct OfAnotherIndex {
    #[model(pk)]
    id: String,
    city: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "2nd", pk = city))]
struct NoName {
    #[model(pk)]
    id: String,
    city: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "type", pk = city))]
struct Keyword {
    #[model(pk)]
    id: String,
    city: String,
}

fn main() {}
