//! Projections that are not of their model.
use tabletheory::{Attribute, Model, Projection};

#[derive(Model)]
#[model(table = "app", pk = "PAGE#{path}")]
struct Page {
    #[model(key_only)]
    path: String,
    title: String,
    hits: u64,
    #[model(skip)]
    dirty: bool,
}

#[derive(Attribute)]
struct Address {
    city: String,
}

#[derive(Projection)]
#[projection(of = Page)]
struct Unknown {
    titel: String,
}

#[derive(Projection)]
#[projection(of = Page)]
struct Skipped {
    dirty: bool,
}

#[derive(Projection)]
#[projection(of = Page)]
struct OtherTypes {
    path: u64,
    title: u64,
    hits: Vec<u64>,
}

#[derive(Projection)]
#[projection(of = Address)]
struct NoModel {
    city: String,
}

#[derive(Projection)]
struct OfNothing {
    title: String,
}

#[derive(Projection)]
#[projection(from = Page)]
struct Unheard {
    title: String,
}

fn main() {}
