//! Enums of models that cannot be told apart, or are no models.
use tabletheory::{Entities, Model};

#[derive(Model)]
#[model(table = "app", pk = "PAGE#{path}", sk = "V#{version}")]
struct Version {
    path: String,
    version: String,
}

#[derive(Model)]
#[model(table = "app", pk = "PAGE#{path}", sk = "V#{visitor}")]
struct Visit {
    path: String,
    visitor: String,
}

#[derive(Model)]
#[model(table = "app")]
struct Elsewhere {
    #[model(pk)]
    id: String,
}

#[derive(Entities)]
enum Alike {
    Version(Version),
    Visit(Visit),
}

#[derive(Entities)]
#[entities(tag = "type")]
enum Apart {
    Version(Version),
    Elsewhere(Elsewhere),
}

#[derive(Entities)]
enum NoModel {
    Version(Version),
    Text(String),
}

#[derive(Entities)]
enum NoTag {
    #[entities(name = "version")]
    Version(Version),
}

#[derive(Entities)]
enum Named {
    Version { version: Version },
}

#[derive(Entities)]
enum Unheard {
    #[entities(others)]
    Version(Version),
}

fn main() {}
