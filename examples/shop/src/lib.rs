//! A shop in one table. [`Shop`] is everything a web server would call; the rows stand in [`model`].

pub mod model;

use std::collections::BTreeMap;

use model::{Customer, Line, Order, Product, Record, State};
use tabletheory::error::TransactionFailure;
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
    /// Nobody can pay that.
    #[error("that is more than anybody can order")]
    TooMuch,
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

    /// Puts a new product on the shelf.
    ///
    /// # Errors
    /// If there is one with that number.
    pub async fn stock(&self, product: &Product) -> Result<Product, Error<Product>> {
        self.db.create(product).await
    }

    /// Puts more of a product on the shelf. What is sold in the meantime stays sold.
    ///
    /// # Errors
    /// If there is no such product.
    pub async fn restock(&self, sku: &str, quantity: u64) -> Result<Product, Error<Product>> {
        self.db.update(Product::key(sku)).change(Product::STOCK.add(quantity)).await
    }

    /// Places an order: the stock goes down and the order is there, or neither. An order that is there already is given
    /// back as it is: whoever did not hear the answer may ask again.
    ///
    /// # Errors
    /// If something is not there in that quantity, or the store refuses. Then nothing was sold.
    pub async fn order(&self, customer: &str, id: &str, basket: &[(&str, u64)]) -> Result<Order, Refused> {
        let lines = self.lines(basket).await?;
        let costs = lines.iter().map(|line| line.quantity.checked_mul(line.price_cents));
        let total = costs.into_iter().try_fold(0_u64, |sum, cost| sum.checked_add(cost?));
        let order = Order {
            customer: customer.into(),
            id: id.into(),
            placed_at: self.now(),
            state: State::Placed,
            total_cents: total.ok_or(Refused::TooMuch)?,
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
            Err(Error::TransactionFailed(failure)) => match failure.current::<Order>(0) {
                Some(placed) => Ok(placed),
                None => Err(refused(&order, *failure)),
            },
            Err(error) => Err(Refused::Store(error)),
        }
    }

    /// The lines of a basket, one for each product.
    async fn lines(&self, basket: &[(&str, u64)]) -> Result<Vec<Line>, Refused> {
        let mut quantities: BTreeMap<&str, u64> = BTreeMap::new();
        for (sku, quantity) in basket.iter().filter(|(_, quantity)| *quantity > 0) {
            let sum = quantities.entry(sku).or_default();
            *sum = sum.checked_add(*quantity).ok_or(Refused::TooMuch)?;
        }
        if quantities.is_empty() {
            return Err(Refused::NothingOrdered);
        }
        let keys = quantities.keys().map(|sku| Product::key(*sku));
        let products = self.db.batch_get(keys).await.map_err(Error::from)?;
        let line = |((sku, quantity), product): ((&str, u64), Option<Product>)| match product {
            Some(product) => Ok(Line { sku: sku.into(), quantity, price_cents: product.price_cents }),
            None => Err(Refused::NoSuchProduct(sku.into())),
        };
        quantities.into_iter().zip(products).map(line).collect()
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
        let page = self.db.query(Order::by_time(customer)).desc().limit(page_size).page(cursor).await?;
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

/// Why the sale of an order was refused. Its first operation is the order, the others are its lines.
fn refused(order: &Order, failure: TransactionFailure) -> Refused {
    let place = failure.first().map_or(0, |(place, _)| place);
    match (place.checked_sub(1).and_then(|line| order.lines.get(line)), failure.current::<Product>(place)) {
        (Some(line), Some(product)) => Refused::SoldOut { sku: line.sku.clone(), left: product.stock },
        _ => Refused::Store(Error::TransactionFailed(Box::new(failure))),
    }
}
