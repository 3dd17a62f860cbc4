//! Words that nobody knows.

use tabletheory::Model;

#[derive(Model)]
#[model(tabel = "app")]
struct Page {
    #[model(pk)]
    id: String,
}

#[derive(Model)]
#[model(table = "app")]
struct Lease {
    #[model(pk)]
    id: String,
    #[model(colour)]
    token: String,
}

fn main() {}
