//! Places inside attributes: asked and changed on a real item, at any depth.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use futures_executor::block_on;
use tabletheory::field::{Change, Filter};
use tabletheory::testing::TestStore;
use tabletheory::{Attribute, Model};
use tabletheory_core::expr::Update;
use tabletheory_core::store::op::{PutItem, ReturnValues, UpdateItem, WriteReturns};
use tabletheory_core::{StoreError, StoreExt};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", rename_all = "camelCase")]
struct User {
    #[model(pk)]
    id: String,
    home_address: Address,
    work: Option<Address>,
    orders: Vec<Order>,
    visits: BTreeMap<String, u64>,
    notes: HashMap<String, Vec<String>>,
}

#[derive(Attribute, Debug, Clone, PartialEq)]
#[attribute(rename_all = "camelCase")]
struct Address {
    city: String,
    zip_code: Option<String>,
    floor: i32,
    tags: BTreeSet<String>,
    place: Point,
}

#[derive(Attribute, Debug, Clone, PartialEq)]
struct Point {
    r#type: String,
    #[attribute(skip)]
    checked: bool,
}

#[derive(Attribute, Debug, Clone, PartialEq)]
struct Order {
    total: u64,
    lines: Vec<String>,
}

fn address(city: &str) -> Address {
    Address {
        city: city.into(),
        zip_code: None,
        floor: 3,
        tags: BTreeSet::from(["old".to_owned()]),
        place: Point { r#type: "flat".into(), checked: false },
    }
}

fn user() -> User {
    User {
        id: "7".into(),
        home_address: address("Rome"),
        work: None,
        orders: vec![Order { total: 5, lines: vec!["ink".into()] }, Order { total: 9, lines: Vec::new() }],
        visits: BTreeMap::from([("a.b".to_owned(), 1)]),
        notes: HashMap::from([("x".to_owned(), vec!["y".to_owned()])]),
    }
}

/// Applies the changes if the filter holds of [`user`].
fn update(filter: Option<Filter<User>>, changes: Vec<Change<User>>) -> Result<User, StoreError> {
    block_on(async {
        let store = TestStore::new();
        store.create_table(User::SCHEMA.create_table("app")).await?;
        let item = user().to_item().unwrap();
        store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
        let actions = changes.into_iter().map(|change| change.into_action().unwrap()).collect();
        let request = UpdateItem {
            table: "app".into(),
            key: User::key("7").into_item().unwrap(),
            update: Some(Update { actions }),
            condition: filter.map(|filter| filter.into_condition().unwrap()),
            returns: WriteReturns { values: ReturnValues::AllNew, ..WriteReturns::default() },
        };
        let output = store.update_item(request).await?;
        Ok(User::from_item(output.attributes.unwrap()).unwrap())
    })
}

fn holds(filter: Filter<User>) -> bool {
    match update(Some(filter), vec![User::WORK.remove()]) {
        Ok(_) => true,
        Err(StoreError::ConditionalCheckFailed { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_is_inside_is_asked_as_a_field_is() {
    let home = || User::HOME_ADDRESS;
    assert!(holds(home().at(Address::CITY).eq("Rome")) && !holds(home().at(Address::CITY).eq("Oslo")));
    assert!(
        holds(home().at(Address::FLOOR).between(1, 3)) && holds(home().at(Address::TAGS).contains("old"))
    );
    assert!(holds(home().at(Address::PLACE).at(Point::TYPE).begins_with("fl")));
    assert!(holds(home().at(Address::ZIP_CODE).not_exists()) && holds(home().at(Address::ZIP_CODE).eq(None)));
    assert!(holds(User::WORK.at(Address::CITY).not_exists()));
    assert!(holds(User::ORDERS.element(1).at(Order::TOTAL).gt(8)));
    assert!(holds(User::ORDERS.element(0).at(Order::LINES).element(0).eq("ink")));
    assert!(holds(User::ORDERS.element(2).not_exists()) && holds(User::ORDERS.size().eq(2)));
    assert!(holds(User::VISITS.entry("a.b").eq(1)), "dots belong to the name");
    assert!(holds(User::NOTES.entry("x").element(0).eq("y")));
    let mut place = home().at(Address::CITY);
    place = place.clone();
    assert!(holds(place.one_of(["Oslo", "Rome"])));
}

#[test]
fn what_is_inside_changes_as_a_field_does() {
    let home = || User::HOME_ADDRESS;
    let changed = update(
        None,
        vec![
            home().at(Address::CITY).set("Oslo"),
            home().at(Address::ZIP_CODE).set("0150"),
            home().at(Address::FLOOR).add(-1),
            home().at(Address::TAGS).add(BTreeSet::from(["new".to_owned()])),
            User::ORDERS.element(0).at(Order::TOTAL).add(10),
            User::ORDERS.element(1).at(Order::LINES).append(["pen"]),
            User::VISITS.entry("a.b").add(1),
            User::VISITS.entry("new").add(5),
            User::NOTES.entry("x").remove(),
        ],
    );
    let mut expected = user();
    expected.home_address.city = "Oslo".into();
    expected.home_address.zip_code = Some("0150".into());
    expected.home_address.floor = 2;
    expected.home_address.tags.insert("new".into());
    expected.orders[0].total = 15;
    expected.orders[1].lines.push("pen".into());
    expected.visits = BTreeMap::from([("a.b".to_owned(), 2), ("new".to_owned(), 5)]);
    expected.notes.clear();
    assert_eq!(changed.unwrap(), expected);
}

#[test]
fn elements_are_removed_and_put_at_the_end() {
    let changed = update(None, vec![User::ORDERS.element(0).remove()]).unwrap();
    assert_eq!(changed.orders, user().orders[1..]);
    let third = Order { total: 1, lines: Vec::new() };
    let changed = update(None, vec![User::ORDERS.element(9).set(&third)]).unwrap();
    assert_eq!(changed.orders[2], third);
}

#[test]
fn a_place_whose_holder_is_missing_cannot_be_changed() {
    let error = update(None, vec![User::WORK.at(Address::CITY).set("Oslo")]).unwrap_err();
    assert!(matches!(error, StoreError::Validation(_)), "{error}");
}

#[test]
fn an_error_says_where_in_the_attribute_it_is() {
    #[derive(Model)]
    #[model(table = "app")]
    struct Chart {
        #[model(pk)]
        id: String,
        lines: Vec<Line>,
    }
    #[derive(Attribute)]
    struct Line {
        points: BTreeMap<String, f64>,
    }
    let point = Chart::LINES.element(3).at(Line::POINTS).entry("x");
    assert_eq!(format!("{point:?}"), "Field(lines[3].points.x)");
    let error = point.set(f64::NAN).into_action().unwrap_err();
    assert!(error.to_string().starts_with("cannot store a Chart: lines[3].points.x: "), "{error}");
}
