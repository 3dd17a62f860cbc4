//! What the types cost, counted in instructions: one operation through [`Db`], and the same one as a request that is made by
//! hand. `cargo xtask figures` runs it and divides; the names of the functions are the rows of its table.

#![allow(missing_docs, reason = "a bench is a program")]

use std::hint::black_box;
use std::sync::Arc;

use futures_executor::block_on;
use gungraun::prelude::*;
use tabletheory::{Db, Model};
use tabletheory_core::expr::{Action, Condition, Path, SetOperand, SetValue, Update};
use tabletheory_core::store::op::{GetItem, PutItem, ReturnValues, UpdateItem, WriteReturns};
use tabletheory_core::sys::{SystemClock, SystemEntropy};
use tabletheory_core::{Clock, Item, StoreExt, Value};
use tabletheory_engine::{Engine, Settings};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "shop", pk = "CUSTOMER#{customer}", sk = "ORDER#{number:010}")]
struct Order {
    customer: String,
    number: u64,
    status: String,
    email: String,
    total_cents: u64,
    coupon: Option<String>,
    lines: Vec<String>,
    #[model(version)]
    version: u64,
    #[model(created_at)]
    made: jiff::Timestamp,
    #[model(updated_at)]
    changed: jiff::Timestamp,
}

/// A shop in memory, both ways to reach it, and orders that are in it.
struct Shop {
    db: Db,
    engine: Engine,
    orders: Vec<Order>,
}

fn order(at: u64) -> Order {
    Order {
        customer: format!("customer-{at:06}"),
        number: 1_000 + at,
        status: "paid".into(),
        email: format!("someone.{at:06}@example.com"),
        total_cents: 12_990,
        coupon: Some("WELCOME-10".into()),
        lines: vec!["2 x tea, green".into(), "1 x pot, black".into(), "6 x cup, white".into()],
        version: 3,
        made: "2026-01-02T03:04:05.678Z".parse().expect("a moment"),
        changed: jiff::Timestamp::UNIX_EPOCH,
    }
}

/// The engine has no thread of its own here, so that nothing but the operations is counted.
fn shop(orders: u64) -> Shop {
    let settings = Settings { upkeep_every: None, ..Settings::default() };
    let engine = Engine::memory_with(settings, Arc::new(SystemClock), Arc::new(SystemEntropy));
    let db = Db::new(engine.clone());
    let orders: Vec<Order> = (0..orders).map(order).collect();
    let shop = Shop { db, engine, orders };
    block_on(shop.db.create_table::<Order>()).expect("a new table");
    // Once each, so that nothing is counted that happens only the first time.
    for order in &shop.orders {
        typed::put(&shop, order);
    }
    untyped::put(&shop, &shop.orders[0]);
    assert_eq!(typed::get(&shop, &shop.orders[0]).expect("it is there").email, shop.orders[0].email);
    untyped::get(&shop, &shop.orders[0]);
    typed::update(&shop, &shop.orders[0]);
    untyped::update(&shop, &shop.orders[0]);
    shop
}

/// With the types.
mod typed {
    use super::*;

    pub(super) fn get(shop: &Shop, order: &Order) -> Option<Order> {
        block_on(async { shop.db.get(Order::key(&order.customer, order.number)).await }).expect("a read")
    }

    pub(super) fn put(shop: &Shop, order: &Order) -> Order {
        block_on(async { shop.db.put(order).await }).expect("a write")
    }

    pub(super) fn update(shop: &Shop, order: &Order) -> Order {
        let update = shop.db.update(Order::key(&order.customer, order.number));
        let change = update.change(Order::STATUS.set("sent")).change(Order::TOTAL_CENTS.add(10));
        block_on(async { change.await }).expect("a write")
    }
}

/// The same requests, by hand.
mod untyped {
    use super::*;

    fn key(order: &Order) -> Item {
        Item::from([
            ("pk", Value::S(format!("CUSTOMER#{}", order.customer))),
            ("sk", Value::S(format!("ORDER#{:010}", order.number))),
        ])
    }

    fn now() -> Value {
        let now = jiff::Timestamp::from_millisecond(SystemClock.now().millis()).expect("a moment");
        Value::S(format!("{now:.9}"))
    }

    pub(super) fn item(order: &Order) -> Item {
        let lines = order.lines.iter().map(Value::s).collect();
        let mut item = Item::from([
            ("changed", now()),
            ("customer", Value::s(&order.customer)),
            ("email", Value::s(&order.email)),
            ("lines", Value::L(lines)),
            ("made", Value::S(format!("{:.9}", order.made))),
            ("number", Value::n(order.number)),
            ("pk", Value::S(format!("CUSTOMER#{}", order.customer))),
            ("sk", Value::S(format!("ORDER#{:010}", order.number))),
            ("status", Value::s(&order.status)),
            ("total_cents", Value::n(order.total_cents)),
            ("version", Value::n(order.version)),
        ]);
        if let Some(coupon) = &order.coupon {
            item.insert("coupon", Value::s(coupon));
        }
        item
    }

    pub(super) fn get(shop: &Shop, order: &Order) -> Option<Item> {
        let get = GetItem { table: "shop".into(), key: key(order), ..GetItem::default() };
        block_on(shop.engine.get_item(get)).expect("a read").item
    }

    pub(super) fn put(shop: &Shop, order: &Order) {
        let put = PutItem { table: "shop".into(), item: item(order), ..PutItem::default() };
        block_on(shop.engine.put_item(put)).expect("a write");
    }

    pub(super) fn update(shop: &Shop, order: &Order) -> Option<Item> {
        let set =
            |name, value| Action::Set(Path::attribute(name), SetValue::Operand(SetOperand::Value(value)));
        let actions = vec![
            set("status", Value::s("sent")),
            Action::Add(Path::attribute("total_cents"), Value::n(10)),
            set("changed", now()),
            Action::Add(Path::attribute("version"), Value::n(1)),
        ];
        let update = UpdateItem {
            table: "shop".into(),
            key: key(order),
            update: Some(Update { actions }),
            condition: Some(Condition::AttributeExists(Path::attribute("pk"))),
            returns: WriteReturns { values: ReturnValues::AllNew, ..WriteReturns::default() },
        };
        block_on(shop.engine.update_item(update)).expect("a write").attributes
    }
}

/// Does it to every order. The shop is given back, so that its end is not counted.
fn each<T>(shop: Shop, operation: impl Fn(&Shop, &Order) -> T) -> Shop {
    for order in &shop.orders {
        black_box(operation(&shop, black_box(order)));
    }
    shop
}

// A measurement's id ends with how many orders there are: who divides by it finds it there.
macro_rules! measured {
    ($($name:ident: $way:ident::$operation:ident;)*) => {$(
        #[library_benchmark]
        #[bench::orders_512(args = (512), setup = shop)]
        fn $name(shop: Shop) -> Shop {
            each(shop, $way::$operation)
        }
    )*};
}

measured! {
    get_typed: typed::get;
    get_untyped: untyped::get;
    put_typed: typed::put;
    put_untyped: untyped::put;
    update_typed: typed::update;
    update_untyped: untyped::update;
}

library_benchmark_group!(
    name = figures,
    benchmarks = [get_typed, get_untyped, put_typed, put_untyped, update_typed, update_untyped]
);
main!(library_benchmark_groups = figures);
