//! Numbers in sort keys behind types of one's own.

use tabletheory::{Attribute, Model};

#[derive(Attribute)]
#[attribute(key)]
struct Second(u64);

#[derive(Attribute)]
enum State {
    Open,
}

#[derive(Model)]
#[model(table = "app", pk = "STATE#{state:05}", sk = "AT#{second}")]
struct Visit {
    state: State,
    second: Second,
}

fn main() {}
