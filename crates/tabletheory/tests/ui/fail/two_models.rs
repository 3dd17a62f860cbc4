//! Fields of two models in one filter.
use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", pk = "PAGE#{id}", index(name = "gsi1", pk = "CITY#{city}"))]
struct Page {
    id: String,
    city: String,
    s3_key: String,
    hits: u64,
    #[model(version)]
    rev: u64,
}

#[derive(Model)]
#[model(table = "app")]
struct Lease {
    #[model(pk)]
    id: String,
    token: String,
}

fn main() {
    let _ = Page::HITS.eq(1) & Lease::TOKEN.eq("x");
}
