//! The guide says what is counted.

use costs::{Counted, count, table};

#[tokio::test]
async fn the_guide_holds_the_table_that_this_counts() {
    let table = table(&count().await.unwrap());
    let guide = include_str!("../../../docs/aws.md");
    assert!(guide.contains(&table), "put this table into docs/aws.md:\n{table}");
}

#[tokio::test]
async fn what_is_cheap_costs_next_to_nothing() {
    let rows = count().await.unwrap();
    let row = |start: &str| -> &Counted { rows.iter().find(|row| row.what.starts_with(start)).unwrap() };
    assert_eq!(row("pages at hand").calls, 0.0);
    assert_eq!(row("requests denied from memory").calls, 0.0);
    assert!(row("requests let pass from batches").writes <= 0.1);
    assert!((row("requests let pass, by two limits").dollars() - 0.625).abs() < 0.01, "one write unit each");
    assert_eq!(row("requests carried out once, answers of 200 bytes").writes, 2.0);
}
