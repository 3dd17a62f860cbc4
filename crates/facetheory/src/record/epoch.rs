//! `EPOCH` of a page: it grows with each purge, so that a render begun before cannot publish after.

use tabletheory::Model;

/// How often a page was purged. It has no time to live: if it were forgotten, a purge could be undone.
///
/// ```
/// use facetheory::record::Epoch;
/// use tabletheory::Model;
///
/// let epoch = Epoch { pk: "CACHE#1".into(), epoch: 3 };
/// assert_eq!(epoch.to_item()?.get("sk").and_then(|sk| sk.as_s()), Some("EPOCH"));
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Model, Debug, Clone, PartialEq, Eq)]
#[model(
    table = "facetheory-cache",
    table_env("FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"),
    rename_all = "snake_case",
    sk = "EPOCH"
)]
pub struct Epoch {
    /// The page's partition.
    #[model(pk)]
    pub pk: String,
    /// The number of purges.
    pub epoch: u64,
}
