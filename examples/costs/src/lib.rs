//! What a million requests cost on AWS: each kind of request is carried out on the embedded engine, whose capacity units are DynamoDB's,
//! counted, and multiplied with a price list. `docs/aws.md` holds the table that this prints.

mod counted;
mod idempotent_requests;
mod limits;
mod pages;
mod price;

use std::fmt::Write as _;

pub use counted::Counted;

const HEAD: &str = "\
| a million of | calls | read units | write units | S3 reads | S3 writes | US$ |
|---|---:|---:|---:|---:|---:|---:|
";

/// Every kind of request, counted.
///
/// # Errors
/// If one of them does not go as it should.
pub async fn count() -> anyhow::Result<Vec<Counted>> {
    let mut rows = pages::count().await?;
    rows.extend(limits::count().await?);
    rows.extend(idempotent_requests::count().await?);
    Ok(rows)
}

/// The table of the guide.
#[must_use]
pub fn table(rows: &[Counted]) -> String {
    let mut text = String::from(HEAD);
    for row in rows {
        let Counted { what, calls, reads, writes, gets, puts } = row;
        let dollars = row.dollars();
        let _ = writeln!(text, "| {what} | {calls} | {reads} | {writes} | {gets} | {puts} | {dollars:.2} |");
    }
    text
}
