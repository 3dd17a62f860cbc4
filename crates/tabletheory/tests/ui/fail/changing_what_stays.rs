//! Changes of fields that stay as they are.
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

fn main() {
    let _ = Page::ID.set("x");
    let _ = Page::REV.set(9);
    let _ = Page::CITY.set("Rome");
}
