//! Questions that a sort key cannot be asked.
use tabletheory::Model;

#[derive(Model)]
#[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:06}")]
#[model(index(name = "by_city", pk = city, sk = (street, total)), index(name = "flat", pk = city))]
struct Order {
    user: String,
    day: String,
    number: u32,
    city: String,
    street: String,
    total: u64,
}

fn main() {
    let _ = Order::query("7");
    let _ = Order::flat("Rome").lt(5);
    let _ = Order::partition("7").begins_with("2026");
    let _ = Order::query("7").begins_with(2026);
    let _ = Order::query("7").begins_with(("2026", "12"));
    let _ = Order::query("7").begins_with(("2026", 12, 3));
    let _ = Order::query("7").eq("2026");
    let _ = Order::query("7").begins_with_partial("2026", "1");
    let _ = Order::by_city("Rome").lt(5);
    let _ = Order::by_city("Rome").eq("Via").begins_with(1);
    let _ = Order::by_city("Rome").lt("Via").eq(5);
}
