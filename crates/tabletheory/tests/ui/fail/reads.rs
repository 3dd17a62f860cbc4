//! Reads of many items that ask for what cannot be.

use tabletheory::{Db, Model};

#[derive(Model)]
#[model(table = "app")]
struct Page {
    #[model(pk)]
    id: String,
    title: String,
    tags: Vec<String>,
}

#[derive(Model)]
#[model(table = "app")]
struct User {
    #[model(pk)]
    id: String,
}

fn reads(db: Db) {
    let _ = db.scan::<Page>().sum(Page::TITLE);
    let _ = db.scan::<Page>().min(Page::TAGS);
    let _ = db.scan::<Page>().filter(User::ID.eq("7"));
    let _ = db.scan::<Page>().desc();
    let _ = db.scan::<Page>().segments(4).page(None);
    let _ = db.scan::<Page>().select::<String>();
}

fn main() {}
