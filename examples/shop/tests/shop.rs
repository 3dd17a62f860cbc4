//! What customers and clerks rely on.

use shop::model::{Product, Record, State};
use shop::{Refused, Shop};
use tabletheory::core::Seconds;
use tabletheory::testing::{TestStore, Trouble};

fn tea(stock: u64) -> Product {
    Product { sku: "tea".into(), title: "Tea".into(), price_cents: 450, stock }
}

async fn open() -> (TestStore, Shop) {
    let store = TestStore::new();
    let shop = Shop::open(store.db()).await.expect("memory does not fail");
    (store, shop)
}

async fn left(shop: &Shop) -> u64 {
    match shop.order("nobody", "probe", &[("tea", u64::MAX / 1000)]).await {
        Err(Refused::SoldOut { left, .. }) => left,
        other => panic!("nobody has that much tea: {other:?}"),
    }
}

#[tokio::test]
async fn a_customer_registers_once() {
    let (_, shop) = open().await;
    shop.register("ada", "Ada").await.expect("nobody has that id");
    let error = shop.register("ada", "Somebody else").await.expect_err("the id is taken");
    assert_eq!(error.into_current().map(|customer| customer.name).as_deref(), Some("Ada"));
}

#[tokio::test]
async fn what_is_sold_leaves_the_shelf() {
    let (_, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    let order = shop.order("ada", "1", &[("tea", 2)]).await.expect("there are three");
    assert_eq!((order.total_cents, order.state), (900, State::Placed));
    assert_eq!(left(&shop).await, 1);
}

#[tokio::test]
async fn nothing_is_sold_if_one_line_cannot_be() {
    let (_, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    shop.stock(&Product { sku: "cup".into(), ..tea(0) }).await.expect("stocked");
    let refused = shop.order("ada", "1", &[("tea", 1), ("cup", 1)]).await;
    assert!(matches!(refused, Err(Refused::SoldOut { ref sku, left: 0 }) if sku == "cup"), "{refused:?}");
    assert_eq!(left(&shop).await, 3);
    assert!(shop.waiting().await.expect("read").is_empty());
}

#[tokio::test]
async fn the_last_one_is_sold_once() {
    let (_, shop) = open().await;
    shop.stock(&tea(10)).await.expect("stocked");
    let buyers = (0..30).map(|n| {
        let shop = shop.clone();
        tokio::spawn(async move { shop.order(&format!("c{n}"), "1", &[("tea", 1)]).await.is_ok() })
    });
    let mut sold = 0;
    for buyer in buyers.collect::<Vec<_>>() {
        sold += u32::from(buyer.await.expect("no buyer panics"));
    }
    assert_eq!((sold, left(&shop).await), (10, 0));
}

#[tokio::test]
async fn an_order_whose_answer_is_lost_is_placed_once() {
    let (store, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    store.trouble("TransactWriteItems", Trouble::LostAnswer);
    shop.order("ada", "1", &[("tea", 2)]).await.expect("placed");
    assert_eq!(left(&shop).await, 1);
}

#[tokio::test]
async fn an_order_that_is_placed_again_is_the_same_order() {
    let (store, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    let first = shop.order("ada", "1", &[("tea", 2)]).await.expect("placed");
    store.advance(Seconds(60));
    assert_eq!(shop.order("ada", "1", &[("tea", 2)]).await.expect("it is there"), first);
    assert_eq!(left(&shop).await, 1);
}

#[tokio::test]
async fn a_basket_is_added_up_and_nothing_is_refused() {
    let (_, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    let order = shop.order("ada", "1", &[("tea", 1), ("tea", 1), ("tea", 0)]).await.expect("placed");
    assert_eq!(order.lines.len(), 1);
    assert!(matches!(shop.order("ada", "2", &[("tea", 0)]).await, Err(Refused::NothingOrdered)));
    assert!(matches!(shop.order("ada", "2", &[("tea", u64::MAX)]).await, Err(Refused::TooMuch)));
    assert!(matches!(shop.order("ada", "2", &[("cup", 1)]).await, Err(Refused::NoSuchProduct(_))));
}

#[tokio::test]
async fn what_comes_in_is_added_to_what_is_left() {
    let (_, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    shop.order("ada", "1", &[("tea", 2)]).await.expect("placed");
    assert_eq!(shop.restock("tea", 10).await.expect("restocked").stock, 11);
}

#[tokio::test]
async fn orders_come_page_by_page_newest_first() {
    let (store, shop) = open().await;
    shop.stock(&tea(100)).await.expect("stocked");
    for n in 0..5 {
        shop.order("ada", &format!("o{n}"), &[("tea", 1)]).await.expect("placed");
        store.advance(Seconds(1));
    }
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = shop.orders("ada", 2, cursor.as_deref()).await.expect("a page");
        seen.extend(page.orders.into_iter().map(|order| order.id));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, ["o4", "o3", "o2", "o1", "o0"]);
}

#[tokio::test]
async fn two_clerks_do_not_ship_an_order_twice() {
    let (_, shop) = open().await;
    shop.stock(&tea(3)).await.expect("stocked");
    shop.order("ada", "1", &[("tea", 2)]).await.expect("placed");
    let seen = shop.waiting().await.expect("read").remove(0);
    let shipped = shop.ship(&seen).await.expect("the first clerk ships");
    let error = shop.ship(&seen).await.expect_err("the second is late");
    assert!(error.is_version_conflict());
    assert_eq!(error.into_current(), Some(shipped));
    assert!(shop.waiting().await.expect("read").is_empty());
}

#[tokio::test]
async fn an_overview_has_the_customer_and_the_orders() {
    let (_, shop) = open().await;
    shop.register("ada", "Ada").await.expect("registered");
    shop.stock(&tea(3)).await.expect("stocked");
    let order = shop.order("ada", "1", &[("tea", 1)]).await.expect("placed");
    let records = shop.overview("ada").await.expect("read");
    assert!(
        matches!(&records[..], [Record::Order(found), Record::Customer(_)] if *found == order),
        "{records:?}"
    );
}
