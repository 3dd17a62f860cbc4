//! Methods that the type of a field does not have.
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
    let _ = Page::S3_KEY.add(1);
    let _ = Page::HITS.append([1]);
    let _ = Page::HITS.begins_with(1);
    let _ = Page::HITS.eq("seven");
    let _ = Page::S3_KEY.delete_from_set("x");
}
