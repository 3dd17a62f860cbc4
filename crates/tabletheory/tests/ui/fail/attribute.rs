//! Types that cannot be attributes.

use tabletheory::{Attribute, Model};

struct Plain;

#[derive(Model)]
#[model(table = "app")]
struct Page {
    #[model(pk)]
    id: String,
    plain: Plain,
}

#[derive(Attribute)]
enum Shape {
    Circle { r#type: String },
}

#[derive(Attribute)]
struct Pair(u8, u8);

fn main() {}
