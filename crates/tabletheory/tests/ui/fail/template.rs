//! Key templates that cannot work.

use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", pk = "TENANT#{tennant}")]
struct UnknownField {
    tenant: String,
}

#[derive(Model)]
#[model(table = "app", pk = "TENANT#{tenant")]
struct Unbalanced {
    tenant: String,
}

#[derive(Model)]
#[model(table = "app", pk = "TENANT#{tenant}-{key}")]
struct Ambiguous {
    tenant: String,
    key: String,
}

#[derive(Model)]
#[model(table = "app", pk = "TENANT#{tenant}", sk = "AT#{second}")]
struct Unpadded {
    tenant: String,
    second: u64,
}

#[derive(Model)]
#[model(table = "app", pk = "TENANT#{tenant}")]
struct Optional {
    tenant: Option<String>,
}

#[derive(Model)]
#[model(table = "app", pk = "TENANT#{tenant}", sk = "AT#{made}")]
struct Stamped {
    tenant: String,
    #[model(created_at)]
    made: String,
}

fn main() {}
