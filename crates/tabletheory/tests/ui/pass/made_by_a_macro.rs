//! A model that another macro writes.

use tabletheory::Model;

macro_rules! model {
    ($name:ident, $field:ident: $kind:ty) => {
        #[derive(Model)]
        #[model(table = "app", pk = "A#{id}")]
        struct $name {
            id: String,
            $field: $kind,
        }
    };
}

model!(Page, hits: u64);

fn main() {
    let page = Page { id: "a".to_owned(), hits: 1 };
    assert_eq!(page.key_of(), Page::key("a"));
    assert_eq!(Page::from_item(page.to_item().unwrap()).unwrap().hits, 1);
    assert_eq!(Page::HITS.name(), "hits");
}
