//! Places that are not inside a field.
use std::collections::BTreeMap;

use tabletheory::{Attribute, Model};

#[derive(Attribute)]
struct Address {
    city: String,
}

#[derive(Attribute)]
struct Point {
    x: u64,
}

#[derive(Model)]
#[model(table = "app")]
struct User {
    #[model(pk)]
    id: String,
    home: Address,
    visits: BTreeMap<String, u64>,
    #[model(encrypted)]
    hideout: Address,
}

fn main() {
    let _ = User::HOME.at(Point::X);
    let _ = User::HOME.at(Address::CITY).eq(5);
    let _ = User::HOME.entry("city");
    let _ = User::VISITS.element(0);
    let _ = Address::CITY.eq("Rome");
    let _ = User::HIDEOUT.at(Address::CITY);
}
