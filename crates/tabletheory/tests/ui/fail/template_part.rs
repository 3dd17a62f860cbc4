//! A type that cannot be a part of a key.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", pk = "SHARE#{share}")]
struct Share {
    share: f64,
}

fn main() {}
