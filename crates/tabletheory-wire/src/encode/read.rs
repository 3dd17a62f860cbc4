//! Pages of items: query, scan.

use serde::Serialize;
use tabletheory_core::Item;
use tabletheory_core::store::op::PageOutput;

use super::capacity::Cost;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Page<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_capacity: Option<Cost<'a>>,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<&'a [Item]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated_key: Option<&'a Item>,
    scanned_count: u64,
}

/// `Query`, `Scan`.
pub(super) fn page(output: &PageOutput) -> impl Serialize {
    Page {
        consumed_capacity: output.capacity.as_ref().map(Cost::from),
        count: output.count,
        items: output.items.as_deref(),
        last_evaluated_key: output.last_evaluated_key.as_ref(),
        scanned_count: output.scanned_count,
    }
}
