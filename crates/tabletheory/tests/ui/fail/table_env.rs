//! Variables that name no table.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", table_env())]
struct NoVariable {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", table_env("FIRST", SECOND))]
struct NoText {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", table_env("FIRST" "SECOND"))]
struct NoComma {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", table_env = ["FIRST", "SECOND"])]
struct AnArray {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", table_env)]
struct NothingAtAll {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app", table_env = "FIRST", table_env("SECOND"))]
struct Twice {
    #[model(pk)]
    id: String,
}

fn main() {}
