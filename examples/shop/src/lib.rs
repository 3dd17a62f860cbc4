//! A shop in one table. [`Shop`] is everything a web server would call; the rows stand in [`model`].

pub mod model;

use model::{Customer, Line, Order, Product, Record, State};
use tabletheory::table::TableError;
use tabletheory::{Db, Error};

/// The shop.
#[derive(Debug, Clone)]
pub struct Shop {
    db: Db,
}

/// Why an order was not placed.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The basket is empty.
    #[error("there is nothing in the basket")]
    NothingOrdered,
    /// There is no such product.
    #[error("there is no product {0}")]
    NoSuchProduct(String),
    /// There are not as many.
    #[error("there are only {left} of {sku}")]
    SoldOut {
        /// Which product.
        sku: String,
        /// How many are left.
        left: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Some orders, and where the next ones begin.
#[derive(Debug)]
pub struct Orders {
    /// Newest first.
    pub orders: Vec<Order>,
    /// For the next page, if there is one.
    pub next: Option<String>,
}

impl Shop {
    /// Opens the shop, with its table if need be.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn open(db: Db) -> Result<Self, TableError> {
        db.table::<Customer>().and::<Product>().and::<Order>().ensure().await?;
        Ok(Self { db })
    }

    /// Takes in a customer, once.
    ///
    /// # Errors
    /// If there is one with that id.
    pub async fn register(&self, id: &str, name: &str) -> Result<Customer, Error<Customer>> {
        let customer = Customer { id: id.into(), name: name.into(), since: jiff::Timestamp::default() };
        self.db.create(&customer).await
    }

    /// Puts a product on the shelf, or changes what it says there.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn stock(&self, product: &Product) -> Result<Product, Error<Product>> {
        self.db.put(product).await
    }

    /// Places an order: the stock goes down and the order is there, or neither.
    ///
    /// # Errors
    /// If something is not there in that quantity, or the store refuses. Then nothing was sold.
    pub async fn order(&self, customer: &str, id: &str, basket: &[(&str, u64)]) -> Result<Order, Refused> {
        if basket.is_empty() {
            return Err(Refused::NothingOrdered);
        }
        let mut lines = Vec::new();
        for (sku, quantity) in basket {
            let product = self.db.get(Product::key(*sku)).await.map_err(Error::from)?;
            let product = product.ok_or_else(|| Refused::NoSuchProduct((*sku).into()))?;
            lines.push(Line { sku: (*sku).into(), quantity: *quantity, price_cents: product.price_cents });
        }
        let order = Order {
            customer: customer.into(),
            id: id.into(),
            placed_at: self.now(),
            state: State::Placed,
            total_cents: lines.iter().map(|line| line.quantity * line.price_cents).sum(),
            lines,
            version: 0,
        };
        let mut sale = self.db.transact().with(self.db.create(&order));
        for line in &order.lines {
            let take = self.db.update(Product::key(line.sku.as_str()));
            let take = take.change(Product::STOCK.subtract(line.quantity));
            sale = sale.with(take.when(Product::STOCK.ge(line.quantity)));
        }
        match sale.await {
            Ok(()) => Ok(order),
            Err(Error::TransactionFailed(failure)) => Err(match failure.first() {
                // The first operation is the order, the others are its lines.
                Some((place, _)) if place > 0 && failure.current::<Product>(place).is_some() => {
                    let product: Option<Product> = failure.current(place);
                    let sku = order.lines[place - 1].sku.clone();
                    Refused::SoldOut { sku, left: product.map_or(0, |product| product.stock) }
                }
                _ => Refused::Store(Error::TransactionFailed(failure)),
            }),
            Err(error) => Err(Refused::Store(error)),
        }
    }

    /// The orders of a customer, newest first.
    ///
    /// # Errors
    /// If the cursor is none of ours, or the store refuses.
    pub async fn orders(
        &self,
        customer: &str,
        page_size: usize,
        cursor: Option<&str>,
    ) -> Result<Orders, Error<Order>> {
        let page = self.db.query(Order::query(customer)).desc().limit(page_size).page(cursor).await?;
        Ok(Orders { orders: page.items, next: page.cursor })
    }

    /// Everything about a customer, in one query.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn overview(&self, customer: &str) -> Result<Vec<Record>, Error<Customer>> {
        self.db.query(Customer::partition(customer)).select::<Record>().await
    }

    /// What waits in the warehouse, oldest first.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn waiting(&self) -> Result<Vec<Order>, Error<Order>> {
        self.db.query(Order::by_state(State::Placed)).await
    }

    /// Sends an order on its way, unless somebody else changed it since it was read.
    ///
    /// # Errors
    /// A version conflict, with the order as it is.
    pub async fn ship(&self, order: &Order) -> Result<Order, Error<Order>> {
        self.db.save(&Order { state: State::Shipped, ..order.clone() }).await
    }

    fn now(&self) -> jiff::Timestamp {
        let now = self.db.clock().now().millis();
        jiff::Timestamp::from_millisecond(now).unwrap_or(jiff::Timestamp::MAX)
    }
}
