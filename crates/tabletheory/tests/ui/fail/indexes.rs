//! Indexes that cannot work.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", index(name = "by_city", pk = citty))]
struct UnknownField {
    #[model(pk)]
    id: String,
    city: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "by_city", sk = city))]
struct NoPartition {
    #[model(pk)]
    id: String,
    city: String,
}

#[derive(Model)]
#[model(table = "app", local_index(name = "by_city", pk = id, sk = city))]
struct LocalPartition {
    #[model(pk)]
    id: String,
    city: String,
}

#[derive(Model)]
#[model(table = "app", index(name = "by_city", pk = city, project = "include(cities)"))]
struct Projection {
    #[model(pk)]
    id: String,
    city: String,
}

fn main() {}
