//! A day in the shop, on the embedded engine in memory.

use shop::model::Product;
use shop::{Refused, Shop};
use tabletheory::Db;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let shop = Shop::open(Db::memory()).await?;
    shop.register("ada", "Ada Lovelace").await?;
    let product = |sku: &str, title: &str, price_cents, stock| Product {
        sku: sku.into(),
        title: title.into(),
        price_cents,
        stock,
    };
    shop.stock(&product("tea", "Tea, 100 g", 450, 3)).await?;
    shop.stock(&product("cup", "Cup", 900, 10)).await?;

    let order = shop.order("ada", "o-1", &[("tea", 2), ("cup", 1)]).await?;
    println!("ordered {} for {:.2} €", order.id, order.total_cents as f64 / 100.0);
    match shop.order("ada", "o-2", &[("tea", 2)]).await {
        Err(Refused::SoldOut { sku, left }) => println!("refused: only {left} of {sku} left"),
        other => anyhow::bail!("the tea is sold out, and yet: {other:?}"),
    }
    for order in shop.waiting().await? {
        let shipped = shop.ship(&order).await?;
        println!("shipped {} (version {})", shipped.id, shipped.version);
    }
    for record in shop.overview("ada").await? {
        println!("{record:?}");
    }
    Ok(())
}
