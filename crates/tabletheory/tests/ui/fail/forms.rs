//! Forms on fields that cannot have them.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct SetOfWhat {
    #[model(pk)]
    id: String,
    #[model(set)]
    tags: String,
}

#[derive(Model)]
#[model(table = "app")]
struct TwoForms {
    #[model(pk)]
    id: String,
    #[model(json, binary)]
    body: Vec<u8>,
}

#[derive(Model)]
#[model(table = "app")]
struct JsonKey {
    #[model(pk, json)]
    id: String,
}

#[derive(Model)]
#[model(table = "app")]
struct JsonForm {
    #[model(pk)]
    id: String,
    #[model(json = "string")]
    body: String,
}

#[derive(Model)]
#[model(table = "app")]
struct DefaultOfNothing {
    #[model(pk)]
    id: String,
    #[model(default = "zero")]
    count: Option<u8>,
}

#[derive(Model)]
#[model(table = "app")]
struct DefaultExpression {
    #[model(pk)]
    id: String,
    #[model(default = "1 + 1")]
    count: u8,
}

#[derive(Model)]
#[model(table = "app", pk = "UNTIL#{ends}")]
struct Seconds {
    #[model(ttl)]
    ends: jiff::Timestamp,
}

fn main() {}
