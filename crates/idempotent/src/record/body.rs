//! An answer that is too large for its record, in a row beside it.

use std::fmt;

use tabletheory::Model;

/// A large answer, written before the record that names it and kept longer.
///
/// ```
/// use idempotent::record::BodyRow;
/// use tabletheory::Model;
///
/// let row = BodyRow { idempotency_key: "k".into(), token: "t".into(), body: vec![1, 2], expires_at: None };
/// assert_eq!(row.to_item()?.get("SK").and_then(|sk| sk.as_s()), Some("BODY#t"));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Model, Clone, PartialEq)]
#[model(
    table = "idempotency",
    table_env("IDEMPOTENCY_TABLE_NAME"),
    rename_all = "PascalCase",
    sk = "BODY#{token}",
    sk_attr = "SK"
)]
pub struct BodyRow {
    /// The key of the record.
    #[model(pk)]
    pub idempotency_key: String,
    /// The token of the attempt whose answer it is.
    #[model(key_only)]
    pub token: String,
    /// The kept headers as a line of JSON, and then the body.
    #[model(binary)]
    pub body: Vec<u8>,
    /// Seconds since 1970 after which the table may forget it.
    #[model(ttl)]
    pub expires_at: Option<i64>,
}

/// How long it is, and nothing of it.
impl fmt::Debug for BodyRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyRow").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}
